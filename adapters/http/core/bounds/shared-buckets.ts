import { recentMap } from '../../../../domain/kernel/recent-map.ts'
import { type LimitName, LimitReached } from '../../../../domain/kernel/refusals/limits.ts'
import type { CallLimitRows, TokenGrant } from '../../../postgres/call-limits.ts'
import { createOwnPart } from './own-part.ts'
import { CALLERS_KEPT, createBuckets, type Rate, TOO_MANY_CALLS } from './token-buckets.ts'
import { createTokenRounds, type RoundLog, type Share } from './token-rounds.ts'

/**
 * Token buckets that all processes on one PostgreSQL share (N-113). Each process has a small part of every limit for
 * itself (`own-part.ts`). Beyond that it gets a slice of a caller's bucket in one statement, spends it in memory, and
 * gives back what is left. So a call rarely costs a statement, and all processes together let pass what one would: what
 * is spent was taken from the bucket before. A process that dies takes with it what it had left of its slices, at most
 * a quarter of each bucket; that flows in again.
 *
 * While PostgreSQL does not answer, each process counts by itself, with full buckets: a limit is there to keep others
 * served, and must not end the service for all of them. What passes then is at most the limit for each process.
 */

/** A bucket for each caller, so that one who is at its limit does not slow another (N-09). */
export type CallBuckets = {
  /**
   * Takes a token from the caller's bucket; undefined where one was at hand. Refuses `rate-limited` when there is none,
   * with the time until there is.
   */
  take(caller: string): Promise<void> | undefined
}

/** A bucket of bytes for each caller. It is counted at once here, and for all processes a little later. */
export type ByteBuckets = {
  /** Takes bytes; one of them has to be there, and the others are owed. Refuses `rate-limited` when there is none. */
  take(caller: string, bytes: number): void
  /** Takes bytes that are there or not; a negative number gives bytes back. */
  charge(caller: string, bytes: number): void
}

/** Milliseconds after which what is left of a slice is given back. */
const SLICE_MS = 1_000
/** Milliseconds between two looks for what is to be given back or told. */
const LOOK_EVERY_MS = 250
/** Milliseconds for which a caller whose bucket is empty is refused without asking again: at least, and at most. */
const REFUSED_MS = { least: 100, most: 1_000 }

type Slice = Share & {
  tokens: number
  /** Tokens that it had when it was got, and when that was. */
  size: number
  gotAt: number
  refusedUntil: number
  /** When a token will be there. */
  passesAt: number
}

export type SharedBuckets = ReturnType<typeof createSharedBuckets>

/**
 * @param named the name under which a caller of a limit is stored
 * @param processes how many are alive; 0 while the others may not know of this one
 * @param times a clock that is never set back, and the milliseconds that PostgreSQL may take
 */
