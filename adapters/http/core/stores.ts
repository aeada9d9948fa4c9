import { z } from 'zod'
import { storeOf as storeIn } from '../../../domain/account/stores.ts'
import { DEFAULT_STORE } from '../../../domain/kernel/in-store.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { inScope } from './actor.ts'
import type { Actor } from './endpoint.ts'

/** The stores that a call names, or to which it assigns what it makes. */

const STORES_MAX = 2_147_483_647

/** The number of a store, as an optional field of what is made. */
export const StoreId = z.int().min(1).max(STORES_MAX)

/** The number of a store as text, in a query or a form. */
export const StoreNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'has to be the number of a store')
  .transform(Number)

/**
 * Refuses `store-not-found` for a store that the key is not for: to the key, it does not exist, like one of another
 * tenant (J-AUTH-04).
 */
export const mayName = (actor: Actor, storeId: number): void => {
  if (!inScope(actor, storeId)) refuse('store-not-found')
}

/**
 * The store that was asked for, else the first that the key is limited to, else the default one (J-AUTH-04). Refuses
 * `forbidden` outside of its scope, and `store-not-found`.
 */
export const storeOf = async ({ ledger }: UseCaseContext, actor: Actor, asked: number | undefined): Promise<number> => {
  const storeId = asked ?? actor.storeScope?.[0] ?? DEFAULT_STORE
  if (!inScope(actor, storeId))
    return refuse(
      'forbidden',
      `This key may not act for the store ${storeId}. Name a store of its store_scope, or use another key.`,
    )
  // The default one is always there, and need not be looked up.
  if (storeId !== DEFAULT_STORE) storeIn(await ledger.stores.read(actor.accountId), storeId)
  return storeId
}
