import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { Step } from '../../../../domain/reading/life.ts'
import { LIFE_EVENTS_MAX } from '../../../../projections/audit/timeline-queries.ts'
import { endpoint } from '../../core/endpoint.ts'
import { everOwn } from '../../core/own-transaction.ts'
import { reads } from './fields.ts'

/** What became of one payment, from its challenge to what was delivered about it, with cause and effect. */

const PHASES = [
  ...(['challenge', 'payment', 'settlement', 'billing', 'transaction', 'delivery'] as const),
  ...(['letter', 'relay', 'chain', 'balance', 'other'] as const),
] as const satisfies readonly Step['phase'][]

const LifeStep = z
  .object({
    number: z.int(),
    position: z.string(),
    at: z.string(),
    elapsed_ms: z.number().nullable().describe('Since the step before.'),
    type: z.string(),
    stream: z.string(),
    revision: z.string(),
    event_id: z.string(),
    correlation_id: z.string(),
    actor: z.string(),
    phase: z.enum(PHASES),
    because: z.int().nullable().describe('The number of the step that brought it about.'),
    facts: z.record(z.string(), z.string()),
    own: z.boolean().describe('Whether the event is the account’s own; a block that was read is nobody’s.'),
  })
  .meta({ id: 'LifeStep' })

const life = endpoint({
  ...reads,
  callers: { capability: 'audit.view', sandbox: 'secret' },
  reach: 'store',
  path: '/v1/audit/transactions/:transaction_id',
  summary: 'The life of a transaction: every event from its challenge to its deliveries, oldest first',
  params: z.object({ transaction_id: z.string().max(64) }),
  returns: z.object({
    transaction_id: z.string(),
    status: z.enum(['pending', 'completed', 'rejected', 'none']),
    test: z.boolean(),
    refunded: z.boolean(),
    refund_sent: z.boolean(),
    deleted: z.boolean(),
    duration_ms: z.number(),
    complete: z.boolean().describe(`False when there are more than ${LIFE_EVENTS_MAX} events.`),
    steps: z.array(LifeStep),
  }),
  refusals: ['transaction-not-found', 'unavailable'],
  async answer({ params: { transaction_id: id }, actor, flow, queries, audit }) {
    await everOwn(flow.ledger, actor, id)
    const found = await audit.life(id, actor.accountId)
    if (!found) return refuse('transaction-not-found')
    const { status, test, refunded, refundSent, deleted, durationMs, steps } = found
    const positions = steps.map(({ position }) => position)
    const own = new Set(await queries.ownPositions(actor.accountId, positions))
    return {
      transaction_id: id,
      status,
      test,
      refunded,
      refund_sent: refundSent,
      deleted,
      duration_ms: durationMs,
      complete: steps.length < LIFE_EVENTS_MAX,
      steps: steps.map((step) => ({ ...shown(step), own: own.has(step.position) })),
    }
  },
})

const shown = ({ elapsedMs, eventId, correlationId, depth: _, ...step }: Step) => ({
  ...step,
  elapsed_ms: elapsedMs,
  event_id: eventId,
  correlation_id: correlationId,
})

export const lifeEndpoints = [life]
