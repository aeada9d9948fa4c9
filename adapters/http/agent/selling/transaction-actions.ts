import { z } from 'zod'
import { plainDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../../domain/selling/transactions/card-payment-id.ts'
import type { Transaction } from '../../../../domain/selling/transactions/transaction.ts'
import { refundCard } from '../../../../domain/use-cases/card/refund.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { refundPayment } from '../../../../domain/use-cases/selling/refunds/refund-payment.ts'
import { submitHash } from '../../../../domain/use-cases/selling/settling/submit-hash.ts'
import { goodsOf, saleOf } from '../../../../domain/use-cases/selling/stock/goods.ts'
import { resendWebhook } from '../../../../domain/use-cases/selling/webhooks/deliver-now.ts'
import type { Queries } from '../../../../projections/index.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { mayChange, ownTransaction } from '../../core/own-transaction.ts'

/** What a merchant may do with a transaction: note its refund, have its webhook sent again, say which hash pays it. */

const common = {
  method: 'post',
  path: '/v1/transactions',
  auth: 'key',
  reach: 'store',
} as const

const one = <A extends string>(action: A) => z.object({ transaction_id: z.string().max(32), action: z.literal(action) })

/**
 * What a seller may say of a refund: how much of the coin it gave back, and the chain transaction that shows it. A
 * payment by card is given back whole.
 */
export const refundFields = {
  amount: z
    .union([
      z.string().regex(/^\d{1,30}(\.\d{1,30})?$/, 'has to be a plain decimal number'),
      z.number().positive().transform(plainDecimal),
    ])
    .optional(),
  hash: z.string().trim().min(1).max(200).optional(),
  /** Whether the goods came back, so that their pieces are in stock again; without it they are not (N-97). */
  restock: z.union([z.boolean(), z.enum(['0', '1']).transform((said) => said === '1')]).optional(),
}

/** What became of a refund. Only what is `sent` is known to be on its way to the buyer. */
export const Refunded = z
  .object({
    refunded: z.literal(true),
    recorded: z.literal(true),
    sent: z.boolean(),
    amount: z.string().optional(),
    hash: z.string().optional(),
    restocked: z.literal(true).optional(),
    pending: z.object({ confirmations: z.int(), required: z.int() }).optional(),
  })
  .meta({
    id: 'Refunded',
    description:
      'A refund. `recorded`: the seller says so. `sent`: the card processor has sent it, or the chain shows all that is recorded. Daybook moves no coins: say with `hash` which chain transaction gave them back. `pending`: it lacks confirmations, and is looked for again; calling again tells how far it is. `amount`: what is given back by this, in the coin.',
  })

export const refundRefusals = [
  'transaction-not-found',
  'refunds-not-enabled',
  'state-forbids',
  'payment-not-matching',
  'transfer-taken',
  'busy',
  'unavailable',
] as const

const refund = endpoint({
  ...common,
  when: { transaction_id: true, action: 'refund' },
  summary:
    'Give back a payment by card through its processor; of coins, record that the seller has given them back, and look for that on their chain',
  callers: { capability: 'transactions.refund', sandbox: 'secret' },
  query: one('refund'),
  body: z.strictObject(refundFields).optional(),
  returns: Refunded,
  refusals: refundRefusals,
  answer: ({ query, body, actor, flow }) => refundTransaction(flow, actor, query.transaction_id, body),
})

type RefundFields = {
  readonly amount?: string | undefined
  readonly hash?: string | undefined
  readonly restock?: boolean | undefined
}

/**
 * Refunds, where the merchant has enabled that (Q-30, N-68); the same for every way of asking. The goods are put back
 * once, when the seller says that it has them.
 */
export const refundTransaction = async (
  flow: UseCaseContext,
  actor: Actor,
  transactionId: string,
  { restock = false, ...money }: RefundFields = {},
): Promise<z.input<typeof Refunded>> => {
  const transaction = mayChange(actor, await ownTransaction(flow.ledger, actor, transactionId))
  if (!(await flow.ledger.settings.read(actor.accountId)).payment.refunds) return refuse('refunds-not-enabled')
  if (restock && (await goodsOf(flow.ledger, saleOf(transaction))).length === 0)
    return refuse('invalid-request', 'restock: this payment is for no product of yours, so leave it out')
  const told = await refunded(flow, actor, { transactionId, transaction }, money)
  if (!restock) return told
  await flow.ledger.transaction.restock(transactionId, { by: actor.kind })
  return { ...told, restocked: true }
}

const refunded = async (
  flow: UseCaseContext,
  actor: Actor,
  { transactionId, transaction }: { readonly transactionId: string; readonly transaction: Transaction },
  { amount, hash }: Omit<RefundFields, 'restock'>,
): Promise<z.input<typeof Refunded>> => {
  const { challengeId } = transaction
  const told = { refunded: true, recorded: true } as const
  if (!isCardPaymentId(challengeId))
    return { ...told, ...(await refundPayment(flow, transaction, { transactionId, by: actor.kind, amount, hash })) }
  if (amount !== undefined)
    return refuse('invalid-request', 'amount: a payment by card is given back whole, so leave it out')
  if (hash !== undefined) return refuse('invalid-request', 'hash: a payment by card is on no chain, so leave it out')
  await refundCard(flow, transaction, challengeId, actor.kind)
  await noted(flow, transactionId, actor)
  return { ...told, sent: true }
}

/** Notes a refund by card. It is no failure when a policy has noted it first. */
const noted = async ({ ledger }: UseCaseContext, transactionId: string, { kind }: Actor): Promise<void> => {
  await ledger.transaction.refund(transactionId, { by: kind }).catch(async (error: unknown) => {
    const { refundedAt } = { refundedAt: undefined, ...(await ledger.transaction.read(transactionId)) }
    if (refundedAt === undefined) throw error
  })
}

/** What came of a webhook that was sent again; the response is null while it is not known. */
export const Resent = z.object({
  resent: z.literal(true),
  webhook_response: z
    .object({ http_status: z.int().nullable(), reason: z.string().nullable(), body: z.string() })
    .nullable(),
})

/** Sends the webhook of a caller's own transaction once more; the same for every way of asking (W-RTY-02). */
export const resendOwn = async (
  flow: UseCaseContext,
  actor: Actor,
  transactionId: string,
): Promise<z.input<typeof Resent>> => {
  mayChange(actor, await ownTransaction(flow.ledger, actor, transactionId))
  const answer = await resendWebhook(flow, actor.accountId, transactionId)
  const { status = null, reason = null, bodyHead = '' } = answer ?? {}
  return { resent: true as const, webhook_response: answer ? { http_status: status, reason, body: bodyHead } : null }
}

const resend = endpoint({
  ...common,
  when: { transaction_id: true, action: 'resend-webhook' },
  summary: 'Send the webhook of a completed payment once more; answers what the receiver said',
  callers: { capability: 'transactions.edit', sandbox: 'secret' },
  query: one('resend-webhook'),
  returns: Resent,
  refusals: ['transaction-not-found', 'no-webhook-url', 'state-forbids'],
  answer: ({ query, actor, flow }) => resendOwn(flow, actor, query.transaction_id),
})

const submit = endpoint({
  ...common,
  when: { transaction_id: true, action: 'submit-hash' },
  summary: 'Say which hash pays a pending or underpaid transaction; it is looked up on its chain',
  callers: { capability: 'transactions.edit', sandbox: 'secret' },
  query: one('submit-hash'),
  body: z.object({ hash: z.string().min(1).max(200) }),
  returns: z.object({ submitted: z.literal(true), tx_hash: z.string() }),
  refusals: [
    'transaction-not-found',
    'state-forbids',
    'payment-not-matching',
    'transfer-taken',
    'challenge-expired',
    'challenge-is-test',
    'already-paid',
    'out-of-stock',
  ],
  async answer({ query: { transaction_id }, body, actor, flow, queries }) {
    const hash = await submitOwn(flow, queries, actor, transaction_id, body.hash)
    return { submitted: true as const, tx_hash: hash }
  },
})

/**
 * Says which hash pays a caller's own transaction; the same for every way of asking.
 * @returns the hash as it was read
 */
export const submitOwn = async (
  flow: UseCaseContext,
  queries: Queries,
  actor: Actor,
  transactionId: string,
  text: string,
): Promise<string> => {
  mayChange(actor, await ownTransaction(flow.ledger, actor, transactionId))
  const hash = text.trim()
  // A key of one store may not say which store an odd payment at the account's address is for.
  const by = actor.storeScope === undefined ? actor.keyId : undefined
  await submitHash(flow, transactionId, hash, (requestId) => queries.challengesOfRequest(requestId), by)
  return hash
}

export const transactionActions = [refund, resend, submit]
