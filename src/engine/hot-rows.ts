import { keepRows } from '../../adapters/following/kept-rows.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { changedKeys } from '../../projections/engine/changed-keys.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import type { Queries } from '../../projections/index.ts'
import { resourceAfter, resourcesProjection } from '../../projections/selling/resources.ts'
import { readModel } from './elsewhere.ts'

/** The tables whose rows are kept in memory: every process has to hear what changes them (`passing.ts`). */
export const HOT_TABLES = {
  keys: { projection: accountsProjection, table: 'api_keys' },
  stops: { projection: accountsProjection, table: 'accounts' },
  resources: { projection: resourcesProjection, table: 'resources' },
} as const satisfies Readonly<Record<string, HotTable>>

type HotTable = { readonly projection: Projection; readonly table: string }

export type HotQueries = Pick<Queries, 'apiKey' | 'accountStop' | 'resource' | 'resourceByCheckout'>

type Shown = {
  /** Resolves once the rows show what anybody was answered. */
  current(): Promise<unknown>
}

/** Where the followers are, and how to wait for read models. */
export type Followed = Shown & {
  /** Where a follower is in the log, by its name. */
  at(follower: string): bigint
  come(readModels: readonly string[], position: bigint): Promise<unknown>
}

/**
 * Keeps the rows that every request needs: the owner of a key and whether it may be used, and what a door sells. A
 * change of a key is answered once its rows show it; a sale is answered before, so that whoever reads what was sold
 * waits for it.
 */
export const keepHotRows = (
  { apiKey, accountStop, resource, resourceByCheckout }: HotQueries,
  followed: () => Followed,
  isFresh: () => boolean,
) => {
  const at = ({ name }: Projection) => {
    const follower = readModel(name)
    return () => followed().at(follower)
  }
  const keep = <Row>({ projection, table }: HotTable, read: (id: string) => Promise<Row | undefined>) => ({
    read,
    changedBy: changedKeys(projection, table),
    at: at(projection),
    isFresh,
  })
  const keys = keepRows(keep(HOT_TABLES.keys, apiKey))
  const stops = keepRows(keep(HOT_TABLES.stops, accountStop))
  const resources = keepRows({
    ...keep(HOT_TABLES.resources, resource),
    // Whatever sells well is sold again before its row could be read.
    changeBy: resourceAfter,
    come: (position) =>
      position === undefined ? followed().current() : followed().come([readModel(resourcesProjection.name)], position),
  })
  // Which resource a checkout sells never changes; whether it still sells is known by the resource.
  const sold = keepRows({
    read: resourceByCheckout,
    changedBy: () => [],
    at: at(resourcesProjection),
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

/**
 * Makes queries for one request that wait once, before the first of them that reads PostgreSQL: `current` resolves when
 * the rows show what anybody was answered. Rows that are kept in memory need no such wait.
 */
export const shownQueries =
  (queries: Queries, kept: HotQueries, { current }: Shown) =>
  (): Queries => {
    let coming: Promise<unknown> | undefined
    const come = () => (coming ??= current())
    return new Proxy(queries, {
      get(all, name, self) {
        const query: unknown = Reflect.get(all, name, self)
        if (typeof query !== 'function' || Object.hasOwn(kept, name)) return query
        return async (...given: unknown[]) => {
          await come()
          return query(...given)
        }
      },
    })
  }
