import type { Progress } from '../../domain/kernel/following.ts'
import type { Stops } from './stops.ts'

/** A follower that somebody waited for, and that has not moved for so long, is not waited for any more. */
const STANDING_AFTER_MS = 10_000
/** How often somebody who waits for a follower looks whether it has stopped. */
const STOP_LOOK_MS = 500

/**
 * Waits for followers, one after the other: while the first is waited for, the rest come up by themselves, and each
 * wait costs a timer. One that stands at an event that cannot be read, or that has not moved for long, is not waited
 * for until it moves: every call would be as late as that.
 */
export const patientOnes = (progress: ReadonlyMap<string, Progress>, stops: Pick<Stops, 'all'>) => {
  /** The followers that somebody has waited for in vain, since when they have not moved, and where they stand. */
  const standing = new Map<string, { readonly at: bigint; readonly since: number }>()
  const waited = async (name: string, position: bigint, waitMs: number, ask: () => void): Promise<boolean> => {
    const own = progress.get(name)
    if (!own) return false
    const at = own.passed()
    const stood = standing.get(name)
    if (stood && stood.at !== at) standing.delete(name)
    else if (stood && performance.now() - stood.since >= STANDING_AFTER_MS) return at >= position
    const since = performance.now()
    for (let left = waitMs; ; left = waitMs - (performance.now() - since)) {
      // One that has gone on past the event that it stopped at is waited for as ever.
      if (stops.all().has(name) && own.passed() === own.at()) return own.passed() >= position
      ask()
      // In short waits, because a stop may be found meanwhile, and what was asked for may be lost.
      if (await own.reached(position, Math.max(0, Math.min(left, STOP_LOOK_MS)))) return true
      if (left <= STOP_LOOK_MS) break
    }
    if (own.passed() === at && !standing.has(name)) standing.set(name, { at, since })
    return false
  }
  const hasReached = (name: string, position: bigint) => (progress.get(name)?.passed() ?? NOWHERE) >= position
  /** `ask` is called whenever somebody begins to wait, and again from time to time: the followers may run elsewhere. */
  return async (names: readonly string[], position: bigint, waitMs: number, ask: () => void): Promise<boolean> => {
    // Every call waits here, and mostly for nobody.
    const behind = names.filter((name) => !hasReached(name, position))
    if (behind.length === 0) return true
    const until = performance.now() + waitMs
    let all = true
    for (const name of behind) all = (await waited(name, position, Math.max(0, until - performance.now()), ask)) && all
    return all
  }
}

/** Before every position: where a follower stands that nobody knows. */
const NOWHERE = -2n
