/** Rates that never move, for the sandbox and for tests; a live service is refused them (`RATES`). */

import { RATE_DECIMALS, toUnits } from '../../../domain/kernel/money.ts'
import type { Rates } from '../../../domain/kernel/ports.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { coinFor } from '../symbols.ts'

/** The day the table below was written. Its numbers are round and only plausible. */
export const FIXED_RATES_DATE = '2026-11-20'

/** US dollars per whole coin, by its symbol. */
const FIXED_COINS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    BTC: '90000',
    ETH: '2500',
    LTC: '100',
    SOL: '150',
    TRX: '0.25',
    TON: '3',
    BNB: '900',
    POL: '0.2',
    AVAX: '20',
    USDC: '1',
    USDT: '1',
  }),
)

/** US dollars per whole unit of a currency, by ISO 4217. */
export const FIXED_RATES: Readonly<Record<string, string>> = {
  AED: '0.2723',
  ARS: '0.0007',
  AUD: '0.65',
  BDT: '0.0082',
  BGN: '0.59',
  BRL: '0.18',
  CAD: '0.72',
  CHF: '1.24',
  CLP: '0.00105',
  CNY: '0.14',
  COP: '0.00025',
  CZK: '0.047',
  DKK: '0.155',
  EGP: '0.021',
  EUR: '1.16',
  GBP: '1.32',
  HKD: '0.1285',
  HUF: '0.003',
  IDR: '0.00006',
  ILS: '0.3',
  INR: '0.0113',
  ISK: '0.0079',
  JPY: '0.0065',
  KES: '0.0077',
  KRW: '0.00069',
  MXN: '0.054',
  MYR: '0.24',
  NGN: '0.00069',
  NOK: '0.099',
  NZD: '0.57',
  PEN: '0.29',
  PHP: '0.017',
  PKR: '0.0035',
  PLN: '0.27',
  QAR: '0.2747',
  RON: '0.228',
  RSD: '0.0099',
  SAR: '0.2667',
  SEK: '0.105',
  SGD: '0.77',
  THB: '0.031',
  TRY: '0.024',
  TWD: '0.032',
  UAH: '0.024',
  UYU: '0.025',
  VND: '0.000038',
  ZAR: '0.058',
}

/**
 * The table's rates, `overrides` before it; USD is always '1'. Codes are matched letter by letter. `usdPer` rejects
 * with Refusal `invalid-request` for a code it does not know; an override that is no positive decimal of at most 12
 * places throws at once.
 */
export const fixedRates = (overrides: Readonly<Record<string, string>> = {}): Rates => {
  const table = new Map(Object.entries({ ...FIXED_RATES, ...overrides, USD: '1' }))
  for (const [code, rate] of table)
    if (toUnits(rate, RATE_DECIMALS) <= 0n) throw new TypeError(`the rate of ${code} is not above zero`)
  return {
    async usdPer(code) {
      return (
        table.get(code) ??
        FIXED_COINS.get(coinFor(code)?.symbol ?? '') ??
        refuse(
          'invalid-request',
          'This code has no rate here. Take the code of a coin that is sold here, or of another currency.',
        )
      )
    },
    sourceOf: (code) => (code === 'USD' ? undefined : 'fixed'),
  }
}
