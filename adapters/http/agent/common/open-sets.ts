import { recentMap } from '../../../../domain/kernel/recent-map.ts'
import { isRefusal, type Refusal } from '../../../../domain/kernel/refusal.ts'
import { LimitReached } from '../../../../domain/kernel/refusals/limits.ts'

/**
 * Sets that are remembered, and networks that are counted; up to twice as many. The set that nobody has asked for
 * longest is forgotten first, and is then minted afresh.
 */
const SETS_KEPT = 25_000
/** Fresh sets that one address may cause in a minute, over all resources. */
const MINTS_PER_MINUTE_MAX = 600
const MINUTE_MS = 60_000
/**
 * Milliseconds for which a set is remembered that lacks a coin which may be there in a moment; not fewer, because each
 * new set holds amounts.
 */
const INCOMPLETE_LIFE_MS = 300_000
/**
 * Milliseconds for which a network that was refused a set gets the same refusal again: looking through what it holds
 * costs more than asking does.
 */
const REFUSED_MS = 2_000

const TOO_MANY = 'Too many new challenges. Try again in a minute.'

/**
 * Remembers what was last opened for a (resource, caller), so that asking again within its half-life opens nothing new.
 */
export const createOpenSets = <T extends { incomplete?: true }>(halfLifeMs: number) => {
  const sets = recentMap<RememberedSet<T>>(SETS_KEPT)
  /** The last refusal, keyed by the resource and the caller's network. */
  const refused = recentMap<{ error: Refusal; at: number }>(SETS_KEPT)
  const minted = recentMap<{ count: number; since: number }>(SETS_KEPT)

  const spend = (ip: string, now: number) => {
    const spent = minted.get(ip)
    if (!spent || now - spent.since >= MINUTE_MS) minted.set(ip, { count: 1, since: now })
    else if (++spent.count > MINTS_PER_MINUTE_MAX)
      throw new LimitReached('calls.newChallenges', (spent.since + MINUTE_MS - now) / 1_000, TOO_MANY)
  }

  return {
    /**
     * `terms` is what the set depends on: when it changes (a new address, a paused coin), a new set is opened. A new
     * one is also opened once the set was paid: otherwise a second buyer behind the same address would pay for what is
     * settled already.
     */
    async of(asked: SetRequest, open: () => Promise<T>, isUnpaid: (value: T) => Promise<boolean>) {
      const { resource, ip, caller, terms, now } = asked
      const key = `${resource} ${caller}`
      const isCurrent = (set: RememberedSet<T> | undefined) =>
        set !== undefined && set.terms === terms && now - set.openedAt < set.lifeMs
      const known = sets.get(key)
      if (known && isCurrent(known) && (await isUnpaid(await known.value))) return known.value
      // While this one looked, another call of the same caller may have opened the next set.
      const newer = sets.get(key)
      if (newer && newer !== known && isCurrent(newer)) return newer.value
      const before = refused.get(`${resource} ${ip}`)
      if (before && now - before.at < REFUSED_MS) throw before.error
      spend(ip, now)
      const value = open()
      const set = { value, openedAt: now, lifeMs: halfLifeMs, terms }
      sets.set(key, set)
      // What failed is not remembered: the next caller tries again.
      value.then(
        ({ incomplete }) => {
          if (incomplete) set.lifeMs = INCOMPLETE_LIFE_MS
        },
        (error: unknown) => {
          sets.delete(key)
          if (isRefusal(error, 'rate-limited')) refused.set(`${resource} ${ip}`, { error, at: now })
        },
      )
      return value
    },
  }
}

type RememberedSet<T> = { value: Promise<T>; openedAt: number; lifeMs: number; terms: string }
type SetRequest = { resource: string; ip: string; caller: string; terms: string; now: number }
