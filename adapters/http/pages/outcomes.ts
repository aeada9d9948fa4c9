import { html } from 'htm/preact'
import { type CoinView, coinAmount, moment } from './plain-words.ts'

/** What became of a payment, in plain words. */

type Onward = { readonly href: string; readonly to: string }

export type Receipt = {
  /** "100.00 USD" */
  readonly price: string
  readonly title: string
  readonly reference: string
  /** The card processor's id of the charge, when it was paid by card. */
  readonly charge?: string
  /** What was paid, where it is known: a sale of the past may only be known to have happened. */
  /** What is known of a refund, in words. */
  readonly refund?: string | undefined
  readonly payment?: { readonly coin: CoinView; readonly units?: bigint; readonly hash: string; readonly at?: string }
}

/**
 * The page of a payment that was seen, but is not yet deep enough in the chain. `confirmations` is undefined while the
 * chain does not say.
 */
export const seenPage = (
  { price, title }: { price: string; title: string },
  confirmations: number | undefined,
  required: number,
  hash: string,
) => html`
  <h1>Payment seen</h1>
  <section class="card">
    <p class="state"><span class="pulse" aria-hidden="true"></span>Waiting for confirmations</p>
    <p><label for="depth">${confirmations ?? 0} of ${required} confirmations</label></p>
    <progress id="depth" max=${required} value=${confirmations ?? 0}></progress>
    <p class="hint">
      Each block that is built on top of your payment confirms it once more. You need not do anything, and may close this page: your payment
      is on its way.
    </p>
    <dl>
      ${title && html`<dt>For</dt><dd>${title}</dd>`}
      <dt>Price</dt>
      <dd>${price}</dd>
      ${hashOf(hash)}
    </dl>
  </section>
`

/** Too little for a top-up is not lost: it is on the balance. */
export const shortTopUpPage = (shortfall: Shortfall, onward: Onward | undefined) => html`
  <h1>Less came than was asked for</h1>
  <section class="card">
    <p>What arrived was added to your balance.</p>
    ${amountsOf(shortfall)}
  </section>
  ${onward && html`<p class="open"><a class="button" href=${onward.href} rel="noreferrer">Continue to ${onward.to}</a></p>`}
`

/**
 * The receipt. `redirect` is the page to which the seller wants the buyer to go on; it is only ever a link, which the
 * script may follow later. `orderAt` is the path at which the buyer sees what they bought, where there is more to see.
 */
export const paidPage = (receipt: Receipt, redirect: Onward | undefined, orderAt?: string) => html`
  <div class="done" aria-hidden="true">
    <svg viewBox="0 0 24 24"><path d="M5 12.5l4.5 4.5L19 7.5" fill="none" stroke="currentColor" stroke-width="2.5" /></svg>
  </div>
  <h1>Paid</h1>
  <section class="card" aria-label="Receipt">${receiptList(receipt)}</section>
  ${orderAt && html`<p><a href=${orderAt}>See your order</a></p>`}
  ${
    redirect &&
    html`<p class="open"><a class="button" href=${redirect.href} data-onward rel="noreferrer">Continue to ${redirect.to}</a></p>
      <p class="hint" data-leaving hidden>
        You are taken there in <span data-seconds></span> seconds. <button type="button" class="plain" data-stay>Stay here</button>
      </p>`
  }
`

const receiptList = ({ price, title, reference, payment, charge, refund }: Receipt) => html`
  <dl>
    ${title && html`<dt>For</dt><dd>${title}</dd>`}
    <dt>Price</dt>
    <dd>${price}</dd>
    ${
      payment?.units !== undefined &&
      html`<dt>Received</dt>
        <dd>${coinAmount(payment.units, payment.coin.decimals)} <abbr>${payment.coin.symbol}</abbr> on ${payment.coin.network}</dd>`
    }
    ${payment?.at && html`<dt>When</dt><dd><time datetime=${payment.at}>${moment(payment.at)}</time></dd>`}
    ${payment && hashOf(payment.hash)}
    ${
      charge &&
      html`<dt>Paid</dt>
        <dd>By card</dd>
        <dt>Charge</dt>
        <dd class="address"><code>${charge}</code></dd>`
    }
    <dt>Reference</dt>
    <dd class="address"><code>${reference}</code></dd>
    ${refund && html`<dt>Refund</dt><dd>${refund}</dd>`}
  </dl>
`

