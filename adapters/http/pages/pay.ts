import { html } from 'htm/preact'
import { askedHeading, type SaleHeading } from './choose.ts'
import { partlyPaid, type Shortfall } from './outcomes.ts'
import { type CoinView, coinAmount, moment } from './plain-words.ts'
import { qrCode } from './qr.ts'

/** The page that people pay on: what to send, to which address and until when. */

export type PaymentPage = {
  readonly asked: SaleHeading
  readonly coin: CoinView
  readonly units: bigint
  /** The amount without separators, as it is pasted. */
  readonly plainAmount: string
  readonly payTo: string
  /** What came so far, when this is the rest. */
  readonly came: Shortfall | undefined
  /** How the payment is recognised: by its amount, or by its address. */
  readonly match: 'amount' | 'address'
  readonly walletLink: string | undefined
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

const SAID: Readonly<Record<PostedHash['said'], string>> = {
  unknown: 'The chain does not know this transaction yet. That can take a minute: please look it up again then.',
  other:
    'This transaction does not pay what is asked here. Please check that you copied the whole hash, and paid this address in this coin.',
  taken: 'This transaction has already paid for something else.',
  down: 'The chain cannot be asked right now. Please try again in a moment.',
}

export const payPage = (view: PaymentPage) => html`
  ${askedHeading(view.asked)}
  ${view.came && partlyPaid(view.came)}
  <p class="state"><span class="pulse" aria-hidden="true"></span>Waiting for ${view.came ? 'the rest' : 'your payment'}</p>
  <section class=${view.test ? 'card pay without' : 'card pay'} aria-label="Payment details">
    <dl class="what">
      <dt>Send exactly</dt>
      <dd class="big">
        <span>${coinAmount(view.units, view.coin.decimals)} <abbr>${view.coin.symbol}</abbr></span>
        ${copyButton(view.plainAmount, 'amount')}
      </dd>
      <dt>On the network</dt>
      <dd>${view.coin.network}</dd>
    </dl>
    ${view.walletLink && !view.test && html`<p class="open"><a class="button" href=${view.walletLink}>Open in wallet</a></p>`}
    ${!view.test && code(view)}
    <dl class="where">
      <dt>To this address</dt>
      <dd class="address">
        <code>${view.payTo}</code>
        ${copyButton(view.payTo, 'address')}
      </dd>
      <dt>Time left</dt>
      <dd>
        <span data-left=${view.secondsLeft}>${Math.ceil(view.secondsLeft / 60)} min</span>, until <time datetime=${view.expiresAt}>${moment(view.expiresAt)}</time>
      </dd>
    </dl>
  </section>
  ${warning(view)}
  ${hashForm(view)}
  <p><a href=${view.back} rel="nofollow">Choose another coin</a></p>
`

const code = ({ walletLink, payTo, coin, plainAmount }: PaymentPage) => html`
  <div class="code">
    ${qrCode(scannable(walletLink, payTo, coin), `QR code to pay ${plainAmount} ${coin.symbol} to ${payTo}`)}
    <p class="hint">Scan with your wallet</p>
  </div>
`

/** TRON's most used wallet scans an address and refuses its own kind of link. */
const scannable = (walletLink: string | undefined, payTo: string, { family }: CoinView): string =>
  walletLink === undefined || family === 'tron' ? payTo : walletLink

/** A button that only the script shows: without the script it could do nothing. */
const copyButton = (text: string, what: string) => html`
  <button type="button" class="copy" data-copy=${text} data-what=${what} hidden>
    Copy<span class="unseen"> the ${what}</span>
  </button>
`

const warning = ({ coin, match, test }: PaymentPage) =>
  test
    ? html`<p class="warning">This is a test. Do not send real coins: nothing sent here counts or comes back.</p>`
    : html`
        <p class="warning">
          <strong>Only ${coin.name} on the ${coin.network} network arrives here.</strong> Another coin, or the same coin on another network,
          is lost. ${match === 'amount' && 'Send every digit of the amount: the last ones tell your payment from others.'}
        </p>
      `

const hashForm = ({ challengeId, posted, test }: PaymentPage) => {
  if (test) return null
  const form = html`
    <form method="post">
      <input type="hidden" name="challenge" value=${challengeId} />
      <label for="hash">Transaction hash</label>
      <p id="hash-how" class="hint">Your wallet shows it beside the payment, sometimes as “transaction ID”.</p>
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
      ${posted && html`<p id="hash-said" class="wrong" role="alert">${SAID[posted.said]}</p>`}
      <button type="submit">Look it up</button>
    </form>
  `
  return html`
    <details class="card" open=${posted !== undefined}>
      <summary>I have paid and nothing happens</summary>
      <p>A payment shows here by itself within a minute or two. If yours does not, enter the hash of its transaction.</p>
      ${form}
    </details>
  `
}
