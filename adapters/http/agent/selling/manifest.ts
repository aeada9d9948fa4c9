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
  })
  .meta({ id: 'PaymentRequired' })

/** `facts` are the door's own; `error` says why what was sent is no payment. */
export const manifest = (facts: object, ways: readonly PaymentWay[], sold: SoldResource, error?: string): Reply => {
  const plain = ways.length > 0 ? 'Payment required' : 'No coin of this seller can be received right now'
  const { body, headers } = envelopeOf(ways, sold, error ?? plain)
  const { x402Version, error: said, ...offers } = body
  return new Reply(402, { x402Version, error: said, ...facts, ...offers }, headers)
}
