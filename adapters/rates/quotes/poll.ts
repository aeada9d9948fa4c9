/** Asks one source again and again, in the background, until it is told to stop. */

import type { Outbound } from '../../../domain/kernel/ports.ts'
import { parseExact } from '../exact-json.ts'
import type { Provider, Quote } from '../providers.ts'

/** A source that failed is asked again after this, or after its interval when that is shorter. */
const RETRY_MS = 10_000
/** A source that says that we ask too often, or that it does not serve us, is left alone for at least so long. */
const UNWELCOME_MS = 120_000
/** A longer answer is none. The longest of today, an exchange's whole list, has a tenth of this. */
const ANSWER_CHARACTERS_MAX = 1_048_576

/** Forbidden, "I'm a teapot" (an exchange's ban), too many requests, not in your country. */
const UNWELCOME: ReadonlySet<number> = new Set([403, 418, 429, 451])

export type PollParts = {
  outbound: Pick<Outbound, 'get'>
  now: () => number
  wallClock: () => number
  /** Waits; rejects or resolves at once when the signal aborts. */
  pause: (ms: number, signal: AbortSignal) => Promise<unknown>
  take: (quotes: readonly Quote[], askedAt: number, askedWallTime: number) => void
  /**
   * Called once when the source stops giving quotes, and once when it gives them again. The fault holds no URL, which
   * may hold a key.
   */
  changed: (fault: string | undefined) => void
}

/** Resolves when the signal aborts. `asked` is called when the first round is over, well or not. */
export const poll = async (
  provider: Provider,
  base: string,
  parts: PollParts,
  signal: AbortSignal,
  asked: () => void,
): Promise<void> => {
  let fault: string | undefined
  while (!signal.aborted) {
    const round = await askOnce(provider, base, parts)
    if (signal.aborted) break
    if ((round.fault === undefined) !== (fault === undefined)) parts.changed(round.fault)
    fault = round.fault
    asked()
    await parts.pause(waitAfter(provider, round), signal).catch(() => {})
  }
  asked()
}

type Round = { fault: string | undefined; unwelcome: boolean }

/** A round with several calls has failed when none of them gave a quote. */
const askOnce = async (
  provider: Provider,
  base: string,
  { outbound, now, wallClock, take }: PollParts,
): Promise<Round> => {
  const [askedAt, wallTime] = [now(), wallClock()]
  const answers = await Promise.all(
    provider.urls(base).map(async (url) => {
      const { status, reason, body } = await outbound.get(url, ANSWER_CHARACTERS_MAX)
      if (status !== 200) return { fault: status === undefined ? String(reason) : `status ${status}`, status }
      const quotes = quotesIn(provider, body)
      if (quotes.length > 0) take(quotes, askedAt, wallTime)
      return { fault: quotes.length > 0 ? undefined : 'an answer without a price', status }
    }),
  )
  const worked = answers.some(({ fault }) => fault === undefined)
  const unwelcome = answers.some(({ status }) => status !== undefined && UNWELCOME.has(status))
  return { fault: worked ? undefined : answers[0]?.fault, unwelcome }
}

const quotesIn = (provider: Provider, body: string): readonly Quote[] => {
  try {
    return provider.read(parseExact(body))
  } catch {
    return []
  }
}

const waitAfter = ({ intervalMs }: Provider, { fault, unwelcome }: Round): number => {
  if (unwelcome) return Math.max(UNWELCOME_MS, intervalMs)
  return fault === undefined ? intervalMs : Math.min(RETRY_MS, intervalMs)
}
