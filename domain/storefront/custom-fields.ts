import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/** What a seller asks its buyers at the checkout, beside the payment (S-FLD-01 to S-FLD-04, N-48). */

/** Fields that one account may have at once. */
export const CUSTOM_FIELDS_MAX = 30
/** Characters of a label, and of an option. */
export const FIELD_LABEL_MAX = 100
/** Options of one select. */
export const FIELD_OPTIONS_MAX = 50

export const FIELD_TYPES = ['text', 'checkbox', 'textarea', 'select'] as const
export type FieldType = (typeof FIELD_TYPES)[number]

type FieldFacts = {
  readonly type: FieldType
  readonly label: string
  /** The options of a select; empty for the other types. */
  readonly options: readonly string[]
  readonly required: boolean
}
export type CustomField = FieldFacts & {
  /**
   * The number of the field. It stays when others are removed, so that an answer is never taken for another field's.
   */
  readonly number: number
}

export type CustomFieldEvents = {
  /** The field comes after the others. */
  CustomFieldAdded: CustomField
  /** `index`: where it stood, counted from zero. */
  CustomFieldRemoved: { index: number; number: number; label: string }
}

type CustomFieldCommands = { add: FieldFacts; remove: { index: number } }

export type CustomFields = {
  readonly fields: readonly CustomField[]
  /** The number of the next field. */
  readonly next: number
}

export const customFields = decider<CustomFieldEvents, CustomFieldCommands, CustomFields>({
  category: 'customFields',
  stateVersion: 1,
  initial: { fields: [], next: 0 },
  decide: {
    add: ({ fields, next }, facts) => {
      mustBeGood(facts)
      const present = fields.find(({ label }) => label.toLowerCase() === facts.label.toLowerCase())
      if (present && isSame(present, facts)) return []
      if (present)
        return refuse('label-taken', `There is a field ${JSON.stringify(present.label)} already. Choose another label.`)
      if (fields.length >= CUSTOM_FIELDS_MAX)
        return refuse(
          'too-many-entries',
          `An account has at most ${CUSTOM_FIELDS_MAX} custom fields. Delete one first.`,
        )
      return [{ type: 'CustomFieldAdded', data: { ...facts, number: next } }]
    },
    remove: ({ fields }, { index }) => {
      const field = fields[index]
      if (!field)
        return refuse('not-found', 'There is no custom field at this index. Look for it in GET /v1/custom-fields.')
      return [{ type: 'CustomFieldRemoved', data: { index, number: field.number, label: field.label } }]
    },
  },
  evolve: {
    CustomFieldAdded: ({ fields }, field) => ({ fields: [...fields, field], next: field.number + 1 }),
    CustomFieldRemoved: ({ fields, next }, { number }) => ({
      fields: fields.filter((field) => field.number !== number),
      next,
    }),
  },
})

const mustBeGood = ({ type, label, options }: FieldFacts): void => {
  if (!isLabel(label)) refuse('invalid-request', `label: has to be one line of 1 to ${FIELD_LABEL_MAX} characters`)
  if (type !== 'select' && options.length > 0)
    refuse('invalid-request', 'options: only a select has them, so leave them out')
  if (type === 'select' && (options.length < 1 || options.length > FIELD_OPTIONS_MAX))
    refuse('invalid-request', `options: has to have 1 to ${FIELD_OPTIONS_MAX} entries for a select`)
  if (!options.every(isLabel))
    refuse('invalid-request', `options: each has to be one line of 1 to ${FIELD_LABEL_MAX} characters`)
  if (new Set(options).size < options.length) refuse('invalid-request', 'options: one stands twice; name it once')
}

const isLabel = (text: string): boolean =>
  text.length <= FIELD_LABEL_MAX && text.trim() === text && /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(text)

const isSame = (a: FieldFacts, b: FieldFacts): boolean =>
  a.label === b.label &&
  a.type === b.type &&
  a.required === b.required &&
  a.options.length === b.options.length &&
  a.options.every((option, index) => option === b.options[index])

/** What a buyer answers to a seller's custom fields, checked (S-FLD-04, N-48). */

/** The most characters of an answer in one line, and of one in several. */
export const TEXT_MAX = 500
export const TEXTAREA_MAX = 2_000

/** Why an answer is not taken. */
type FieldFault = 'missing' | 'too-long' | 'several-lines' | 'no-option' | 'no-checkbox' | 'unknown'

/** What a program is told of each, after the name of the field. */
export const FAULT_WORDS: Readonly<Record<FieldFault, string>> = {
  missing: 'has to be answered',
  'too-long': `has to be shorter (${TEXT_MAX} characters at most, ${TEXTAREA_MAX} where several lines are taken)`,
  'several-lines': 'has to be one line',
  'no-option': 'has to be one of its options',
  'no-checkbox': 'has to be true or false',
  unknown: 'is no field of this seller, so leave it out',
}

type FieldsCheck =
  | { readonly values: readonly { readonly label: string; readonly value: string }[] }
  | { readonly wrong: readonly { readonly label: string; readonly fault: FieldFault }[] }

/**
 * Checks the answers that are `given`, by label, and returns them in the order of the fields. An empty answer is none,
 * and an optional field without an answer is left out.
 */
export const checkedFields = (fields: readonly CustomField[], given: Readonly<Record<string, string>>): FieldsCheck => {
  const known = new Set(fields.map(({ label }) => label))
  const unknown = Object.keys(given).filter((label) => !known.has(label))
  const judged = fields.map((field) => {
    const value = Object.hasOwn(given, field.label) ? meant(field, given[field.label] ?? '') : ''
    return { label: field.label, value, fault: faultOf(field, value) }
  })
  const wrong = [
    ...judged.flatMap(({ label, fault }) => (fault ? [{ label, fault }] : [])),
    ...unknown.map((label) => ({ label, fault: 'unknown' as const })),
  ]
  if (wrong.length > 0) return { wrong }
  return { values: judged.flatMap(({ label, value }) => (value === '' ? [] : [{ label, value }])) }
}

/**
 * The answers as a record shows them: one to a line, with its further lines indented, so that none can be taken for
 * another answer.
 */
export const fieldLines = (values: readonly { readonly label: string; readonly value: string }[]): string =>
  values.map(({ label, value }) => `${label}: ${value.replaceAll('\n', '\n  ')}`).join('\n')

/** The answer in one form, however it was sent: browsers end lines their own way and send `on` for a ticked box. */
const meant = ({ type }: CustomField, given: string): string => {
  const text = given.replace(/\r\n?/g, '\n').trim()
  return type === 'checkbox' && text === 'on' ? 'true' : text
}

const faultOf = ({ type, options, required }: CustomField, value: string): FieldFault | undefined => {
  // A required box is a consent, so that it has to be ticked.
  if (value === '' || (type === 'checkbox' && value === 'false')) return required ? 'missing' : undefined
  switch (type) {
    case 'text':
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return 'several-lines'
      return value.length > TEXT_MAX ? 'too-long' : undefined
    case 'textarea':
      return value.length > TEXTAREA_MAX ? 'too-long' : undefined
    case 'select':
      return options.includes(value) ? undefined : 'no-option'
    case 'checkbox':
      return value === 'true' ? undefined : 'no-checkbox'
  }
}
