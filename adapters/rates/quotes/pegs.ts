/** Whether coins that are meant to be a dollar are one. */

import { RATE_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'

/** Hundredths of a percent: a stablecoin that is further off its dollar is refused, not repriced. */
const PEG_BAND_BASIS_POINTS = 100n
const DOLLAR = 10n ** BigInt(RATE_DECIMALS)

export const isPegged = (usd: bigint): boolean =>
  (usd > DOLLAR ? usd - DOLLAR : DOLLAR - usd) * 10_000n <= DOLLAR * PEG_BAND_BASIS_POINTS

export type Pegs = {
  /**
   * Looks at the newest price that is believed; a change is logged, once. Without a price nothing is known to have
   * changed, so that two sources alone neither bring a lost peg back nor make one look lost.
   */
  look(symbol: string, usd: bigint | undefined): void
  isLost(symbol: string): boolean
}

export const watchPegs = (log: (message: string, facts: object) => void): Pegs => {
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
