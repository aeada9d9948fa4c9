import { z } from 'zod'
import { isRefusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../../domain/kernel/refusals/refusal-words.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { scheduleResend } from '../../../../domain/use-cases/selling/webhooks/deliver-now.ts'
import type { Queries } from '../../../../projections/index.ts'
import { endpoint } from '../../core/endpoint.ts'
import { page } from './paging.ts'
import { From, To } from './times.ts'

/** The webhooks of an account as they were sent, and some of them once more (N-101). */

const ID_MAX = 64
/** Webhooks that one call sends again. */
export const RESENT_MAX = 20

const Delivery = z
  .object({
    event_id: z.string(),
    transaction_id: z.string(),
    kind: z.enum(['first', 'resend', 'test']),
    url: z.string(),
    state: z.enum(['scheduled', 'accepted', 'failed']),
    http_status: z.int().nullable(),
    reason: z.string().nullable(),
    response_body: z.string().nullable(),
    duration_ms: z.int().nullable(),
    scheduled_at: z.string(),
    attempted_at: z.string().nullable(),
  })
  .meta({
    id: 'WebhookDelivery',
    description: 'A webhook that was sent or is under way. `transaction_id` is empty where a URL was tried out.',
  })

const list = endpoint({
  method: 'get',
  path: '/v1/webhook/deliveries',
  summary: 'The webhooks of the account as they were sent and answered, the newest first',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'transactions.view' },
  query: z.object({
    state: z.enum(['scheduled', 'accepted', 'failed']).optional(),
    from: From.optional(),
    to: To.optional(),
    before: z.string().max(ID_MAX).optional().describe('`next` of the page before.'),
    limit: page.query.limit,
  }),
  returns: z.object({
    deliveries: z.array(Delivery),
    next: z.string().nullable().describe('`before` of the next page; null when there is none.'),
  }),
  async answer({ query: { limit, ...filter }, actor, queries }) {
    const size = page.of({ limit }).limit
    const rows = await queries.sentDeliveries(actor.accountId, filter, size + 1)
    const deliveries = rows.slice(0, size).map((row) => ({
      event_id: row.eventId,
      transaction_id: row.transactionId,
      kind: row.kind,
      url: row.url,
      state: row.state as 'scheduled' | 'accepted' | 'failed',
      http_status: row.status,
      reason: row.reason,
      response_body: row.responseBody,
      duration_ms: row.durationMs,
      scheduled_at: row.scheduledAt,
      attempted_at: row.attemptedAt,
    }))
    return { deliveries, next: rows.length > size ? (deliveries.at(-1)?.event_id ?? null) : null }
  },
})

const resend = endpoint({
  method: 'post',
  path: '/v1/webhook/deliveries',
  summary: 'Send the webhooks of some payments once more, by what was sent of them before',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'transactions.edit' },
  body: z.object({ event_ids: z.array(z.string().min(1).max(ID_MAX)).min(1).max(RESENT_MAX) }),
  returns: z.object({
    resent: z.array(
      z.object({
        transaction_id: z.string(),
        event_id: z.string().nullable().describe('The id of what is sent now; null when it is refused.'),
        refused: z.string().nullable(),
      }),
    ),
  }),
  refusals: ['not-found'],
  answer: async ({ body, actor, ...request }) => ({
    resent: await resendDeliveries(request, actor.accountId, body.event_ids),
  }),
})

export const deliveryEndpoints = [list, resend]

/**
 * Sends each payment once more that these deliveries told of, and says of each whether it is. Refuses `not-found` when
 * one of them is not the account's, before anything is sent.
 */
export const resendDeliveries = async (
  { flow, queries }: { readonly flow: UseCaseContext; readonly queries: Queries },
  accountId: string,
  eventIds: readonly string[],
) => {
  const named = new Set(eventIds)
  const rows = await queries.deliveriesNamed(accountId, [...named])
  if (rows.length < named.size)
    return refuse('not-found', 'There is no such delivery in this account. Look for it in GET /v1/webhook/deliveries.')
  const resent: { transaction_id: string; event_id: string | null; refused: string | null }[] = []
  for (const transactionId of new Set(rows.map((row) => row.transactionId))) {
    const eventId = flow.world.secret(16)
    try {
      await scheduleResend(flow.ledger, eventId, { accountId, transactionId })
      resent.push({ transaction_id: transactionId, event_id: eventId, refused: null })
    } catch (error) {
      if (!isRefusal(error, 'transaction-not-found', 'state-forbids', 'no-webhook-url')) throw error
      resent.push({ transaction_id: transactionId, event_id: null, refused: sentenceOf(error) })
    }
  }
  return resent
}
