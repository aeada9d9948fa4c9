import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { CoinView } from '../../plain-words.ts'
import { qrCode } from '../../qr.ts'
import { mayOpen, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { coin, money, time } from '../parts/figures.ts'
import { live } from '../parts/live.ts'
import { dialog, notice } from '../parts/notices.ts'
import { paymentAt } from '../payments/paths.ts'
import { tillPage } from './frame.ts'
import { saleAt, tillAt } from './paths.ts'

/** One sale at the counter: the code that the buyer scans, and what has become of it. */

export type SaleState =
  | { readonly name: 'waiting' | 'expired' | 'canceled' | 'paid' }
  | { readonly name: 'seen'; readonly confirmations: number | undefined; readonly required: number }
  | { readonly name: 'underpaid'; readonly coin: CoinView; readonly paid: bigint; readonly missing: bigint }
  | { readonly name: 'soldOut'; readonly product: string }

export type SalePage = {
  readonly member: PageMember
  readonly storeId: number
  readonly requestId: string
  readonly transactionId: string
  /** Millionths of the currency. */
  readonly price: { readonly units: bigint; readonly currency: string }
  readonly note: string
  readonly expiresAt: string
  /** A part had come of what was not paid in time. */
  readonly hasParts: boolean
  readonly state: SaleState
  /** The page on which the buyer pays. */
  readonly payAt: string
  /** The page of the receipt, once it is paid. */
  readonly receiptAt: string | undefined
  /** Names the form that asks again. */
  readonly form: string
  readonly fault?: string | undefined
}

/** Seconds after which a page without script looks again. */
const REFRESH_SECONDS = 5
const KINDS = ['challenge', 'transaction', 'paymentRequest']

const isOpen = ({ state: { name } }: SalePage): boolean => name === 'waiting' || name === 'seen' || name === 'underpaid'

export const salePage = (page: SalePage): Reply => {
  const { member, storeId, fault, state } = page
  const locale = localeFor(member)
  // What has changed is told of the whole account alone.
  const kinds = member.actor.storeScope ? [] : KINDS
  const part = (id: string, content: unknown) => live({ id, kinds }, content)
  return tillPage({
    ...(fault !== undefined && { status: 422 }),
    title: locale.words.till.title,
    member,
    storeId,
    refreshSeconds: isOpen(page) ? REFRESH_SECONDS : undefined,
    main: html`
      ${notice(fault, 'bad')} ${part('sale', saleCard(page, state, locale))} ${part('acts', acts(page, locale))}
      <noscript><p><a class="button" href=${saleAt(page.requestId)}>${locale.words.till.look}</a></p></noscript>
    `,
  })
}

/** What comes and goes with the state stands below what stays, so that the code that a buyer scans keeps its place. */
const saleCard = (page: SalePage, state: SaleState, locale: Locale) => {
  const words = locale.words.till
  const { price, note, hasParts, expiresAt, payAt, receiptAt } = page
  const [title, about] = locale.words.tillStates[state.name]
  const sum = locale.money(price.units, price.currency)
  return html`
    <section class=${`sale ${state.name}`} data-state=${state.name} data-over=${isOpen(page) ? undefined : ''}>
      <p class="sum">${money(locale, price.units, price.currency)}</p>
      ${note && html`<p class="note">${note}</p>`}
      <p class="state" role="status"><strong>${title}</strong></p>
      <p>${about}</p>
      ${isOpen(page) && html`<p class="hint">${words.until} ${time(locale, expiresAt)}</p>`}
      ${(state.name === 'waiting' || state.name === 'underpaid') && code(payAt, words.code(sum), words.scan)}
      ${receiptAt && code(receiptAt, words.receiptCode, words.receipt)}
      ${facts(state, locale)} ${hasParts && !isOpen(page) && state.name !== 'paid' && html`<p>${words.partCame}</p>`}
    </section>
  `
}

const facts = (state: SaleState, locale: Locale) => {
  const words = locale.words.till
  if (state.name === 'soldOut') return html`<p><strong>${state.product}</strong></p>`
  if (state.name === 'seen')
    return state.confirmations !== undefined && html`<p>${words.confirmed(state.confirmations, state.required)}</p>`
  if (state.name !== 'underpaid') return undefined
  return html`
    <dl>
      <dt>${words.missing}</dt>
      <dd class="missing">${coin(locale, state.missing, state.coin)}</dd>
      <dt>${words.came}</dt>
      <dd>${coin(locale, state.paid, state.coin)}</dd>
    </dl>
  `
}

const code = (address: string, label: string, about: string) => html`
  <figure>
    ${qrCode(address, label)}
    <figcaption>${about} <a href=${address} target="_blank" rel="noopener">${new URL(address).host}</a></figcaption>
  </figure>
`

const acts = (page: SalePage, locale: Locale) => {
  const { member, storeId, requestId, transactionId, state, form } = page
  const words = locale.words.till
  const send = (act: string, label: string, named?: string) => html`
    <form method="post" action=${saleAt(requestId)}>
      ${hiddenFields({ csrf: member.csrf, act, form: named })}
      <button type="submit">${label}</button>
    </form>
  `
  const mayAskAgain = state.name === 'expired' || state.name === 'canceled'
  return html`
    <div class="acts" data-over=${isOpen(page) ? undefined : ''}>
      ${mayAskAgain && send('again', words.again, form)}
      ${!isOpen(page) && html`<a class="button" href=${tillAt(storeId)}>${words.next}</a>`}
      ${
        (state.name === 'waiting' || state.name === 'underpaid' || state.name === 'soldOut') &&
        dialog(
          words.cancel,
          html`<p>${words.cancelAbout}</p>
            ${send('cancel', words.cancel)}`,
        )
      }
      ${mayOpen(member, 'payments') && html`<a class="touch" href=${paymentAt(transactionId)}>${words.payment}</a>`}
    </div>
  `
}
