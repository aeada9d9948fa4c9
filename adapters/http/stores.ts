import { z } from 'zod'
import { storeOf as storeIn } from '../../domain/account/stores.ts'
import type { Flow } from '../../domain/flows/flow.ts'
import { refuse } from '../../domain/refusal.ts'
import { DEFAULT_STORE } from '../../domain/sell/in-store.ts'
import { inScope } from './actor.ts'
import type { Actor } from './endpoint.ts'

/** Of which store something is that a key makes. */

const STORES_MAX = 2_147_483_647

/** The number of a store, as an optional field of what is made. */
export const StoreId = z.int().min(1).max(STORES_MAX)

/**
 * The store that was asked for, else the first that the key is limited to, else the default one (J-AUTH-04). Refuses `forbidden` outside of
 * its scope, and `store-not-found`.
 */
export const storeOf = async ({ ledger }: Flow, actor: Actor, asked: number | undefined): Promise<number> => {
  const storeId = asked ?? actor.storeScope?.[0] ?? DEFAULT_STORE
  if (!inScope(actor, storeId)) return refuse('forbidden', `This key may not act for the store ${storeId}.`)
  if (storeId !== DEFAULT_STORE) storeIn(await ledger.stores.read(actor.accountId), storeId)
  return storeId
}
