/**
 * The market prices of coins and currencies: the median of several public sources. A price that cannot be relied on is
 * none (N-23).
 */
import { setTimeout as pauseFor } from 'node:timers/promises'
import { RATE_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'
import type { Outbound, Rates } from '../../../domain/kernel/ports.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { currencies } from '../currencies.ts'
import type { Provider } from '../providers.ts'
import { type Coin, coinFor, coins } from '../symbols.ts'
import { COIN_RULE, CURRENCY_RULE } from './median.ts'
import { type PollParts, poll } from './poll.ts'
import { createQuoteBook, type Doubt, type QuoteBook } from './quote-book.ts'

export type RateSource = { readonly name: string; readonly provider: Provider; readonly base: string }

type MarketSettings = {
  readonly sources: readonly RateSource[]
  readonly outbound: Pick<Outbound, 'get'>
  /** The asset codes that can be sold in here; the report tells which of them have no price. */
  readonly codes: readonly string[]
  readonly log: (message: string, facts: object) => void
  /** Called with what somebody should look at now. */
  readonly alarm: (message: string, facts: object) => void
  readonly time?: Partial<Pick<PollParts, 'now' | 'wallClock' | 'pause'>>
}

/** The state of the prices, for those who look after them. */
export type RatesReport = {
  readonly sources: readonly { name: string; ageMs: number | undefined; fresh: boolean }[]
  /** The coins that can be sold in here. */
  readonly coins: readonly {
    symbol: string
    /** Number of sources that agree on its price; 0 while it has none. */
    sources: number
    /** Number of sources that say another price. */
    against: number
    depegged: boolean
  }[]
  /**
   * Coins sold in here, and currencies that somebody wanted, whose price is not believed although most sources agree on
   * it.
   */
  readonly heldBack: readonly string[]
  /** Asset codes that are not offered because they have no price. */
  readonly missing: readonly string[]
}

type MarketRates = Rates & {
  report(): RatesReport
  /** Resolves when every source was asked once, or when the time is up. */
  asked(waitMs: number): Promise<void>
  close(): Promise<void>
}

/** Makes the rates of the market, and begins to ask the sources at once. */
export const createMarketRates = (settings: MarketSettings): MarketRates => {
  const { sources, outbound, codes, log, alarm, time = {} } = settings
  const { now = () => performance.now(), wallClock = Date.now, pause = shortPause } = time
  const book = createQuoteBook(now)
  const pegs = watchPegs(log)
  const heldBack = watchHeldBack(book, { alarm, log, now })
  const sold = coins.filter((coin) => codes.some((code) => coinFor(code) === coin))
  /** Codes whose price matters to somebody; a currency is among them once it was asked for. */
  const wanted = new Set(sold.map(({ symbol }) => symbol))
  const lookAll = () => {
    for (const { symbol, stable } of coins) if (stable) pegs.look(symbol, book.price(symbol)?.usd)
    for (const code of wanted) heldBack.look(code)
  }
  const stopping = new AbortController()

  const firstRounds: Promise<void>[] = []
  const polls = sources.map(({ name, provider, base }) => {
    const take: PollParts['take'] = (quotes, ...asked) => {
      book.take(name, quotes, ...asked)
      lookAll()
    }
    const changed = (fault: string | undefined) =>
      log(fault === undefined ? 'a source of rates answers again' : 'a source of rates fails', { source: name, fault })
    const { promise, resolve } = Promise.withResolvers<void>()
    firstRounds.push(promise)
    return poll(provider, base, { outbound, now, wallClock, pause, take, changed }, stopping.signal, resolve)
  })

  // Two sources that are wrong and quick must not make the price that all others are compared with.
  const opened = Promise.all(firstRounds).then(() => {
    book.open()
    lookAll()
  })

  const coinPrice = ({ symbol, stable }: Coin): string | undefined => {
    const usd = book.price(symbol)?.usd
    if (stable) return usd !== undefined && isPegged(usd) ? '1' : undefined
    return inDollars(usd)
  }
  const priceOf = (code: string): string | undefined => {
    if (currencies.has(code)) {
      wanted.add(code)
      heldBack.look(code)
      return inDollars(book.price(code)?.usd)
    }
    return coinPrice(
      coinFor(code) ??
        refuse(
          'invalid-request',
          'This code has no rate here. Take the code of a coin that is sold here, or of another currency.',
        ),
    )
  }

  return {
    async usdPer(code) {
      if (code === 'USD') return '1'
      return priceOf(code) ?? refuse('unavailable', `There is no rate of ${code} right now. Try again in a moment.`)
    },
    sourceOf(code) {
      const names = code === 'USD' ? [] : book.agreeing(currencies.has(code) ? code : (coinFor(code)?.symbol ?? code))
      return names.length === 0 ? undefined : names.toSorted().join(' ')
    },
    report: () => ({
      sources: sources.map(({ name, provider }) => {
        const ageMs = book.age(name)
        return {
          name,
          ageMs,
          fresh: ageMs !== undefined && ageMs < (provider.coins ? COIN_RULE : CURRENCY_RULE).maxAgeMs,
        }
      }),
      coins: sold.map(({ symbol }) => ({
        symbol,
        sources: book.price(symbol)?.sources ?? 0,
        against: book.price(symbol)?.against ?? 0,
        depegged: pegs.isLost(symbol),
      })),
      heldBack: heldBack.codes(),
      missing: codes.filter((code) => priceOf(code) === undefined),
    }),
    async asked(waitMs) {
      const late = new AbortController()
      await Promise.race([opened, shortPause(waitMs, late.signal)])
      late.abort()
    },
    async close() {
      stopping.abort()
      await Promise.all(polls)
    },
  }
}

const inDollars = (usd: bigint | undefined): string | undefined =>
  usd === undefined ? undefined : toDecimal(usd, RATE_DECIMALS)

const shortPause: PollParts['pause'] = (ms, signal) => pauseFor(ms, undefined, { signal })

/** Hundredths of a percent: a stablecoin that is further off its dollar is refused, not repriced. */
const PEG_BAND_BASIS_POINTS = 100n
const DOLLAR = 10n ** BigInt(RATE_DECIMALS)

/** Whether a coin that is meant to be a dollar is one. */
const isPegged = (usd: bigint): boolean =>
  (usd > DOLLAR ? usd - DOLLAR : DOLLAR - usd) * 10_000n <= DOLLAR * PEG_BAND_BASIS_POINTS

type Pegs = {
  /**
   * Looks at the newest price that is believed; a change is logged, once. Without a price nothing is known to have
   * changed, so that two sources alone neither bring a lost peg back nor make one look lost.
   */
  look(symbol: string, usd: bigint | undefined): void
  isLost(symbol: string): boolean
}

const watchPegs = (log: (message: string, facts: object) => void): Pegs => {
  const lost = new Set<string>()
  return {
    look(symbol, usd) {
      if (usd === undefined || isPegged(usd) !== lost.has(symbol)) return
      const facts = { coin: symbol, usd: toDecimal(usd, RATE_DECIMALS) }
      if (lost.delete(symbol)) return log('a stablecoin is worth a dollar again and is offered', facts)
      lost.add(symbol)
      log('a stablecoin is not worth a dollar and is not offered any more', facts)
    },
    isLost: (symbol) => lost.has(symbol),
  }
}

/**
 * Milliseconds until somebody is told: longer than a coin's quote counts, because a source that is only slow is no
 * news.
 */
const TOLD_AFTER_MS = 120_000

type Say = (message: string, facts: object) => void

type PriceHolds = {
  /** Looks at a code's newest price. Each message is told once. */
  look(code: string): void
  /** Codes whose price is held back. */
  codes(): readonly string[]
}

/**
 * Watches for prices that are not believed although most sources agree on them, and tells those who look after the
 * service: `alarm` is called for a price that stays held back, `log` when it is believed again. `now` only goes
 * forward.
 */
const watchHeldBack = (
  book: Pick<QuoteBook, 'price' | 'doubt' | 'said'>,
  { alarm, log, now }: { alarm: Say; log: Say; now: () => number },
): PriceHolds => {
  const held = new Map<string, { readonly since: number; isTold: boolean }>()
  return {
    look(code) {
      const price = book.price(code)
      const known = held.get(code)
      if (price) {
        held.delete(code)
        if (known?.isTold) log('a price is believed again', { code, usd: toDecimal(price.usd, RATE_DECIMALS) })
        return
      }
      // Where sources do not agree at all, nothing is known to have changed.
      const doubt = book.doubt(code)
      if (!doubt) return
      const state = known ?? { since: now(), isTold: false }
      held.set(code, state)
      if (state.isTold || now() - state.since < TOLD_AFTER_MS) return
      state.isTold = true
      alarm(reasonOf(doubt), { code, ...factsOf(doubt), said: book.said(code) })
    },
    codes: () => [...held.keys()],
  }
}

const reasonOf = ({ last }: Doubt): string =>
  last
    ? 'a price is held back: it is too far from the last good one'
    : 'a price is held back: too many sources disagree to begin with this one'

const factsOf = ({ usd, sources, against, last }: Doubt) => ({
  usd: toDecimal(usd, RATE_DECIMALS),
  sources,
  against,
  lastGoodUsd: last && toDecimal(last.usd, RATE_DECIMALS),
  lastGoodAgeMs: last?.ageMs,
})
