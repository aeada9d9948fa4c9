import { z } from 'zod'
import { countryIn } from '../../../../domain/money/vat/rates.ts'
import type { SessionWish } from '../../../../domain/use-cases/commerce/sessions.ts'
import type { CloudCaller } from '../../core/endpoint.ts'
import { CustomAnswers } from '../../pages/store/answers.ts'
import { CurrencyCode } from '../common/amounts.ts'
import { CheckoutName } from '../common/checkout-shape.ts'

/**
 * A cart as it is sent (C-SES-01). Members that the protocol knows and we do not are let through and left alone, as UCP
 * wants it.
 */

const LINES_MAX = 100
const QUANTITY_MAX = 100_000
const CODES_MAX = 10
/**
 * Bytes of what a cart says about its buyer or its context, as JSON in UTF-8. They are kept for ever, and sealing makes
 * them a third longer.
 */
const PERSON_MAX_BYTES = 8_192

const Person = z
  .looseObject({})
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= PERSON_MAX_BYTES,
    `has to have at most ${PERSON_MAX_BYTES} bytes as JSON`,
  )

const Country = z.string().regex(/^[A-Za-z]{2}$/, 'has to be two letters of ISO 3166')

export const Cart = z.looseObject({
  line_items: z
    .array(
      z.looseObject({
        item: z.looseObject({ id: CheckoutName }),
        quantity: z.int().min(1).max(QUANTITY_MAX).default(1),
      }),
    )
    .min(1)
    .max(LINES_MAX),
  currency: CurrencyCode.optional(),
  buyer: Person.and(z.looseObject({ vat_number: z.string().max(40).optional() })).optional(),
  context: Person.and(
    z.looseObject({ address_country: Country.optional(), currency: CurrencyCode.optional() }),
  ).optional(),
  /** A member of our own: answers to the seller's custom fields, by their labels. */
  custom_fields: CustomAnswers.optional(),
  discounts: z.looseObject({ codes: z.array(z.string().trim().min(1).max(100)).max(CODES_MAX).default([]) }).optional(),
})

export const cartWish = (
  { accountId, storeId }: CloudCaller,
  { line_items, currency, buyer, context, custom_fields, discounts }: z.output<typeof Cart>,
): SessionWish => ({
  shop: { accountId, storeId },
  items: line_items.map(({ item, quantity }) => ({ id: item.id, quantity })),
  currency: currency ?? context?.currency,
  codes: discounts?.codes ?? [],
  country: context?.address_country && countryIn(context.address_country),
  vatNumber: buyer?.vat_number || undefined,
  answers: custom_fields ?? {},
  person: { ...(buyer && { buyer }), ...(context && { context }) },
})
