/** Prices that most sources agree on and that are not believed: those who look after the service are told. */

import { RATE_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'
import type { Doubt, QuoteBook } from './quote-book.ts'

/**
 * Milliseconds until somebody is told: longer than a coin's quote counts, for a source that is only slow is no news.
 */
const TOLD_AFTER_MS = 120_000

type Say = (message: string, facts: object) => void

export type PriceHolds = {
  /** Looks at a code's newest price. What is told, is told once. */
  look(code: string): void
  /** Codes that are not priced because of it. */
  codes(): readonly string[]
}

/** `alarm` is told of a price that stays held back, `log` when it is believed again. `now` only goes forward. */
export const watchHeldBack = (
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
