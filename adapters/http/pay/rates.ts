import { z } from 'zod'
import { CUSTOM_TOKENS_MAX } from '../../../domain/account/custom-tokens.ts'
import { assets } from '../../../domain/kernel/assets.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { exchangeRates, fiatValue } from '../../../domain/use-cases/selling/challenges/exchange-rates.ts'
import { consoleFunction } from './console-function.ts'
import { CoinCode, CurrencyCode, Decimal, listField, optionalField } from './fields.ts'

/** What coins and currencies cost (M-RAT-01 to M-RAT-03). All numbers are text. */

/** Coins that one call may name: as many as an account can have at all. */
const COINS_MAX = assets.length + CUSTOM_TOKENS_MAX
/** Currencies that one call may name: more than there are. */
const CURRENCIES_MAX = 200

const Rates = z.object({
  rates: z.record(z.string(), z.string().nullable()).meta({ description: 'By code; null: no price right now.' }),
  currency: z.string(),
})

const getFiatValue = consoleFunction('get-fiat-value', {
  summary: 'What an amount of a coin is worth in a currency',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  body: z.object({ amount: Decimal, cryptocurrency_code: CoinCode, currency_code: optionalField(CurrencyCode) }),
  returns: z.object({
    value: z.string(),
    currency: z.string(),
    amount: z.string(),
    cryptocurrency: z.string(),
  }),
  refusals: ['unknown-asset', 'unavailable'],
  async answer({ body: { amount, cryptocurrency_code: coin, currency_code }, actor: { accountId }, flow }) {
    const currency = currency_code ?? (await ownCurrency(flow, accountId))
    return {
      value: await fiatValue(flow, { accountId, amount, coin, currency }),
      currency,
      amount,
      cryptocurrency: coin,
    }
  },
})

const getExchangeRates = consoleFunction('get-exchange-rates', {
  summary: 'What a coin costs in a currency: some coins by comma, or all that can be received',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  body: z.object({
    currency_code: optionalField(CurrencyCode),
    cryptocurrency_code: optionalField(listField(CoinCode, COINS_MAX)),
  }),
  returns: Rates,
  refusals: ['unknown-asset', 'unavailable'],
  async answer({ body: { currency_code, cryptocurrency_code: coins }, actor: { accountId }, flow }) {
    const currency = currency_code ?? (await ownCurrency(flow, accountId))
    return { rates: await exchangeRates(flow, { accountId, coins, currencies: [], currency }), currency }
  },
})

const getUsdRates = consoleFunction('get-usd-rates', {
  summary: 'What coins and currencies cost in US dollars, by comma; all coins and the own currency when none is named',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  body: z.object({
    currency_code: optionalField(listField(CurrencyCode, CURRENCIES_MAX)),
    cryptocurrency_code: optionalField(listField(CoinCode, COINS_MAX)),
  }),
  returns: Rates,
  refusals: ['unknown-asset', 'unavailable'],
  async answer({ body: { currency_code, cryptocurrency_code }, actor: { accountId }, flow }) {
    const isOpen = currency_code === undefined && cryptocurrency_code === undefined
    const currencies = isOpen ? [await ownCurrency(flow, accountId)] : (currency_code ?? [])
    const coins = isOpen ? undefined : (cryptocurrency_code ?? [])
    return { rates: await exchangeRates(flow, { accountId, coins, currencies, currency: 'USD' }), currency: 'USD' }
  },
})

const ownCurrency = async ({ ledger }: UseCaseContext, accountId: string): Promise<string> =>
  (await ledger.settings.read(accountId)).currency

export const rateFunctions = [...getFiatValue, ...getExchangeRates, ...getUsdRates]
