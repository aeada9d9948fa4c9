import { html } from 'htm/preact'
import type { CoinView } from '../plain-words.ts'
import { qrCode } from '../qr.ts'
import { browserWallet } from './browser-wallet.ts'
import { askedHeading, type SaleHeading } from './choose.ts'
import { lookUpLink } from './hash.ts'
import type { BuyerLocale } from './messages/buyer-locale.ts'
import { partlyPaid, type Shortfall } from './outcomes.ts'
import type { WalletCall } from './wallet-call.ts'

/** The page that people pay on: what to send, to which address and until when. */

export type PaymentPage = {
  readonly asked: SaleHeading
  readonly coin: CoinView
  readonly units: bigint
  /** The amount without separators, as it is pasted. */
  readonly plainAmount: string
  readonly payTo: string
  /** Where the address can be looked up; undefined where nobody shows its chain. */
  readonly payToAt: string | undefined
  /** What came so far, when this is the rest. */
  readonly came: Shortfall | undefined
  /** How the payment is recognised: by its amount, or by its address. */
  readonly match: 'amount' | 'address'
  readonly walletLink: string | undefined
  /** What a wallet in the browser can be asked to send; undefined where no such wallet knows the network. */
  readonly walletCall: WalletCall | undefined
  readonly expiresAt: string
  readonly secondsLeft: number
  readonly challengeId: string
  readonly test: boolean
  /** The path at which another coin can be chosen. */
  readonly back: string
  readonly posted: PostedHash | undefined
}

/** A hash that was posted, and why it did not pay. */
export type PostedHash = { readonly hash: string; readonly said: 'unknown' | 'other' | 'taken' | 'down' }

export const payPage = (view: PaymentPage, locale: BuyerLocale) => {
  const { pay } = locale.words
  return html`
    ${askedHeading(view.asked, locale)}
    ${view.came && partlyPaid(view.came, locale)}
    <p class="state"><span class="pulse" aria-hidden="true"></span>${view.came ? pay.waitingRest : pay.waiting}</p>
    <section class=${view.test ? 'card pay without' : 'card pay'} aria-label=${pay.details}>
      <dl class="what">
        <dt>${pay.exactly}</dt>
        <dd class="big">
          <span>${locale.amount(view.units, view.coin.decimals)} <abbr>${view.coin.symbol}</abbr></span>
          ${copyButton(view.plainAmount, 'amount', locale)}
        </dd>
        <dt>${pay.network}</dt>
        <dd>${view.coin.network}</dd>
      </dl>
      ${view.walletLink && !view.test && html`<p class="open"><a class="button" href=${view.walletLink}>${pay.open}</a></p>`}
      ${!view.test && code(view, locale)}
      <dl class="where">
        <dt>${pay.address}</dt>
        <dd class="address">
          <code>${view.payTo}</code>
          ${copyButton(view.payTo, 'address', locale)}
        </dd>
        ${view.payToAt && html`<dd>${lookUpLink(view.payToAt, locale)}</dd>`}
        <dt>${pay.left}</dt>
        <dd>${timeLeft(view, locale)}</dd>
      </dl>
    </section>
    ${view.walletCall && browserWallet(view.walletCall, view.coin.network, locale)}
    ${warning(view, locale)}
    ${hashForm(view, locale)}
    <p><a href=${view.back} rel="nofollow">${pay.another}</a></p>
  `
}

/** `data-unit` holds the words for minutes, with `0` where the script puts the time. */
const timeLeft = ({ secondsLeft, expiresAt }: PaymentPage, { words: { pay }, moment, number }: BuyerLocale) =>
  pay.until(
    html`<span data-left=${secondsLeft} data-unit=${pay.minutes('0')}>${pay.minutes(number(Math.ceil(secondsLeft / 60)))}</span>`,
    html`<time datetime=${expiresAt}>${moment(expiresAt)}</time>`,
  )

const code = ({ walletLink, payTo, coin, plainAmount }: PaymentPage, { words: { pay } }: BuyerLocale) => html`
  <div class="code">
    ${qrCode(scannable(walletLink, payTo, coin), pay.qr(`${plainAmount} ${coin.symbol}`, payTo))}
    <p class="hint">${pay.scan}</p>
  </div>
`

/** TRON's most used wallet scans an address and refuses its own kind of link. */
const scannable = (walletLink: string | undefined, payTo: string, { family }: CoinView): string =>
  walletLink === undefined || family === 'tron' ? payTo : walletLink

/** A button that only the script shows: without the script it could do nothing. It brings the words of the script. */
const copyButton = (text: string, what: 'amount' | 'address', { words: { copy } }: BuyerLocale) => html`
  <button
    type="button"
    class="copy"
    data-copy=${text}
    data-what=${what}
    data-copied=${copy.copied}
    data-select=${copy.select}
    data-done=${copy[`${what}Copied`]}
    data-failed=${copy[`${what}Failed`]}
    aria-label=${copy[what]}
    hidden
  >
    ${copy.copy}
  </button>
`

const warning = ({ coin, match, test }: PaymentPage, { words: { pay } }: BuyerLocale) =>
  test
    ? html`<p class="warning">${pay.testOnly}</p>`
    : html`
        <p class="warning">
          <strong>${pay.only(coin.name, coin.network)}</strong> ${pay.lost} ${match === 'amount' && pay.everyDigit}
        </p>
      `

const hashForm = ({ challengeId, posted, test }: PaymentPage, { words: { lookUp, facts } }: BuyerLocale) => {
  if (test) return null
  const form = html`
    <form method="post">
      <input type="hidden" name="challenge" value=${challengeId} />
      <label for="hash">${facts.hash}</label>
      <p id="hash-how" class="hint">${lookUp.hashHint}</p>
      <input
        id="hash"
        name="hash"
        type="text"
        required
        maxlength="200"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        aria-describedby=${posted ? 'hash-how hash-said' : 'hash-how'}
        aria-invalid=${posted ? 'true' : undefined}
        value=${posted?.hash}
      />
      ${posted && html`<p id="hash-said" class="wrong" role="alert">${lookUp[posted.said]}</p>`}
      <button type="submit">${lookUp.button}</button>
    </form>
  `
  return html`
    <details class="card" open=${posted !== undefined}>
      <summary>${lookUp.nothing}</summary>
      <p>${lookUp.hint}</p>
      ${form}
    </details>
  `
}
