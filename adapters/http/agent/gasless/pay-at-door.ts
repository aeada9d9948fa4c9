import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { saleOf } from '../../../../domain/use-cases/selling/challenges/sales.ts'
import { decodePayment, PAYMENT_HEADERS, type SignedPayment } from '../../../x402/header.ts'
import { type PaymentRefusal, wordFor } from '../../../x402/reasons.ts'
import { settlementHeader } from '../../../x402/responses.ts'
import { Reply } from '../../core/endpoint.ts'
import { settleSigned } from './settle.ts'

/**
 * A signed payment in a header of the request, at every door that sells a resource (J-DOOR-05, J-DOOR-06, J-DOOR-10,
 * W-GAS-01).
 */

const [V1, V2] = PAYMENT_HEADERS

/** The headers in which each version puts the payment, for an endpoint's `headers`. */
export const PaymentHeaders = z.object({
  [V1]: z.string().optional(),
  [V2]: z.string().optional(),
})

export const Pending = z
  .object({ status: z.literal('pending'), transaction: z.string().optional(), retry_after: z.int() })
  .meta({
    id: 'PendingPayment',
    description: 'The payment was taken and is on its way. Send the same payment again, never another one.',
  })

/** Seconds after which an answer to the same payment is likely. */
const RETRY_AFTER_S = 5

/**
 * The answer to a request that came with a payment; undefined without one. `body` is what the door answers once it is
 * paid, `again` the 402 with what was wrong, `caller` the name that its caller gave to the sale. Refuses
 * `invalid-request` for a header that cannot be read.
 */
export const payAtDoor = async (
  flow: UseCaseContext,
  resId: string,
  sent: z.output<typeof PaymentHeaders>,
  { body, again, caller }: { body: object; again(error: string): Promise<Reply>; caller?: string | undefined },
): Promise<Reply | undefined> => {
  const header = onlyOne(sent)
  if (header === undefined) return undefined
  const read = decodePayment(header)
  if (read.kind === 'malformed')
    return refuse('invalid-request', 'The payment header has to be base64 of a payment as x402 writes it.')
  if (read.kind === 'unacceptable') return again(wordFor(read.version, read.reason))
  const { payment } = read
  const sale = await saleOf(flow, resId)
  if (!sale) return again(wordFor(payment.version, 'requirements'))
  const outcome = await settleSigned(flow, sale, payment, { caller })
  if (outcome.status === 'refused')
    return refused(await again(wordFor(payment.version, outcome.reason)), payment, outcome)
  if (outcome.status === 'pending') return pending(outcome.transaction)
  const settled = { success: true, transaction: outcome.transaction, payer: outcome.payer } as const
  return new Reply(200, body, { ...settlementHeader(payment, settled), 'Cache-Control': 'no-store' })
}

/**
 * The name that a client gives its payment, so that it is told from others; undefined without one, or without a payment
 * that can be read.
 */
export const paymentIdentifier = (sent: z.output<typeof PaymentHeaders>): string | undefined => {
  const header = paymentsIn(sent)[0]
  const read = header === undefined ? undefined : decodePayment(header)
  return read?.kind === 'payment' ? read.payment.paymentIdentifier : undefined
}

/** What stands in the payment headers; a door may read other headers, too. */
const paymentsIn = (sent: z.output<typeof PaymentHeaders>): readonly string[] =>
  PAYMENT_HEADERS.flatMap((name) => sent[name] || [])

/** The one header with a payment, if any. Refuses `invalid-request` for two: nobody can know which one is meant. */
const onlyOne = (sent: z.output<typeof PaymentHeaders>): string | undefined => {
  const [header, ...more] = paymentsIn(sent)
  return more.length === 0
    ? header
    : refuse('invalid-request', 'There are two payment headers: send one payment, in one of them.')
}

const refused = (
  { status, body, headers }: Reply,
  payment: SignedPayment,
  { reason }: { reason: PaymentRefusal },
): Reply => {
  const said = { success: false, reason, payer: payment.authorization.from } as const
  return new Reply(status, body, { ...headers, ...settlementHeader(payment, said) })
}

/** The answer while nobody can say yet what became of a payment. */
export const pending = (transaction?: string): Reply => {
  const body = { status: 'pending', ...(transaction !== undefined && { transaction }), retry_after: RETRY_AFTER_S }
  return new Reply(202, body, { 'Retry-After': String(RETRY_AFTER_S), 'Cache-Control': 'no-store' })
}