export type Shortfall = {
  readonly coin: CoinView
  readonly asked: bigint
  /** The sum that came for it, in the coin's smallest unit. */
  readonly came: bigint
  /** The hash of the newest payment. */
  readonly hash: string
}

/** Too little came in time: the money is the seller's to give back, or to count (N-25). */
export const underpaidPage = (shortfall: Shortfall, reference: string, again: string | undefined) => html`
  <h1>Not enough was paid</h1>
  <section class="card">
    <p>Your payment arrived, but it is less than was asked, and the time to pay the rest is up. It does not count as paid.</p>
    ${amountsOf(shortfall, reference)}
    <p>
      <strong>The seller has this money.</strong> Please contact the seller and give the transaction hash: they can return it or count it.
      Sending the rest here does not help.
    </p>
    ${again && html`<p>You can also pay the whole amount anew: <a href=${again} rel="nofollow">choose a coin again</a>.</p>`}
  </section>
`

const amountsOf = ({ coin, asked, came, hash }: Shortfall, reference?: string) => html`
  <dl>
    <dt>Asked</dt>
    <dd>${coinAmount(asked, coin.decimals)} <abbr>${coin.symbol}</abbr></dd>
    <dt>Arrived</dt>
    <dd>${coinAmount(came, coin.decimals)} <abbr>${coin.symbol}</abbr></dd>
    <dt>Missing</dt>
    <dd>${coinAmount(asked - came, coin.decimals)} <abbr>${coin.symbol}</abbr></dd>
    ${hashOf(hash)}
    ${
      reference !== undefined &&
      html`<dt>Reference</dt>
        <dd class="address"><code>${reference}</code></dd>`
    }
  </dl>
`

/** What came so far, shown before the rest is asked for. */
export const partlyPaid = (shortfall: Shortfall) => html`
  <section class="card" aria-labelledby="part">
    <h2 id="part">A part of this is paid</h2>
    <p>Your payment arrived, but it is less than was asked. Send the rest as it is shown here, and it counts as paid.</p>
    ${amountsOf(shortfall)}
  </section>
`

/** Money that came when it could buy nothing any more: after the time was up, or a second time. */
export const strayPage = (
  reason: 'late' | 'doubled',
  payment: { coin: CoinView; units: bigint; hash: string },
  reference: string,
  keeper: 'The seller' | 'Daybook',
) => html`
  <h1>${reason === 'late' ? 'Your payment came too late' : 'This was paid before'}</h1>
  <section class="card">
    <p>
      ${
        reason === 'late'
          ? 'Your payment arrived after the time for it was up, so it does not count as paid.'
          : 'Your payment arrived, but what it was for was paid already, so it bought nothing.'
      }
    </p>
    <dl>
      <dt>Arrived</dt>
      <dd>${coinAmount(payment.units, payment.coin.decimals)} <abbr>${payment.coin.symbol}</abbr></dd>
      ${hashOf(payment.hash)}
      <dt>Reference</dt>
      <dd class="address"><code>${reference}</code></dd>
    </dl>
    <p>
      <strong>${keeper} has this money.</strong> Please contact ${keeper === 'Daybook' ? keeper : 'the seller'} and give the transaction hash,
      so that they can return it.
    </p>
  </section>
`

/** Nothing came in time. `again` asks for a new amount and a new hour; undefined when only the seller can give them. */
export const expiredPage = (expiredAt: string, again: string | undefined) => html`
  <h1>The time to pay is up</h1>
  <section class="card">
    <p>Nothing had arrived by <time datetime=${expiredAt}>${moment(expiredAt)}</time>. Please do not send anything to the old address now.</p>
    ${
      again
        ? html`<p><a class="button" href=${again} rel="nofollow">Start again</a></p>`
        : html`<p>Please ask the seller for a new link.</p>`
    }
    <p class="hint">Sent in time? A payment that was made before then still counts: it shows here once the chain has it. <a href="">Look again</a></p>
  </section>
`

const hashOf = (hash: string) => html`
  <dt>Transaction hash</dt>
  <dd class="address"><code>${hash}</code></dd>
`
