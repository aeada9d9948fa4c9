import { quarantinedBy } from '../../domain/audit/quarantine.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { recentMap } from '../../domain/kernel/recent-map.ts'
import type { LedgerEvent } from '../../domain/write-side/deciders.ts'
import { saleOf } from '../../projections/selling/resources.ts'
import { changesRow } from './passing.ts'

export type SoldBefore = {
  /**
   * Whether an event changes a row that every process keeps, so that all have to hear of it before it is answered, and
   * before anything is that rests on it.
   */
  changesRow(event: LedgerEvent | RecordedEvent): boolean
  /** Called with everything that arrives. */
  arrived(page: readonly RecordedEvent[]): void
}

/** Resources of which a sale is remembered; up to twice as many. */
const SOLD_KEPT = 10_000

/**
 * Tells the sales that other processes need not have heard of before they are answered (N-173). The first sale of a
 * resource is what a door says 402 or 200 by. Once all have heard of one, the next ones change only when it was last
 * sold, which a door may know a moment later.
 */
export const soldBefore = (hasHeard: (position: bigint) => boolean): SoldBefore => {
  /** The position of a sale of each resource, by its id. */
  let sold = recentMap<bigint>(SOLD_KEPT)
  const isKnown = (resId: string): boolean => {
    const position = sold.get(resId)
    return position !== undefined && hasHeard(position)
  }
  return {
    changesRow(event) {
      const sale = saleOf(event)
      if (!sale || isUnreadable(event)) return changesRow(event.type)
      return sale.data.resId !== null && !isKnown(sale.data.resId)
    },
    arrived(page) {
      for (const event of page) {
        // A sale that is set aside was none.
        if (quarantinedBy(event)) sold = recentMap(SOLD_KEPT)
        const resId = isUnreadable(event) ? undefined : saleOf(event)?.data.resId
        if (typeof resId === 'string' && sold.get(resId) === undefined) sold.set(resId, event.position)
      }
    },
  }
}

const isUnreadable = (event: LedgerEvent | RecordedEvent): boolean =>
  'unreadable' in event && event.unreadable !== undefined
