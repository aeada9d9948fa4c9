import type { Queries } from '../../../projections/index.ts'
import type { Actor } from '../core/endpoint.ts'

/** Pending transactions that one call looks for; older ones are looked for one by one. */
const PENDING_MAX = 50

/** The newest pending transactions that a key may see. */
export const pendingOf = async (queries: Queries, actor: Actor): Promise<readonly string[]> => {
  const filter = { status: 'P', stores: actor.storeScope, ...(actor.testOnly && { test: true }) }
  return (await queries.transactions(actor.accountId, filter, PENDING_MAX, 0)).map(({ id }) => id)
}
