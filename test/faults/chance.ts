/** Chance that can be repeated: the same seed gives the same plan of faults and moments. */
export type Chance = {
  /** From 0 (included) to 1 (not included). */
  next(): number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  pick<T>(from: readonly [T, ...T[]]): T
  /** Chance of its own for a part, so that what one part draws does not move the others. */
  fork(part: string): Chance
}

export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0
  // Mulberry32: small, and good enough to spread moments.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    pick: (from) => from[between(0, from.length - 1)] ?? from[0],
    fork: (part) => chanceOf([...part].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed)),
  }
}
