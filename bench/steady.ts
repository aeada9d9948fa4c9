/**
 * Whether the machine was the same before and after a round. The answers a second of Koa alone are what is looked at:
 * our own code cannot move them.
 */

/** The share by which it may move while a round counts. */
const MOVED_MAX = 0.05
/** Rounds that may be dropped for each that is wanted; after that they count as they are, and the report says so. */
const DROPPED_MAX = 2

/** Answers how fast the machine is now, in answers a second. */
export type Pace = () => Promise<number>

/** Rounds that were dropped; `unsteady` are those that counted although the machine moved, once enough were dropped. */
export type Steadiness = { readonly dropped: number; readonly unsteady: number }

/** Does `round` until it has counted `rounds` times, between two looks at the machine each. */
export const steadily = async <T>(
  rounds: number,
  pace: Pace,
  round: (number: number) => Promise<T>,
  say: (line: string) => void,
): Promise<Steadiness & { readonly counted: readonly T[] }> => {
  const counted: T[] = []
  let [dropped, unsteady] = [0, 0]
  while (counted.length < rounds) {
    const before = await pace()
    const figures = await round(counted.length)
    const moved = Math.abs((await pace()) - before) / before
    if (moved > MOVED_MAX && dropped < rounds * DROPPED_MAX) {
      dropped++
      say(`a round is dropped: Koa alone moved by ${(moved * 100).toFixed(1)} % in it`)
      continue
    }
    if (moved > MOVED_MAX) unsteady++
    counted.push(figures)
  }
  return { counted, dropped, unsteady }
}
