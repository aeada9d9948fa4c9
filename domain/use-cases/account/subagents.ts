import { newApiKey } from '../../account/keys/api-key.ts'
import { mustEndLater } from '../../account/keys/key-limits.ts'
import { upgradeFee } from '../../account/members/seats.ts'
import { SEAT_PRICES } from '../../account/roles.ts'
import {
  type Agent,
  agentOf,
  agentOfKey,
  type GrantsChange,
  grantsAfter,
  type SubagentGrants,
} from '../../account/team.ts'
import { deletedOr, isRefusal, refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { buySeat, mustKnowStores } from './seat-orders.ts'

/**
 * Sub-keys are made, changed and given new secrets by the owner; what a seat costs is paid from the prepaid credit
 * (K-SUB-01 to K-SUB-07).
 */

export type NumberedAgent = Agent & { readonly number: number }

/**
 * A sub-key that was just made, or has a new secret: `apiKey` is never shown again (X-ONCE-01). Money is in millionths
 * of a US dollar.
 */
type FreshSubagent = { apiKey: string; agent: NumberedAgent; fee: bigint; balance: bigint }

/**
 * Makes a sub-key on a free seat, or pays for one more. Refuses `store-not-found`, `too-many-keys`,
 * `insufficient-credit`.
 */
export const createSubagent = async (
  flow: UseCaseContext,
  accountId: string,
  grants: SubagentGrants,
): Promise<FreshSubagent> => {
  const { ledger, world } = flow
  await mustKnowStores(flow, accountId, grants.storeScope)
  const { apiKey, kept } = newApiKey(world, 'sa')
  const wish = { ...kept, ...grants }
  const free = await ledger.team.create(accountId, wish).catch((error: unknown) => {
    if (isRefusal(error, 'insufficient-credit')) return undefined
    throw error
  })
  const fee = free ? 0n : SEAT_PRICES[grants.role]
  const { state } = free ?? (await buySeat(flow, accountId, fee, { id: world.id('so'), kind: 'create', ...wish }))
  const agent =
    agentOfKey(state, kept.keyId) ?? refuse('subagent-not-found', 'The sub-key was deleted at once. Make another one.')
  return { apiKey, agent, fee, balance: await balanceOf(flow, accountId) }
}

/** Gives a sub-key a new secret; the old one stops at once (K-SUB-04). Refuses `subagent-not-found`. */
export const rotateSubagent = async (
  flow: UseCaseContext,
  accountId: string,
  number: number,
): Promise<FreshSubagent> => {
  const { apiKey, kept } = newApiKey(flow.world, 'sa')
  const { state } = await flow.ledger.team.rotate(accountId, { number, ...kept })
  return { apiKey, agent: { ...agentOf(state, number), number }, fee: 0n, balance: await balanceOf(flow, accountId) }
}

/**
 * Changes what is given. When the seat was never paid for the new role, the difference is paid first; the part that is
 * not needed after all, because another call was quicker, is paid back. Refuses `subagent-not-found`,
 * `store-not-found`, `insufficient-credit`, an end that is over.
 */
export const changeSubagent = async (
  flow: UseCaseContext,
  accountId: string,
  number: number,
  wish: GrantsChange,
): Promise<{ agent: NumberedAgent; fee: bigint }> => {
  const { ledger, world } = flow
  if (wish.storeScope) await mustKnowStores(flow, accountId, wish.storeScope)
  const before = agentOf(await ledger.team.read(accountId), number)
  const { role, permissions } = grantsAfter(before, wish)
  mustEndLater(wish, world.now().toISOString(), before)
  const fee = upgradeFee(before, SEAT_PRICES[role])
  // The order names the whole role and its permissions, so that it can be carried out whatever the sub-key is by then.
  const order = { ...wish, id: world.id('so'), kind: 'change', number, role, permissions } as const
  const { state } =
    fee > 0n ? await buySeat(flow, accountId, fee, order) : await ledger.team.change(accountId, { ...wish, number })
  return { agent: { ...agentOf(state, number), number }, fee }
}

/** Deletes a sub-key. Refuses `subagent-not-found`, also for one that was deleted before. */
export const deleteSubagent = async ({ ledger }: UseCaseContext, accountId: string, number: number): Promise<void> => {
  deletedOr(await ledger.team.delete(accountId, { number }), 'subagent-not-found')
}

const balanceOf = async ({ ledger }: UseCaseContext, accountId: string): Promise<bigint> =>
  (await ledger.creditAccount.read(accountId)).balance
