/**
 * Work in lanes: one at a time within a lane, in the order of the calls; different lanes side by side, up to a bound.
 */
import { TooBusy } from './patience.ts'
import { slots } from './slots.ts'

export type LaneRunner = <T>(lane: string, work: () => Promise<T>) => Promise<T>

/**
 * `atOnce` pieces of work run together over all lanes, `waiting` more may wait; beyond that a call rejects and nothing
 * was done.
 */
export const lanes = (atOnce: number, waiting: number, what: string): LaneRunner => {
  const tails = new Map<string, Promise<unknown>>()
  // Work that waits for a slot is counted below already, together with work that waits for its lane.
  const slot = slots(atOnce, Number.POSITIVE_INFINITY, what)
  let taken = 0
  return async (lane, work) => {
    if (taken >= atOnce + waiting) throw new TooBusy(`more than ${waiting} ${what} wait for the store`)
    taken++
    const before = tails.get(lane)
    const turn = before ? before.then(() => slot(work)) : slot(work)
    const tail = turn.then(
      () => undefined,
      () => undefined,
    )
    tails.set(lane, tail)
    try {
      return await turn
    } finally {
      taken--
      if (tails.get(lane) === tail) tails.delete(lane)
    }
  }
}
