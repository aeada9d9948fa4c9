import type { CallLimitRows, TokenGrant, TokenWish } from '../../../postgres/call-limits.ts'
import { within } from '../../../timing/time-limit.ts'
import type { Rate } from './token-buckets.ts'

/**
 * The rounds in which a process settles with PostgreSQL what its callers have of the buckets that all processes share:
 * one statement at a time, for everybody who waits by then.
 */

/** What a process has of the bucket of one caller. */
export type Share = {
  /** The name of the bucket as it is stored. */
  readonly key: string
  /** How often all processes together may do it, as it is now. */
  rate(): Rate
  /** Calls that wait for a token. */
  waiting: number
  /** Tokens to ask for beyond what the waiting calls need. */
  wanted: number
  /** Tokens that were spent and not told yet; below 0: to be given back. */
  owed: number
  /** Takes in what a round has brought for so many waiting calls. */
  granted(grant: TokenGrant, needed: number): void
}

/** Milliseconds that PostgreSQL may take for a round; beyond that each process counts by itself. */
const ANSWER_MS = 2_000
/** Milliseconds after which PostgreSQL is tried again that has not answered. */
const RETRY_MS = 1_000
/** Milliseconds for which nothing else is sent while a statement hangs: each one would hold a connection. */
const HUNG_MS = 30_000
/** Callers in one statement. */
const CALLERS_MAX = 100

export type RoundLog = { warn(facts: object, message: string): void }

type Round = { readonly shares: Map<string, Share>; readonly done: PromiseWithResolvers<void> }

export const createTokenRounds = (rows: Pick<CallLimitRows, 'settle'>, log: RoundLog, answerMs = ANSWER_MS) => {
  const link = createLink(rows, log, answerMs)
  const rounds: Round[] = []
  let sent: Round | undefined
  let running = false

  const run = async () => {
    for (let round = rounds.shift(); round; round = rounds.shift()) {
      sent = round
      await send(link, [...round.shares.values()]).then(round.done.resolve, (error: unknown) => {
        for (const each of [round, ...rounds.splice(0)]) each?.done.reject(error)
      })
      sent = undefined
      // Whoever has waited goes on before the calls that still wait are counted.
      await new Promise(setImmediate)
    }
    running = false
  }
  /** Has the share settled by a round that has not begun. */
  const tell = (share: Share): Promise<void> => {
    let round = rounds.find(({ shares }) => shares.get(share.key) === share)
    round ??= rounds.find(({ shares }) => shares.size < CALLERS_MAX && !shares.has(share.key))
    if (!round) {
      round = { shares: new Map(), done: Promise.withResolvers() }
      round.done.promise.catch(() => {})
      rounds.push(round)
    }
    round.shares.set(share.key, share)
    // Whoever asks in the same turn of the event loop comes along.
    if (!running) setImmediate(run)
    running = true
    return round.done.promise
  }
  return {
    /** Whether this process counts by itself, because PostgreSQL does not answer. */
    areAway: link.isAway,
    tell,
    /** Has the share settled by the round under way, if it is in it, or by the next. Rejects without an answer. */
    settle: (share: Share): Promise<void> => (sent?.shares.get(share.key) === share ? sent.done.promise : tell(share)),
  }
}

const send = async ({ ask }: Link, shares: readonly Share[]): Promise<void> => {
  const wishes = shares.map(({ key, rate, waiting, wanted, owed }) => {
    const { perSecond, burst } = rate()
    return { key, perSecond, burst, needed: waiting, wanted, spent: owed }
  })
  for (const share of shares) share.owed = 0
  try {
    const grants = await ask(wishes)
    for (const [n, share] of shares.entries()) share.granted(grants[n] as TokenGrant, wishes[n]?.needed ?? 0)
  } catch (error) {
    // Whether it was written is unknown. What was given back is lost then, and what was spent is told again.
    for (const [n, share] of shares.entries()) share.owed += Math.max(0, wishes[n]?.spent ?? 0)
    throw error
  }
}

type Link = ReturnType<typeof createLink>

/** Asks PostgreSQL within a time, and keeps in mind whether it answers. */
const createLink = (rows: Pick<CallLimitRows, 'settle'>, log: RoundLog, answerMs: number) => {
  let away = false
  /** When it is tried again, while it does not answer. */
  let nextTry = Number.POSITIVE_INFINITY
  const ask = async (wishes: readonly TokenWish[]): Promise<readonly TokenGrant[]> => {
    const answer = rows.settle(wishes)
    try {
      const grants = await within(answerMs, answer, () => new TooLate(`no answer within ${answerMs} ms`))
      if (away) log.warn({}, 'PostgreSQL counts the calls of all processes again')
      away = false
      return grants
    } catch (error) {
      if (!away) log.warn({ err: error }, 'PostgreSQL does not count calls, so this process counts its own alone')
      away = true
      nextTry = performance.now() + (error instanceof TooLate ? HUNG_MS : RETRY_MS)
      const soon = () => {
        nextTry = Math.min(nextTry, performance.now() + RETRY_MS)
      }
      answer.then(soon, soon)
      throw error
    }
  }
  return {
    ask,
    isAway: () => {
      if (away && performance.now() >= nextTry) {
        nextTry = Number.POSITIVE_INFINITY
        ask([]).catch(() => {})
      }
      return away
    },
  }
}

class TooLate extends Error {
  override readonly name = 'TooLate'
}