export const createSharedBuckets = (
  rows: Pick<CallLimitRows, 'settle'>,
  { named, processes }: { named(caller: string): string; processes(): number },
  log: RoundLog,
  { nowMs = () => performance.now(), answerMs }: { nowMs?: () => number; answerMs?: number } = {},
) => {
  const rounds = createTokenRounds(rows, log, answerMs)
  /** Those with something to give back or to tell. */
  const holding = new Set<Slice>()
  let closed = false

  const giveBack = (slice: Slice): void => {
    holding.delete(slice)
    slice.owed -= slice.tokens
    slice.size -= slice.tokens
    slice.tokens = 0
    if (slice.owed !== 0) rounds.tell(slice).catch(() => {})
  }
  const timer = setInterval(() => {
    const due = nowMs() - SLICE_MS
    if (!rounds.areAway()) for (const slice of holding) if (slice.gotAt <= due || slice.owed !== 0) giveBack(slice)
  }, LOOK_EVERY_MS)
  timer.unref()

  /** The slices of the callers of a limit; `granted` is called for each answer. */
  const slicesOf = (
    limit: LimitName,
    rate: () => Rate,
    granted: (slice: Slice, grant: TokenGrant, needed: number) => void,
  ) => {
    const slices = recentMap<Slice>(CALLERS_KEPT)
    return (caller: string): Slice => {
      const known = slices.get(caller)
      if (known) return known
      const slice: Slice = {
        key: named(`${limit}|${caller}`),
        rate,
        waiting: 0,
        wanted: 0,
        owed: 0,
        tokens: 0,
        size: 0,
        gotAt: Number.NEGATIVE_INFINITY,
        refusedUntil: Number.NEGATIVE_INFINITY,
        passesAt: Number.NEGATIVE_INFINITY,
        granted: (grant, needed) => granted(slice, grant, needed),
      }
      slices.set(caller, slice)
      return slice
    }
  }

  return {
    /** Buckets of calls. */
    calls(limit: LimitName, rate: Rate): CallBuckets {
      const alone = createBuckets(limit, rate, nowMs)
      const own = createOwnPart(rate, processes, nowMs)
      const sliceOf = slicesOf(limit, own.rest, (slice, grant, needed) => {
        received(slice, grant, needed, nowMs())
        if (slice.tokens > 0) holding.add(slice)
      })
      const waitFor = async (caller: string, slice: Slice): Promise<void> => {
        while (!spends(slice)) {
          const now = nowMs()
          if (now < slice.refusedUntil) throw new LimitReached(limit, (slice.passesAt - now) / 1_000, TOO_MANY_CALLS)
          slice.waiting++
          slice.wanted = wantedOf(slice, now)
          const settled = await rounds.settle(slice).then(
            () => true,
            () => false,
          )
          slice.waiting--
          if (!settled) return alone.take(caller)
        }
      }
      return {
        take(caller) {
          if (closed || rounds.areAway()) {
            alone.take(caller)
            return undefined
          }
          if (own.take(caller)) return undefined
          const slice = sliceOf(caller)
          return spends(slice) ? undefined : waitFor(caller, slice)
        },
      }
    },

    /** Buckets of bytes; `words` are those of the refusal. */
    bytes(limit: LimitName, rate: Rate, words: string): ByteBuckets {
      const here = createBuckets(limit, rate, nowMs, words)
      const own = createOwnPart(rate, processes, nowMs)
      const sliceOf = slicesOf(limit, own.rest, (slice, { waitS }) => {
        slice.passesAt = nowMs() + waitS * 1_000
      })
      const tell = (caller: string, bytes: number) => {
        const slice = sliceOf(caller)
        slice.owed += bytes
        holding.add(slice)
      }
      return {
        take(caller, bytes) {
          if (own.take(caller, bytes)) return here.charge(caller, bytes)
          const waitMs = sliceOf(caller).passesAt - nowMs()
          if (waitMs > 0 && !rounds.areAway()) throw new LimitReached(limit, waitMs / 1_000, words)
          here.take(caller, bytes)
          tell(caller, bytes)
        },
        // What is given back goes to the own part, wherever it came from: the limit only gets stricter by that.
        charge(caller, bytes) {
          here.charge(caller, bytes)
          if (!(bytes < 0 ? own.giveBack(caller, -bytes) : own.take(caller, bytes))) tell(caller, bytes)
        },
      }
    },

    /** Whether this process counts by itself, because PostgreSQL does not answer. */
    countsAlone: rounds.areAway,

    /** Gives back what is left of all slices. */
    async close(): Promise<void> {
      closed = true
      clearInterval(timer)
      if (rounds.areAway()) return
      await Promise.allSettled(
        [...holding].map((slice) => {
          giveBack(slice)
          return rounds.tell(slice)
        }),
      )
    },
  }
}

const spends = (slice: Slice): boolean => {
  if (slice.tokens < 1) return false
  slice.tokens--
  return true
}

const received = (slice: Slice, { granted, waitS }: TokenGrant, needed: number, now: number): void => {
  slice.tokens += granted
  slice.passesAt = now + waitS * 1_000
  if (granted >= needed) {
    if (needed > 0) {
      slice.size = granted
      slice.gotAt = now
    }
    return
  }
  slice.refusedUntil = now + Math.min(REFUSED_MS.most, Math.max(REFUSED_MS.least, waitS * 1_000))
}

/** Twice what was spent of the slice before; nothing where that is long ago, so that most callers hold nothing. */
const wantedOf = ({ size, gotAt }: Slice, now: number): number => (now - gotAt < 2 * SLICE_MS ? 2 * size : 0)
