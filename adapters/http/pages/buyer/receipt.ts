import { html } from 'htm/preact'
import type { CoinView } from '../plain-words.ts'
import { type HashView, hashFact } from './hash.ts'
import type { BuyerLocale } from './messages/buyer-locale.ts'
import { type ReceiptMail, receiptMailForm } from './receipt-mail.ts'

/** The page of a payment that counts: a receipt, on the screen and on paper. */

export type Onward = { readonly href: string; readonly to: string }

export type Receipt = {
  readonly seller: string
  /** "100.00 USD" */
  readonly price: string
  readonly title: string
  /** What the sale said to its buyer beside the title: what a discount has taken off, for example. */
  readonly note: string
  readonly reference: string
  /** What the buyer chose among what the seller offers; nothing that a buyer has typed. */
  readonly chosen?: readonly ChosenOption[]
  /** When it was paid by card: the processor's id of the charge, and when the money came. */
  readonly card?: { readonly charge: string; readonly at?: string }
  /** What is known of a refund, in words. */
  readonly refund?: string | undefined
  /** What was paid, where it is known: a sale of the past may only be known to have happened. */
  readonly payment?: ReceivedPayment
}

export type ChosenOption = { readonly label: string; readonly value: string }

type ReceivedPayment = {
  readonly coin: CoinView
  readonly units?: bigint
  readonly hash: HashView
  readonly at?: string
  /** US dollars for one whole coin; undefined where the price was in coin. */
  readonly rate?: string | undefined
}

/** Where a buyer goes from a receipt. */
type ReceiptWays = {
  /** The page to which the seller leads the buyer: it is only ever a link, which the script may follow later. */
  readonly redirect: Onward | undefined
  /** The path at which the buyer sees what they bought, where there is more to see. */
  readonly orderAt: string | undefined
  /** The form that sends the receipt by mail, where that may be. */
  readonly mail?: ReceiptMail | undefined
}

export const paidPage = (receipt: Receipt, { redirect, orderAt, mail }: ReceiptWays, locale: BuyerLocale) => {
  const { receipt: words } = locale.words
  return html`
    <div class="done" aria-hidden="true">
      <svg viewBox="0 0 24 24"><path d="M5 12.5l4.5 4.5L19 7.5" fill="none" stroke="currentColor" stroke-width="2.5" /></svg>
    </div>
    <h1>${words.title}</h1>
    <section class="card receipt" aria-label=${words.label}>${receiptList(receipt, locale)}</section>
    <p class="open"><button type="button" class="plain" data-print hidden>${words.print}</button></p>
    ${orderAt && html`<p><a href=${orderAt}>${words.order}</a></p>`}
    ${redirect && onward(redirect, locale)}
    ${mail && receiptMailForm(mail, locale)}
  `
}

const onward = ({ href, to }: Onward, { words: { receipt } }: BuyerLocale) => html`
  <p class="open"><a class="button" href=${href} data-onward rel="noreferrer">${receipt.onward(to)}</a></p>
  <p class="hint" data-leaving hidden>
    ${receipt.leaving(html`<span data-seconds></span>`)}
    <button type="button" class="plain" data-stay>${receipt.stay}</button>
  </p>
`

const receiptList = (receipt: Receipt, locale: BuyerLocale) => {
  const { seller, price, title, note, chosen = [], reference, payment, card, refund } = receipt
  const { facts, receipt: words } = locale.words
  return html`
    <dl>
      <dt>${words.seller}</dt>
      <dd><bdi>${seller}</bdi></dd>
      ${title && html`<dt>${facts.for}</dt><dd>${title}</dd>`}
      ${note && html`<dt>${words.details}</dt><dd class="note">${note}</dd>`}
      ${chosen.length > 0 && html`<dt>${words.chosen}</dt>`}
      ${chosen.map(({ label, value }) => html`<dd>${label}: ${value}</dd>`)}
      <dt>${facts.price}</dt>
      <dd>${price}</dd>
      ${payment && paymentFacts(payment, locale)}
      ${
        card &&
        html`<dt>${words.how}</dt>
          <dd>${words.byCard}</dd>
          ${card.at && moment(card.at, locale)}
          <dt>${facts.charge}</dt>
          <dd class="address"><code>${card.charge}</code></dd>`
      }
      <dt>${facts.reference}</dt>
      <dd class="address"><code>${reference}</code></dd>
      ${refund && html`<dt>${words.refund}</dt><dd>${refund}</dd>`}
    </dl>
  `
}

const paymentFacts = ({ coin, units, hash, at, rate }: ReceivedPayment, locale: BuyerLocale) => {
  const { receipt: words } = locale.words
  const coins = units !== undefined && html`${locale.amount(units, coin.decimals)} <abbr>${coin.symbol}</abbr>`
  return html`
    ${coins && html`<dt>${words.received}</dt><dd>${words.on(coins, coin.network)}</dd>`}
    ${rate && html`<dt>${words.rate}</dt><dd>${words.rateOf(coin.symbol, locale.decimal(rate))}</dd>`}
    <dt>${words.fee}</dt>
    <dd>${words.noFee}</dd>
    ${at && moment(at, locale)}
    ${hashFact(hash, locale)}
  `
}

const moment = (at: string, locale: BuyerLocale) => html`
  <dt>${locale.words.receipt.when}</dt>
  <dd><time datetime=${at}>${locale.moment(at)}</time></dd>
`
