import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'

/** Money, coins and times, as they are written everywhere. */

/** Millionths of a currency. */
export const money = (locale: Locale, units: bigint, currency: string) =>
  html`<span class="money">${locale.money(units, currency)}</span>`

/** Smallest units of a coin. */
export const coin = (locale: Locale, units: bigint, { decimals, symbol }: { decimals: number; symbol: string }) =>
  html`<span class="money">${locale.coin(units, decimals, symbol)}</span>`

export const time = (locale: Locale, iso: string) => html`<time datetime=${iso}>${locale.moment(iso)}</time>`
