import { z } from 'zod'
import { ACT_KINDS, ACTOR_KINDS } from '../../../../domain/reading/activity.ts'
import type { ShownAct } from '../../../../projections/audit/activity.ts'
import { endpoint } from '../../core/endpoint.ts'
import { count } from '../common/paging.ts'
import { ActivityPlace, activityFilters, activityPage } from './activity-rows.ts'
import { reads } from './fields.ts'

/** Who did what in the account, and from where. */

const ROWS_DEFAULT = 50
const ROWS_MAX = 500

const ActShape = z
  .object({
    at: z.string(),
    act: z.string(),
    kind: z.enum(ACT_KINDS),
    by: z.enum(ACTOR_KINDS),
    actor: z.string(),
    actor_name: z.string(),
    subject: z.string(),
    transaction_id: z.string().nullable(),
    network: z.string().nullable(),
    position: z.string(),
  })
  .meta({
    id: 'AccountAct',
    description:
      'What a person or a key did. `act` is the name of its event (/docs/events). `actor`: the id of the member or the key; empty where `by` says it all. `subject`: what it was done to. `network`: from where, as far as its event tells; it is sealed for the account and gone once that is erased. `position` leads to the event: `GET /v1/audit/events/{position}`.',
  })

const list = endpoint({
  ...reads,
  path: '/v1/activity',
  summary: 'Who did what in the account and from where, newest first',
  query: z.object({ ...activityFilters, limit: count(ROWS_MAX).optional(), before: ActivityPlace.optional() }),
  returns: z.object({ acts: z.array(ActShape), next: z.string().nullable() }),
  async answer({ query: { limit = ROWS_DEFAULT, before, ...wish }, actor: { accountId }, flow, queries }) {
    if (limit === 0) return { acts: [], next: null }
    const { rows, next } = await activityPage(flow, queries, accountId, wish, { limit, before })
    return { acts: rows.map(shown), next }
  },
})

export const activityEndpoints = [list]

const shown = ({ actorKind: by, actorId: actor, actorName: actor_name, transactionId, ...act }: ShownAct) => ({
  ...act,
  by,
  actor,
  actor_name,
  transaction_id: transactionId,
})
