import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { Queries } from '../../../../projections/index.ts'
import { endpoint } from '../../core/endpoint.ts'
import { deliveriesPage, deliveryPage, deliveryPath } from '../../pages/developer/deliveries.ts'
import { seeOther } from '../../pages/people-page.ts'
import { ClientId, ofOwners, ownApp } from './own-app.ts'

/** The notifications that were sent to an app of the user's, and sending one again (A-RCP-06). */

const PAGE = 50
const PAGES_MAX = 2_000

const log = endpoint({
  ...ofOwners,
  path: '/account/developer/deliveries',
  method: 'get',
  summary: 'What was sent to an app of the user',
  query: z.object({ client_id: ClientId, page: z.coerce.number().int().min(1).max(PAGES_MAX).default(1) }),
  async answer({ query, flow, queries, actor }) {
    const { client_id: clientId, page } = query
    const { name } = await ownApp(flow, clientId, actor.sub)
    const rows = await queries.notifications(clientId, {}, { limit: PAGE + 1, offset: (page - 1) * PAGE })
    const next = rows.length > PAGE ? page + 1 : undefined
    return deliveriesPage({ csrf: actor.csrf, clientId, name, rows: rows.slice(0, PAGE), next })
  },
})

const one = {
  path: '/account/developer/delivery',
  query: z.object({
    client_id: ClientId,
    event_id: z.string().regex(/^[0-9a-f]{32}$/),
    done: z.literal('1').optional(),
  }),
}

const look = endpoint({
  ...ofOwners,
  ...one,
  method: 'get',
  summary: 'One notification with every attempt',
  async answer({ query, flow, queries, actor }) {
    await ownApp(flow, query.client_id, actor.sub)
    const row = await notificationOf(queries, query)
    return deliveryPage({ csrf: actor.csrf, row, done: query.done && 'It is being sent again.' })
  },
})

const replay = endpoint({
  ...ofOwners,
  ...one,
  method: 'post',
  summary: 'Sends a notification again',
  body: z.object({ csrf: z.string().max(100) }),
  async answer({ query, flow, queries, actor }) {
    await ownApp(flow, query.client_id, actor.sub)
    const { eventId } = await notificationOf(queries, query)
    await flow.ledger.notification.replay(eventId, {})
    return seeOther(`${deliveryPath(query.client_id, eventId)}&done=1`)
  },
})

export const deliveryEndpoints = [log, look, replay]

const notificationOf = async (queries: Queries, asked: { client_id: string; event_id: string }) => {
  const row = await queries.notification(asked.event_id)
  return row?.clientId === asked.client_id
    ? row
    : refuse('not-found', 'Nothing was sent under this id. Look for it among the deliveries of the app.')
}
