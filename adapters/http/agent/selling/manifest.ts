import { z } from 'zod'
import { envelopeOf, type PaymentWay, type SoldResource } from '../../../x402/envelope.ts'
import { Reply } from '../../core/endpoint.ts'
import { Accept } from '../common/accepts.ts'

/** The 402 of every door (J-DOOR-01, J-DOOR-02, N-02). */

/** A requirement of x402 version 1, with its fields and no others. */
const Requirement = Accept.pick({ scheme: true, network: true, asset: true, payTo: true })
  .extend(
    Accept.pick({
      maxAmountRequired: true,
      resource: true,
      description: true,
      mimeType: true,
      maxTimeoutSeconds: true,
      extra: true,
    }).required().shape,
  )
  .meta({ id: 'PaymentRequirement', description: 'What a client of x402 version 1 signs.' })

export const PaymentRequired = z
  .object({
    x402Version: z.literal(1),
    error: z.string(),
    accepts: z.array(Accept),
    paymentRequirements: z.array(Requirement),
    res_id: z.string().optional(),
    transaction_id: z.string().optional(),
    amount: z.number(),
    currency: z.string(),
    test: z.boolean(),
    paid_at: z.string().optional(),
  })
  .meta({
    id: 'PaymentRequired',
    description: '`paid_at`: it was sold before, the last time then; this 402 sells it again.',
  })

/** How a 402 may be asked for: with the true words in the standard fields, whatever clients of version 1 can read. */
export const AcceptsWish = z.literal('plain', 'accepts is plain, or left out').optional()

/**
 * `facts` are the door's own; `error` says why what was sent is no payment; `plain` asks for the true words in the
 * standard fields.
 */
export const manifest = (
  facts: object,
  ways: readonly PaymentWay[],
  sold: SoldResource,
  { error = 'Payment required', plain = false }: { error?: string | undefined; plain?: boolean } = {},
): Reply => {
  const { body, headers } = envelopeOf(ways, sold, error, plain)
  const { x402Version, error: said, ...offers } = body
  return new Reply(402, { x402Version, error: said, ...facts, ...offers }, headers)
}
