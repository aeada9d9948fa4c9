import { keepRows } from '../../adapters/following/kept-rows.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { changedKeys } from '../../projections/engine/changed-keys.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import type { Queries } from '../../projections/index.ts'
import { resourcesProjection } from '../../projections/selling/resources.ts'
import { readModel } from './elsewhere.ts'

/** The read models whose rows are kept in memory: every process has to hear what changes them. */
export const HOT_READ_MODELS: readonly Projection[] = [accountsProjection, resourcesProjection]

export type HotQueries = Pick<Queries, 'apiKey' | 'accountStop' | 'resource' | 'resourceByCheckout'>

/** Keeps the rows that every request needs: the owner of a key and whether it may be used, and what a door sells. */
export const keepHotRows = (
  { apiKey, accountStop, resource, resourceByCheckout }: HotQueries,
  positions: () => ReadonlyMap<string, bigint>,
  isFresh: () => boolean,
) => {
  const at = ({ name }: Projection) => positions().get(readModel(name)) ?? -1n
  const keep = <Row>(projection: Projection, table: string, read: (id: string) => Promise<Row | undefined>) =>
    keepRows({ read, changedBy: changedKeys(projection, table), at: () => at(projection), isFresh })
  const keys = keep(accountsProjection, 'api_keys', apiKey)
  const stops = keep(accountsProjection, 'accounts', accountStop)
  const resources = keep(resourcesProjection, 'resources', resource)
  // Which resource a checkout sells never changes; whether it still sells is known by the resource.
  const sold = keepRows({
    read: resourceByCheckout,
    changedBy: () => [],
    at: () => at(resourcesProjection),
    isFresh: () => true,
  })
  return {
    queries: {
      apiKey: keys.read,
      accountStop: stops.read,
      resource: resources.read,
      async resourceByCheckout(checkoutId: string) {
        const known = await sold.read(checkoutId)
        return known && resources.read(known.resId)
      },
    },
    arrived(page: readonly RecordedEvent[]) {
      for (const rows of [keys, stops, resources]) rows.arrived(page)
    },
  }
}
