/** The last good quotes of every source, and the price that they agree on right now. Nothing here waits for anybody. */

import { currencies } from './currencies.ts'
import { agreed, COIN_RULE, CURRENCY_RULE, type Rule } from './median.ts'
import type { Quote } from './providers/provider.ts'

type Price = {
  /** In 10⁻¹² dollars. */
  readonly usd: bigint
  /** How many sources it is the median of. */
  readonly sources: number
}

export type QuoteBook = {
  /** Keeps what a source said. It was asked at `askedAt` by the steady clock, which was `askedWallTime` since 1970. */
  take(source: string, quotes: readonly Quote[], askedAt: number, askedWallTime: number): void
  /** Undefined when too few sources agree, or have said nothing for too long. */
  price(code: string): Price | undefined
  /** Milliseconds since the newest quote of a source was true; undefined when it gave none yet. */
  age(source: string): number | undefined
}

/** `now` is in milliseconds that only go forward, so that a clock that is set back makes no quote young again. */
export const createQuoteBook = (now: () => number): QuoteBook => {
  const quotes = new Map<string, Map<string, Kept>>()
  const settled = new Map<string, { price: Price | undefined; until: number }>()

  const take: QuoteBook['take'] = (source, taken, askedAt, askedWallTime) => {
    for (const { code, usd, at = askedWallTime } of taken) {
      // As old as the source says, and never younger than the question: an answer may have been under way for long.
      const since = askedAt - Math.max(0, askedWallTime - at)
      const ofCode = quotes.get(code) ?? new Map<string, Kept>()
      quotes.set(code, ofCode)
      if (since >= (ofCode.get(source)?.since ?? since)) ofCode.set(source, { usd, since })
    }
    settled.clear()
  }

  const price = (code: string) => {
    const known = settled.get(code)
    if (known && now() < known.until) return known.price
    const rule = ruleOf(code)
    const fresh = [...(quotes.get(code)?.values() ?? [])].filter(({ since }) => now() - since < rule.maxAgeMs)
    const until = Math.min(...fresh.map(({ since }) => since + rule.maxAgeMs))
    const found = agreed(
      fresh.map(({ usd }) => usd),
      rule,
    )
    settled.set(code, { price: found, until })
    return found
  }

  const age = (source: string) => {
    const since = [...quotes.values()].flatMap((ofCode) => ofCode.get(source)?.since ?? [])
    return since.length > 0 ? now() - Math.max(...since) : undefined
  }

  return { take, price, age }
}

type Kept = { usd: bigint; since: number }

const ruleOf = (code: string): Rule => (currencies.has(code) ? CURRENCY_RULE : COIN_RULE)
