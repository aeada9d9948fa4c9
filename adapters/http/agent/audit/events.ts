import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { TimelineRow } from '../../../../projections/audit/timeline-queries.ts'
import { endpoint } from '../../core/endpoint.ts'
import { page } from '../common/paging.ts'
import { From, To } from '../common/times.ts'
import { Position, reads, Text } from './fields.ts'

/** Every event of the caller's account, searched, and each as it is stored. */

const TimelineEvent = z
  .object({
    position: z.string(),
    at: z.string(),
    type: z.string(),
    stream: z.string(),
    revision: z.string(),
    event_id: z.string(),
    actor: z.string(),
    correlation_id: z.string(),
    causation_id: z.string().nullable(),
    transaction_id: z.string().nullable(),
  })
  .meta({ id: 'TimelineEvent', description: 'One event of the log by its names; what it says is in its line.' })

const list = endpoint({
  ...reads,
  path: '/v1/audit/events',
  summary: 'The events of the account, newest first',
  query: z.object({
    type: Text,
    stream: Text,
    transaction_id: Text,
    correlation_id: Text,
    q: Text,
    from: From.optional(),
    to: To.optional(),
    before: Position.optional(),
    limit: page.query.limit,
  }),
  returns: z.object({
    events: z.array(TimelineEvent),
    next: z.string().nullable().describe('`before` of the next page; null when the account has no older events.'),
  }),
  async answer({ query: { stream, transaction_id, correlation_id, q, limit, ...rest }, actor, queries }) {
    const filter = {
      ...rest,
      account: actor.accountId,
      streamPrefix: stream,
      transaction: transaction_id,
      correlationId: correlation_id,
      text: q,
    }
    const { rows, next } = await queries.searchTimeline(filter, page.of({ limit }).limit)
    return { events: rows.map(shownEvent), next }
  },
})

const one = endpoint({
  ...reads,
  path: '/v1/audit/events/:position',
  summary: 'One event as it is stored: the line that seals are made over. What is sealed in it stays so',
  params: z.object({ position: Position }),
  returns: TimelineEvent.extend({ line: z.string() }).meta({ id: 'StoredEvent' }),
  refusals: ['not-found', 'unavailable'],
  async answer({ params: { position }, actor, queries, audit }) {
    const row = await queries.timelineAt(position, actor.accountId)
    const line = row && (await audit.lineOf(row.stream, BigInt(row.revision)))
    if (!row || line === undefined)
      return refuse(
        'not-found',
        'There is no event of this account at that place. Look for it in GET /v1/audit/events.',
      )
    return { ...shownEvent(row), line }
  },
})

const shownEvent = (row: TimelineRow) => ({
  position: row.position,
  at: row.at,
  type: row.type,
  stream: row.stream,
  revision: row.revision,
  event_id: row.eventId,
  actor: row.actor,
  correlation_id: row.correlationId,
  causation_id: row.causationId,
  transaction_id: row.transactionId,
})

export const eventEndpoints = [list, one]
