import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { openRecord } from '../../../../domain/selling/transactions/open-record.ts'
import { ownRow } from '../../agent/selling/transaction-lists.ts'
import { followedChallenge, progressOf } from '../../buyer/progress.ts'
import type { AuditReads } from '../../core/audit-reads.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { sentOf } from '../../core/sent-webhooks.ts'
import { paymentPage } from '../../pages/dashboard/payments/detail.ts'
import { PAYMENTS } from '../../pages/dashboard/payments/paths.ts'
import type { PaymentAct } from '../../pages/dashboard/payments/payment.ts'
import { type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { stillDue } from './still-due.ts'

/** One payment with all that is known of it. */

/** What every page and form of one payment declares. */
export const ofPayment = {
  ...ofMembers,
  path: `${PAYMENTS}/:transaction_id`,
  params: z.object({ transaction_id: z.string().max(32) }),
} as const

const ACTS = ['resend', 'refund', 'edit', 'match', 'match-transfer'] as const satisfies readonly PaymentAct[]

const look = endpoint({
  ...ofPayment,
  method: 'get',
  reach: 'store',
  callers: { capability: 'transactions.view' },
  summary: 'One payment: what was asked and came, its life, its webhooks, and what a member may do with it',
  query: z.object({ done: z.string().max(20).optional(), open: z.string().max(20).optional() }),
  refusals: ['transaction-not-found', 'rate-limited', 'busy', 'form-stale'],
  answer: async ({ params, query, ...request }) =>
    await showPayment(request, params.transaction_id, {
      done: ACTS.find((act) => act === query.done),
      open: ACTS.find((act) => act === query.open),
    }),
})

export const paymentEndpoints = [look]

/** What was done, which form is wanted, or what was wrong with an act and what was typed for it. */
type Outcome = {
  readonly done?: PaymentAct | undefined
  readonly open?: PaymentAct | undefined
  readonly failed?: { readonly act: PaymentAct; readonly error: string }
  readonly typed?: Readonly<Record<string, string | undefined>>
}

/** The page of a payment. Refuses `transaction-not-found`. */
export const showPayment = async (
  { audit, ...request }: MemberRequest & { readonly audit: AuditReads },
  id: string,
  outcome: Outcome,
): Promise<Reply> => {
  const { flow, queries, actor } = request
  if (!/^\d{1,20}$/.test(id)) return refuse('transaction-not-found')
  const row = await ownRow(queries, actor.actor, id)
  const followed = row.challengeId === null ? undefined : await followedChallenge(flow, row.challengeId)
  const [record, deliveries, settlements, progress, due, life] = await Promise.all([
    openRecord(flow.vault, row.id, row),
    queries.webhookLog(actor.accountId, id),
    row.challengeId === null ? [] : queries.settlementsOf(row.challengeId),
    followed && row.status === 'P' ? progressOf(flow, followed) : undefined,
    row.status === 'C' ? undefined : stillDue(request, id),
    actor.actor.can('audit.view') ? audit.life(id, actor.accountId) : undefined,
  ])
  return paymentPage({
    member: actor,
    record,
    row,
    deliveries,
    sent: await sentOf(audit, id, deliveries),
    settlement: settlements[0],
    progress,
    due,
    rate: followed?.entry.rate,
    rateSource: followed?.entry.rateSource,
    network: followed?.entry.network,
    life,
    ...outcome,
  })
}
