import test from 'ava'
import { currencies } from '../../adapters/rates/currencies.ts'
import { FIXED_RATES, fixedRates } from '../../adapters/rates/quotes/fixed.ts'
import { coinFor, coins } from '../../adapters/rates/symbols.ts'
import { assets } from '../../domain/kernel/assets.ts'

test('N-23 every coin of the catalogue is one that the sources of prices know, and that has a fixed rate for trying out', async (t) => {
  for (const { code } of assets) {
    t.truthy(coinFor(code), `${code} has no symbol in adapters/rates/symbols.ts`)
    t.regex(await fixedRates().usdPer(code), /^\d+(\.\d+)?$/, code)
  }
})

test('N-23 a coin is the same on every network', (t) => {
  for (const [code, symbol] of [
    ['btc', 'BTC'],
    ['usdc', 'USDC'],
    ['usdc_base', 'USDC'],
    ['usdt_trx', 'USDT'],
    ['eth_arb', 'ETH'],
    ['gram', 'TON'],
  ] as const)
    t.is(coinFor(code)?.symbol, symbol, code)
  for (const code of ['', 'BTC', 'usdc_', '_base', 'usdc_base_x', 'usdx', 'constructor', '__proto__', 'eur'])
    t.is(coinFor(code), undefined, code)
  for (const { symbol, stable } of coins) t.is(stable === true, /^USD/.test(symbol), symbol)
})

test('N-23 no coin is called as a currency is, and every currency with a fixed rate is one', (t) => {
  for (const { symbol, tickers = [] } of coins)
    for (const name of [symbol, ...tickers]) t.false(currencies.has(name), name)
  for (const code of Object.keys(FIXED_RATES)) t.true(currencies.has(code), code)
  for (const code of currencies) t.regex(code, /^[A-Z]{3}$/)
})
