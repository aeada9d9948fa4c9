import { keepRows } from '../../adapters/following/kept-rows.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { changedKeys } from '../../projections/engine/changed-keys.ts'
import type { Queries } from '../../projections/index.ts'
import { resourcesProjection } from '../../projections/selling/resources.ts'

/** The rows that stand in the way of every request: whose key it is, and what the door sells. */
export const keepHotRows = (
  { apiKey, resource, resourceByCheckout }: Pick<Queries, 'apiKey' | 'resource' | 'resourceByCheckout'>,
  /** How far a read model has come. */
  at: (readModel: string) => bigint,
) => {
  const keys = keepRows({
    read: apiKey,
    changedBy: changedKeys(accountsProjection, 'api_keys'),
    at: () => at(accountsProjection.name),
  })
  const resources = keepRows({
    read: resource,
    changedBy: changedKeys(resourcesProjection, 'resources'),
    at: () => at(resourcesProjection.name),
  })
  // Which resource a checkout sells never changes; whether it still sells is known by the resource.
  const sold = keepRows({ read: resourceByCheckout, changedBy: () => [], at: () => at(resourcesProjection.name) })
  return {
    queries: {
      apiKey: keys.read,
      resource: resources.read,
      async resourceByCheckout(checkoutId: string) {
        const known = await sold.read(checkoutId)
        return known && resources.read(known.resId)
      },
    },
    arrived(page: readonly RecordedEvent[]) {
      for (const rows of [keys, resources]) rows.arrived(page)
    },
  }
}
