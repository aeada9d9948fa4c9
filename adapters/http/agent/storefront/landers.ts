import { z } from 'zod'
import { LANDERS_MAX } from '../../../../domain/storefront/landers.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { LanderEdit, LanderRecord, landerRecord, NewLander, WholeLander } from './lander-shape.ts'
import { createLander, deleteLander, editLander, noLander } from './own-landers.ts'

/** Landing pages, each for a saved payment link (S-LAN-01 to S-LAN-05, S-LAN-07). */

/** The number of a lander as text, in a query. */
export const LanderNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'the number of a lander')
  .transform(Number)

const named = z.object({ lander_id: LanderNumber })

const list = endpoint({
  method: 'get',
  path: '/v1/landers',
  summary: 'Landing pages, newest first',
  auth: 'key',
  reach: 'store',
  capability: 'landers.view',
  returns: z.object({ landers: z.array(LanderRecord) }),
  async answer({ actor, flow, queries }) {
    const rows = await queries.landers(rowOwnerOf(actor), LANDERS_MAX)
    return { landers: rows.map((row) => landerRecord(flow.origins.pay, row)) }
  },
})

const one = endpoint({
  method: 'get',
  path: '/v1/landers',
  when: { lander_id: true },
  summary: 'One landing page, with its text',
  auth: 'key',
  reach: 'store',
  capability: 'landers.view',
  query: named,
  returns: z.object({ lander: WholeLander }),
  refusals: ['lander-not-found'],
  async answer({ query: { lander_id }, actor, flow, queries }) {
    const row = (await queries.lander(rowOwnerOf(actor), lander_id)) ?? noLander()
    return { lander: { ...landerRecord(flow.origins.pay, row), body: row.body } }
  },
})

const create = endpoint({
  method: 'post',
  path: '/v1/landers',
  summary:
    'Make a landing page for a saved payment link, which takes a lander slot; there is one for each, and it is answered again',
  auth: 'key',
  reach: 'store',
  capability: 'landers.edit',
  body: NewLander,
  returns: z.object({ lander_id: z.int() }),
  refusals: ['lander-not-found', 'no-free-lander-slots', 'too-many-entries'],
  answer: async ({ body, actor, flow }) => ({ lander_id: await createLander(flow, actor, body.checkout_id, body.tpl) }),
})

const change = endpoint({
  method: 'put',
  path: '/v1/landers',
  summary: 'Change a landing page; fields that are not given stay',
  auth: 'key',
  reach: 'store',
  capability: 'landers.edit',
  query: named,
  body: LanderEdit,
  returns: z.object({ updated: z.literal(true), id: z.int() }),
  refusals: ['lander-not-found'],
  async answer({ query: { lander_id }, body, actor, flow }) {
    await editLander(flow, actor, lander_id, body)
    return { updated: true as const, id: lander_id }
  },
})

const remove = endpoint({
  method: 'delete',
  path: '/v1/landers',
  summary: 'Delete a landing page; its slot is free again',
  auth: 'key',
  reach: 'store',
  capability: 'landers.edit',
  query: named,
  returns: z.object({ deleted: z.literal(true), id: z.int() }),
  refusals: ['lander-not-found'],
  async answer({ query: { lander_id }, actor, flow }) {
    await deleteLander(flow, actor, lander_id)
    return { deleted: true as const, id: lander_id }
  },
})

/** Whose rows a key reads. */
export const rowOwnerOf = ({ accountId, storeScope }: Actor) => ({ accountId, stores: storeScope })

export const landerEndpoints = [list, one, create, change, remove]
