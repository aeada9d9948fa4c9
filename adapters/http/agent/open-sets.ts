import { recentMap } from '../../../domain/recent-map.ts'
import { Refusal } from '../../../domain/refusal.ts'

/** Sets remembered, and addresses counted; up to twice as many. What was not asked for longest goes first, and is then minted afresh. */
const SETS_KEPT = 25_000
/** Fresh sets that one address may cause in a minute, over all resources. */
const MINTS_PER_MINUTE_MAX = 600
const MINUTE_MS = 60_000
/** So long is a set remembered that lacks a coin which may be there in a moment; not shorter, because each new set holds amounts. */
const INCOMPLETE_LIFE_MS = 300_000
/** Callers of one resource who get a set of their own in half a life; whoever comes after them shares one. */
const OWN_SETS_MAX = 200

const TOO_MANY = 'Too many new challenges. Try again in a minute.'

/** Remembers what was last opened for a (resource, caller), so that asking again within its half-life opens nothing new. */
export const createOpenSets = <T extends { incomplete?: true }>(halfLifeMs: number) => {
  const sets = recentMap<Remembered<T>>(SETS_KEPT)
  /** Sets of one resource that callers got for themselves. */
  const owned = recentMap<{ count: number; since: number }>(SETS_KEPT)
  const minted = recentMap<{ count: number; since: number }>(SETS_KEPT)

  const spend = (ip: string, now: number) => {
    const spent = minted.get(ip)
    if (!spent || now - spent.since >= MINUTE_MS) minted.set(ip, { count: 1, since: now })
    else if (++spent.count > MINTS_PER_MINUTE_MAX)
      throw new Refusal('rate-limited', TOO_MANY, undefined, Math.ceil((spent.since + MINUTE_MS - now) / 1_000))
  }

  /** A flood of callers, each from another address, so writes a bounded number of events, and leaves amounts to others. */
  const keyOf = ({ resource, caller, now }: Asked) => {
    const own = `${resource} ${caller}`
    const taken = owned.get(resource)
    const crowded = taken !== undefined && now - taken.since < halfLifeMs && taken.count >= OWN_SETS_MAX
    return crowded && !sets.get(own) ? resource : own
  }
  const count = ({ resource, now }: Asked) => {
    const known = owned.get(resource)
    if (known && now - known.since < halfLifeMs) known.count++
    else owned.set(resource, { count: 1, since: now })
  }

  return {
    /**
     * `terms` is what the set depends on: when it changes (a new address, a paused coin), a new set is opened. So it is when the set was
     * paid: a second buyer behind the same address would else pay for what is settled already.
     */
    async of(asked: Asked, open: () => Promise<T>, isUnpaid: (value: T) => Promise<boolean>) {
      const { ip, terms, now } = asked
      const key = keyOf(asked)
      const isCurrent = (set: Remembered<T> | undefined) =>
        set !== undefined && set.terms === terms && now - set.openedAt < set.lifeMs
      const known = sets.get(key)
      if (known && isCurrent(known) && (await isUnpaid(await known.value))) return known.value
      // While this one looked, another call of the same caller may have opened the next set.
      const newer = sets.get(key)
      if (newer && newer !== known && isCurrent(newer)) return newer.value
      spend(ip, now)
      count(asked)
      const value = open()
      const set = { value, openedAt: now, lifeMs: halfLifeMs, terms }
      sets.set(key, set)
      // What failed is not remembered: the next caller tries again.
      value.then(
        ({ incomplete }) => {
          if (incomplete) set.lifeMs = INCOMPLETE_LIFE_MS
        },
        () => sets.delete(key),
      )
      return value
    },
  }
}

type Remembered<T> = { value: Promise<T>; openedAt: number; lifeMs: number; terms: string }
type Asked = { resource: string; ip: string; caller: string; terms: string; now: number }
