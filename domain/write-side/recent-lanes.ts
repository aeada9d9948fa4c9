import { isIdleLane, type Lane } from './lane.ts'

/**
 * The lanes that were used lately. One with work under way is never forgotten: a second lane beside it would lose every
 * race against it.
 */
export type RecentLanes = {
  get(stream: string): Lane | undefined
  /** In the place of the lane that the stream had before. */
  keep(lane: Lane): void
  forget(stream: string): void
}

/**
 * Keeps at least the `kept` most recently used lanes, and at most twice as many that are idle. Two generations instead
 * of an exact order, because taking the oldest key out of a large Map again and again gets slower with every key that
 * was taken before.
 */
export const recentLanes = (kept: number): RecentLanes => {
  let young = new Map<string, Lane>()
  let old = new Map<string, Lane>()
  let full = kept
  const keep = (lane: Lane) => {
    young.set(lane.stream, lane)
    if (young.size < full) return
    const busy = [...old].filter(([stream, each]) => !isIdleLane(each) && !young.has(stream))
    old = young
    young = new Map(busy)
    full = kept + busy.length
  }
  return {
    get: (stream) => {
      const lane = young.get(stream)
      if (lane) return lane
      const older = old.get(stream)
      if (older) keep(older)
      return older
    },
    keep,
    forget: (stream) => {
      young.delete(stream)
      old.delete(stream)
    },
  }
}
