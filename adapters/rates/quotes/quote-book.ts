/** The last quotes of every source, and the price that they agree on right now. Nothing here waits for anybody. */

import { RATE_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'
import { currencies } from '../currencies.ts'
import type { Quote } from '../providers.ts'
import { agreedMedian, agreeing, COIN_RULE, CURRENCY_RULE, type Rule } from './median.ts'
import { createTrail, type GoodPrice, type Trail } from './trail.ts'

/** The price that most of the sources with a recent quote agree on. */
type Vote = {
  /** The price in 10⁻¹² dollars. */
  readonly usd: bigint
  /** Number of sources that it is the median of. */
  readonly sources: number
  /** Number of sources that say another price. */
  readonly against: number
}

/** A price that most sources agree on and that is not believed. */
export type Doubt = Vote & {
  /** The good price that it is too far from; undefined where there is none yet, and too many disagree to begin one. */
  readonly last: (Pick<GoodPrice, 'usd'> & { readonly ageMs: number }) | undefined
}

export type QuoteBook = {
  /**
   * Keeps the quotes of a source. It was asked at `askedAt` by the steady clock, at `askedWallTime` in ms since 1970.
   */
  take(source: string, quotes: readonly Quote[], askedAt: number, askedWallTime: number): void
  /** Says that prices are known from now on: every source has had its chance to answer. */
  open(): void
  /**
   * Undefined when too few sources agree or have a recent quote, and when the price that they agree on is not believed.
   */
  price(code: string): Vote | undefined
  /** The reason why a price that most sources agree on is not used. */
  doubt(code: string): Doubt | undefined
  /** The names of the sources that agree on the price of now. */
  agreeing(code: string): readonly string[]
  /** The last quote of each source that still counts, in dollars. */
  said(code: string): Readonly<Record<string, string>>
  /** Milliseconds since the newest quote of a source was true; undefined when it gave none yet. */
  age(source: string): number | undefined
}

/** Sources that count as all of them at least: fewer could be wrong together. */
const ALL_MIN = 3

/** `now` is in milliseconds that only go forward, so that a clock that is set back makes no quote young again. */
export const createQuoteBook = (now: () => number): QuoteBook => {
  const quotes = new Map<string, Map<string, KeptQuote>>()
  const settled = new Map<string, { price: Vote | undefined; until: number }>()
  const trails = new Map<string, Trail>()
  let isOpen = false

  const freshOf = (code: string) =>
    [...(quotes.get(code) ?? [])].filter(([, { since }]) => now() - since < ruleOf(code).maxAgeMs)

  const judge = (code: string): { price?: Vote; doubt?: Doubt } => {
    const rule = ruleOf(code)
    const fresh = freshOf(code).map(([, quote]) => quote)
    const vote = voteOf(
      fresh.map(({ usd }) => usd),
      rule,
    )
    const trail = trails.get(code) ?? createTrail(rule.pace)
    if (!isOpen) return {}
    if (vote && !isBelieved(vote, trail, now())) return { doubt: { ...vote, last: lastOf(trail, now()) } }
    const until = Math.min(...fresh.map(({ since }) => since + rule.maxAgeMs))
    settled.set(code, { price: vote, until })
    if (!vote) return {}
    trails.set(code, trail)
    trail.keep(vote.usd, now())
    return { price: vote }
  }

  return {
    take(source, taken, askedAt, askedWallTime) {
      for (const { code, usd, at = askedWallTime } of taken) {
        // A quote is as old as the source says, and never younger than the question: an answer may have been under way
        // for long.
        const since = askedAt - Math.max(0, askedWallTime - at)
        const ofCode = quotes.get(code) ?? new Map<string, KeptQuote>()
        quotes.set(code, ofCode)
        if (since >= (ofCode.get(source)?.since ?? since)) ofCode.set(source, { usd, since })
      }
      settled.clear()
      // Codes are judged also when nobody asks for them, so that the last good price is one of just now and no older.
      for (const { code } of taken) judge(code)
    },
    open() {
      isOpen = true
      for (const code of quotes.keys()) judge(code)
    },
    price(code) {
      const known = settled.get(code)
      return known && now() < known.until ? known.price : judge(code).price
    },
    doubt: (code) => judge(code).doubt,
    agreeing(code) {
      const fresh = freshOf(code)
      const kept = agreeing(
        fresh.map(([, { usd }]) => usd),
        ruleOf(code),
      )
      const [least = 0n, most = -1n] = [kept[0], kept.at(-1)]
      return fresh.filter(([, { usd }]) => usd >= least && usd <= most).map(([source]) => source)
    },
    said: (code) =>
      Object.fromEntries(freshOf(code).map(([source, { usd }]) => [source, toDecimal(usd, RATE_DECIMALS)])),
    age(source) {
      const since = [...quotes.values()].flatMap((ofCode) => ofCode.get(source)?.since ?? [])
      return since.length > 0 ? now() - Math.max(...since) : undefined
    },
  }
}

type KeptQuote = { usd: bigint; since: number }

const ruleOf = (code: string): Rule => (currencies.has(code) ? CURRENCY_RULE : COIN_RULE)

const voteOf = (prices: readonly bigint[], rule: Rule): Vote | undefined => {
  const found = agreedMedian(prices, rule)
  return found && { ...found, against: prices.length - found.sources }
}

/** Without a good price to compare it with, a majority alone is not believed: it takes more than two thirds. */
const isBelieved = ({ usd, sources, against }: Vote, trail: Trail, at: number): boolean =>
  trail.last() ? trail.allows(usd, at, against === 0 && sources >= ALL_MIN ? 'all' : 'some') : sources > 2 * against

const lastOf = (trail: Trail, at: number): Doubt['last'] => {
  const last = trail.last()
  return last && { usd: last.usd, ageMs: at - last.at }
}
