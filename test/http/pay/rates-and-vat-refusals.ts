import type { Fields } from '../../support/console.ts'

/** Calls of the rate and VAT functions that are refused, each with why. */

const INVALID = [400, 'svc_invalid_request'] as const
const NO_COIN = [400, 'svc_unknown_asset'] as const
const NO_PRICE = [503, 'svc_unavailable'] as const
const eth = { amount: '1', cryptocurrency_code: 'eth' }

const settings = (vat: unknown) => ({ settings: JSON.stringify({ currency: 'GBP', vat }) })

/**
 * Of a seller without a wallet, with a token `priceless`; `theirs` is another's. A dollar coin has lost its dollar, and
 * the franc has no rate.
 */
export const refusals: readonly (readonly [name: string, fields: Fields, status: number, code: string])[] = [
  ['get-fiat-value', {}, ...INVALID],
  ['get-fiat-value', { amount: '1' }, ...INVALID],
  ...['-1', '1e3', 'x', '', '1,5', '1.0000000000000000001', '1234567890123456'].map(
    (amount) => ['get-fiat-value', { ...eth, amount }, ...INVALID] as const,
  ),
  ['get-fiat-value', { amount: '0.0000001', cryptocurrency_code: 'usdc' }, ...INVALID],
  ...['XXX', 'ETH', 'dollar', '../'].map(
    (code) => ['get-fiat-value', { ...eth, currency_code: code }, ...INVALID] as const,
  ),
  ...['zzz', 'theirs', 'constructor', '__proto__'].map(
    (code) => ['get-fiat-value', { ...eth, cryptocurrency_code: code }, ...NO_COIN] as const,
  ),
  ['get-fiat-value', { ...eth, cryptocurrency_code: 'usdt' }, ...NO_PRICE],
  ['get-fiat-value', { ...eth, cryptocurrency_code: 'priceless' }, ...NO_PRICE],
  ['get-fiat-value', { ...eth, currency_code: 'CHF' }, ...NO_PRICE],
  ['get-exchange-rates', { cryptocurrency_code: 'usdt' }, ...NO_PRICE],
  ['get-exchange-rates', { cryptocurrency_code: 'eth', currency_code: 'CHF' }, ...NO_PRICE],
  ['get-exchange-rates', { cryptocurrency_code: 'eth,theirs' }, ...NO_COIN],
  ['get-exchange-rates', { cryptocurrency_code: 'eth,' }, ...INVALID],
  ['get-exchange-rates', { cryptocurrency_code: Array.from({ length: 300 }, (_, n) => `c${n}`).join() }, ...INVALID],
  ['get-exchange-rates', { currency_code: 'XXX' }, ...INVALID],
  ['get-exchange-rates', { currency_code: 'USD,EUR' }, ...INVALID],
  ['get-usd-rates', { currency_code: 'CHF' }, ...NO_PRICE],
  ['get-usd-rates', { currency_code: 'EUR,XXX' }, ...INVALID],
  ['get-usd-rates', { cryptocurrency_code: 'theirs' }, ...NO_COIN],
  ['settings-get-address', {}, ...INVALID],
  ['settings-get-address', { cryptocurrency_code: 'eth' }, ...INVALID],
  ['settings-get-address', { cryptocurrency_code: 'theirs' }, ...NO_COIN],
  ['vat', {}, ...INVALID],
  ...['-1', 'x', '1.0000001', '1234567890'].map((amount) => ['vat', { amount }, ...INVALID] as const),
  ...['DEU', 'D', '12', ' '].map((country_code) => ['vat', { amount: '1', country_code }, ...INVALID] as const),
  ...['2025-02-30', 'today', '2025'].map((date) => ['vat', { amount: '1', date }, ...INVALID] as const),
  ['vat', { amount: '1', currency_code: 'XXX' }, ...INVALID],
  ['vat', { amount: '1', vat_number: 'D'.repeat(41) }, ...INVALID],
  ['vat-validation', {}, ...INVALID],
  ['vat-validation', { vat_number: '' }, ...INVALID],
  ['vat-validation', { vat_number: 'D'.repeat(41) }, ...INVALID],
  ...[
    null,
    [],
    'x',
    { typo: 1 },
    { enabled: 'true' },
    { enabled: true },
    { enabled: true, country: 'US' },
    { country: 'DEU' },
    { number: 'DE1' },
    { number: 'nonsense' },
    { inclusive: 1 },
    ...['19%', '-1', '100.5', '1e1', 19, '0.00001'].map((rate) => ({ rates: { DE: rate } })),
    { rates: { DEU: '19' } },
  ].map((vat) => ['save-settings', settings(vat), ...INVALID] as const),
]
