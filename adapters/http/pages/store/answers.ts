import { z } from 'zod'
import {
  CUSTOM_FIELDS_MAX,
  type CustomFields,
  checkedFields,
  FIELD_LABEL_MAX,
  fieldLines,
  TEXTAREA_MAX,
} from '../../../../domain/storefront/custom-fields.ts'
import { type DiscountCode, type Discounts, discountOf } from '../../../../domain/storefront/discounts.ts'
import type { Ledger } from '../../../../domain/write-side/ledger.ts'
import { recordOf } from '../../core/record-of.ts'
import type { SellerQuestions } from './asks.ts'

/**
 * The questions of a seller to its buyers, and their answers: custom fields, and a discount code where there are any
 * (S-FLD-04, S-DSC-02).
 */

/** Characters that are read of anything typed, before it is judged: line breaks of a browser count twice. */
const TYPED_MAX = 2 * TEXTAREA_MAX
const Typed = z.string().max(TYPED_MAX)

/** Custom fields as a program answers them: by their labels. */
export const CustomAnswers = recordOf(
  z.string().max(FIELD_LABEL_MAX),
  z.union([Typed, z.boolean().transform(String)]),
  CUSTOM_FIELDS_MAX,
)

/** The answers as a program sends them. */
export const Answers = z.strictObject({ discount_code: Typed.default(''), fields: CustomAnswers.default({}) })

/**
 * The answers as the page sends them: by the numbers of the fields, which stay whatever the seller removes meanwhile.
 */
export const TypedAnswers = recordOf(
  z.string().regex(/^(discount_code|field-\d{1,9})$/, 'has to be a field of this form'),
  Typed,
  CUSTOM_FIELDS_MAX + 1,
)

export type Asks = { readonly fields: CustomFields; readonly discounts: Discounts }

export const asksOf = async (ledger: Ledger, accountId: string): Promise<Asks> => {
  const [fields, discounts] = await Promise.all([
    ledger.customFields.recent(accountId),
    ledger.discounts.recent(accountId),
  ])
  return { fields, discounts }
}

export const takesCodes = ({ discounts }: Asks): boolean => Object.keys(discounts.codes).length > 0

/** What the page sent, as a program would have sent it. A field that is asked no more is left out. */
export const answersTyped = (
  { fields }: Asks,
  { discount_code = '', ...typed }: z.output<typeof TypedAnswers>,
): z.output<typeof Answers> => ({
  discount_code,
  fields: Object.fromEntries(fields.fields.map(({ label, number }) => [label, typed[`field-${number}`] ?? ''])),
})

/** `description` is what the seller's record tells of the answers; empty where there are none. */
export type AcceptedAnswers = { readonly discount: DiscountCode | undefined; readonly description: string }

/** What is wrong, in words for people, keyed by the field's label; `code` is the fault of the discount code. */
export type AnswerFaults = { readonly code?: string; readonly fields: Readonly<Record<string, string>> }

export const judgeAnswers = (
  asks: Asks,
  answers: z.output<typeof Answers>,
): AcceptedAnswers | { readonly wrong: AnswerFaults } => {
  const discount = discountOf(asks.discounts, answers.discount_code)
  const checked = checkedFields(asks.fields.fields, answers.fields)
  const hasCode = answers.discount_code.trim() !== ''
  const fields = 'wrong' in checked ? checked.wrong.map(({ label, fault }) => [label, WORDS[fault]] as const) : []
  if ('wrong' in checked || (hasCode && !discount))
    return { wrong: { ...(hasCode && !discount && { code: NO_CODE }), fields: Object.fromEntries(fields) } }
  return { discount, description: fieldLines(checked.values) }
}

/** The form of a page; after it was refused with everything that was typed, and what was wrong beside it. */
export const askingOf = (
  asks: Asks,
  typed: z.output<typeof TypedAnswers> = {},
  wrong: AnswerFaults = { fields: {} },
): SellerQuestions => ({
  fields: asks.fields.fields.map(({ number, ...field }) => ({
    ...field,
    name: `field-${number}`,
    typed: typed[`field-${number}`],
    wrong: Object.hasOwn(wrong.fields, field.label) ? wrong.fields[field.label] : undefined,
  })),
  code: takesCodes(asks) || wrong.code ? { typed: typed.discount_code, wrong: wrong.code } : undefined,
})

const NO_CODE = 'This discount code is not known here. Try another one, or leave it out.'

const WORDS = {
  missing: 'Please answer this.',
  'too-long': 'Please write a shorter answer.',
  'several-lines': 'Please answer in one line.',
  'no-option': 'Please choose one of these.',
  'no-checkbox': 'Please say true or false.',
  unknown: 'This is not asked here: leave it out.',
} as const
