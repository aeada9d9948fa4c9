/** Positions of one log as positions of its copy. */

/**
 * Learns from each pair of positions, in order, where followers that stand at `wanted` (rising) stand in the copy. A
 * follower may stand between two events; it has then come to the one before.
 */
export const placesOf = (wanted: readonly bigint[]) => {
  const places = new Map<bigint, bigint>()
  const left = [...wanted]
  let last = { original: -1n, copy: -1n }
  const settleBelow = (position: bigint) => {
    for (let next = left[0]; next !== undefined && next < position; next = left[0]) {
      places.set(next, last.copy)
      left.shift()
    }
  }
  return {
    pair(original: bigint, copy: bigint) {
      settleBelow(original)
      last = { original, copy }
    },
    /** The positions that were learnt, and those of followers that have seen more. */
    known(): { known: ReadonlyMap<bigint, bigint>; beyond: readonly bigint[] } {
      settleBelow(last.original + 1n)
      return { known: places, beyond: left }
    },
    /** Throws when a follower stands beyond the last pair: what it has seen is not in this log. */
    done(): ReadonlyMap<bigint, bigint> {
      settleBelow(last.original + 1n)
      if (left.length > 0)
        throw new Error(
          `the database has come to position ${left.at(-1)}, beyond the end of the log at ${last.original}`,
        )
      return places
    },
  }
}
