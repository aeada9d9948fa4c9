import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { isNamed, numberNamed } from '../../../../domain/selling/checkout.ts'
import {
  LANDERS_MAX,
  type Lander,
  type LanderTemplate,
  landerFor,
  landerOf,
} from '../../../../domain/storefront/landers.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { landerSlots } from '../../../../domain/use-cases/storefront/lander-slots.ts'
import { inScope } from '../../core/actor.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { givenFacts, LanderEdit, LanderRecord, landerRecord, NewLander, WholeLander } from './lander-shape.ts'

/** Landing pages, each for a saved payment link (S-LAN-01 to S-LAN-05, S-LAN-07). */

/** The number of a lander as text, in a query. */
export const LanderNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'has to be the number of a lander')
  .transform(Number)

const named = z.object({ lander_id: LanderNumber })

const list = endpoint({
  method: 'get',
  path: '/v1/landers',
  summary: 'Landing pages, newest first',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'landers.view' },
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
  callers: { capability: 'landers.view' },
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
  callers: { capability: 'landers.edit' },
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
  callers: { capability: 'landers.edit' },
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
  callers: { capability: 'landers.edit' },
  query: named,
  returns: z.object({ deleted: z.literal(true), id: z.int() }),
  refusals: ['lander-not-found'],
  async answer({ query: { lander_id }, actor, flow }) {
    await deleteLander(flow, actor, lander_id)
    return { deleted: true as const, id: lander_id }
  },
})

/** The account and the stores whose rows a key reads. */
export const rowOwnerOf = ({ accountId, storeScope }: Actor) => ({ accountId, stores: storeScope })

export const landerEndpoints = [list, one, create, change, remove]

/**
 * What a seller does with its landing pages. A lander belongs to the store of its payment link, wherever that moves
 * (J-AUTH-04).
 */

/**
 * Makes a lander and answers its number. Refuses `lander-not-found`, also for a payment link that was deleted, and
 * `no-free-lander-slots` (S-LAN-03, S-LAN-04).
 */
const createLander = async (
  flow: UseCaseContext,
  actor: Actor,
  named: string,
  tpl: LanderTemplate,
): Promise<number> => {
  const { ledger } = flow
  const { accountId } = actor
  const checkoutId = numberNamed(named) ?? noLander()
  const checkout = await ledger.checkout.read(checkoutId)
  if (checkout.status !== 'saved' || checkout.accountId !== accountId || !isNamed(checkout, named)) return noLander()
  // A lander is a public page in the market, where nothing is sold for play.
  if (!inScope(actor, checkout.storeId) || checkout.test) return noLander()
  const slots = await landerSlots(flow, accountId)
  const { state } = await ledger.landers.create(accountId, { checkoutId, tpl, slots })
  return landerFor(state, checkoutId)?.landerId ?? noLander()
}

const editLander = async (
  { ledger }: UseCaseContext,
  actor: Actor,
  landerId: number,
  edit: z.output<typeof LanderEdit>,
): Promise<void> => {
  await ownLander(ledger, actor, landerId)
  await ledger.landers.change(actor.accountId, { landerId, facts: givenFacts(edit) })
}

const deleteLander = async ({ ledger }: UseCaseContext, actor: Actor, landerId: number): Promise<void> => {
  await ownLander(ledger, actor, landerId)
  await ledger.landers.delete(actor.accountId, { landerId })
}

const noLander = (): never => refuse('lander-not-found')

/** A lander that the key may touch, also when its payment link was deleted. */
const ownLander = async (ledger: UseCaseContext['ledger'], actor: Actor, landerId: number): Promise<Lander> => {
  const lander = landerOf(await ledger.landers.read(actor.accountId), landerId)
  if (actor.storeScope === undefined) return lander
  const checkout = await ledger.checkout.read(lander.checkoutId)
  return checkout.status !== 'none' && inScope(actor, checkout.storeId) ? lander : noLander()
}
