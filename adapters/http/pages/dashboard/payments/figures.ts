import { html } from 'htm/preact'
import { assetOf } from '../../../../../domain/kernel/assets.ts'
import { FIAT_DECIMALS, toUnits } from '../../../../../domain/kernel/money.ts'
import type { Locale } from '../messages/locale.ts'
import { money } from '../parts/figures.ts'
import { chip, type Tone } from '../parts/notices.ts'

/** How the figures of a transaction are written, which may have been changed by hand. */

/** A price as a decimal of its currency. What is no amount of money that a currency has is shown as it was written. */
export const price = (locale: Locale, decimal: string, currency: string) => {
  if (decimal === '') return ''
  const isMoney = /^\d{1,15}(\.\d{1,6})?$/.test(decimal) && /^[A-Z]{3}$/.test(currency)
  return isMoney
    ? money(locale, toUnits(decimal, FIAT_DECIMALS), currency)
    : html`<span class="money">${decimal} ${currency}</span>`
}

/** An amount of a coin as a decimal, with every digit that is there. */
export const coins = (locale: Locale, decimal: string, code: string) => {
  if (decimal === '') return ''
  const name = assetOf(code)?.name ?? code
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  const amount =
    whole === undefined ? `${decimal} ${name}` : locale.coin(BigInt(whole + fraction), fraction.length, name)
  return html`<span class="money">${amount}</span>`
}

const TONES: Readonly<Record<string, Tone>> = { C: 'good', P: 'warn', X: 'bad' }

export type ShownStatus = {
  readonly status: string
  readonly test: boolean
  readonly isRefunded: boolean
}

export const statusChips = ({ words: { payments } }: Locale, { status, test, isRefunded }: ShownStatus) => {
  const names: Readonly<Record<string, string>> = { C: payments.completed, P: payments.pending, X: payments.rejected }
  return html`
    ${chip(names[status] ?? status, TONES[status])}
    ${isRefunded && html` ${chip(payments.refunded)}`} ${test && html` ${chip(payments.test)}`}
  `
}
