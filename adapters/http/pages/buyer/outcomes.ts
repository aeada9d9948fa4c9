import { html } from 'htm/preact'
import type { CoinView } from '../plain-words.ts'
import { type HashView, hashFact } from './hash.ts'
import type { BuyerLocale } from './messages/buyer-locale.ts'
import type { Onward } from './receipt.ts'

/** What became of a payment that does not count, or not yet, in plain words. */

export type SeenPayment = {
  readonly price: string
  readonly title: string
  /** Undefined while the chain does not say. */
  readonly confirmations: number | undefined
  readonly required: number
  readonly hash: HashView
}

/** The page of a payment that was seen, but is not yet deep enough in the chain. */
export const seenPage = ({ price, title, confirmations = 0, required, hash }: SeenPayment, locale: BuyerLocale) => {
  const { seen, facts } = locale.words
  return html`
    <h1>${seen.title}</h1>
    <section class="card">
      <p class="state"><span class="pulse" aria-hidden="true"></span>${seen.waiting}</p>
      <p><label for="depth">${seen.depth(locale.number(confirmations), locale.number(required))}</label></p>
      <progress id="depth" max=${required} value=${confirmations}></progress>
      <p class="hint">${seen.hint}</p>
      <dl>
        ${title && html`<dt>${facts.for}</dt><dd>${title}</dd>`}
        <dt>${facts.price}</dt>
        <dd>${price}</dd>
        ${hashFact(hash, locale)}
      </dl>
    </section>
  `
}

/** Money that came: how much of which coin, and by which transaction. */
export type Arrival = { readonly coin: CoinView; readonly units: bigint; readonly hash: HashView }

export type Shortfall = {
  readonly coin: CoinView
  readonly asked: bigint
  /** The sum that came for it, in the coin's smallest unit. */
  readonly came: bigint
  /** The hash of the newest payment. */
  readonly hash: HashView
}

/** Too little for a top-up is not lost: it is on the balance. */
export const shortTopUpPage = (shortfall: Shortfall, onward: Onward | undefined, locale: BuyerLocale) => {
  const { short, receipt } = locale.words
  return html`
    <h1>${short.topUpTitle}</h1>
    <section class="card">
      <p>${short.topUp}</p>
      ${amountsOf(shortfall, locale)}
    </section>
    ${onward && html`<p class="open"><a class="button" href=${onward.href} rel="noreferrer">${receipt.onward(onward.to)}</a></p>`}
  `
}

type UnpaidRest = {
  readonly reference: string
  /** What was sent for the rest when the time was up already. */
  readonly late: readonly Arrival[]
  /** The path at which the buyer begins again; undefined where nothing is sold any more. */
  readonly again: string | undefined
}

/** Too little came in time: the money is the seller's to give back, or to count (N-25). */
export const underpaidPage = (shortfall: Shortfall, { reference, late, again }: UnpaidRest, locale: BuyerLocale) => {
  const { short } = locale.words
  return html`
    <h1>${short.title}</h1>
    <section class="card">
      <p>${short.text}</p>
      ${amountsOf(shortfall, locale, reference)}
      ${late.map((each) => html`<p>${short.late(coinsOf(each.coin, each.units, locale))}</p><dl>${hashFact(each.hash, locale)}</dl>`)}
      <p><strong>${short.keeper}</strong> ${short.contact}</p>
      ${again && html`<p>${short.again(html`<a href=${again} rel="nofollow">${short.againLink}</a>`)}</p>`}
    </section>
  `
}

const amountsOf = ({ coin, asked, came, hash }: Shortfall, locale: BuyerLocale, reference?: string) => {
  const { facts } = locale.words
  return html`
    <dl>
      <dt>${facts.asked}</dt>
      <dd>${coinsOf(coin, asked, locale)}</dd>
      <dt>${facts.arrived}</dt>
      <dd>${coinsOf(coin, came, locale)}</dd>
      <dt>${facts.missing}</dt>
      <dd>${coinsOf(coin, asked - came, locale)}</dd>
      ${hashFact(hash, locale)}
      ${
        reference !== undefined &&
        html`<dt>${facts.reference}</dt>
          <dd class="address"><code>${reference}</code></dd>`
      }
    </dl>
  `
}

const coinsOf = (coin: CoinView, units: bigint, { amount }: BuyerLocale) =>
  html`${amount(units, coin.decimals)} <abbr>${coin.symbol}</abbr>`

/** What came so far, shown before the rest is asked for. */
export const partlyPaid = (shortfall: Shortfall, locale: BuyerLocale) => html`
  <section class="card" aria-labelledby="part">
    <h2 id="part">${locale.words.part.heading}</h2>
    <p>${locale.words.part.text}</p>
    ${amountsOf(shortfall, locale)}
  </section>
`

/** Money that came when it could buy nothing any more: after the time was up, a second time, or with no piece left. */
export const strayPage = (
  reason: 'late' | 'doubled' | 'soldOut',
  { coin, units, hash }: Arrival,
  { reference, keeper }: { readonly reference: string; readonly keeper: 'theirs' | 'ours' },
  locale: BuyerLocale,
) => {
  const { stray, facts } = locale.words
  return html`
    <h1>${stray[reason]}</h1>
    <section class="card">
      <p>${stray[`${reason}Text`]}</p>
      <dl>
        <dt>${facts.arrived}</dt>
        <dd>${coinsOf(coin, units, locale)}</dd>
        ${hashFact(hash, locale)}
        <dt>${facts.reference}</dt>
        <dd class="address"><code>${reference}</code></dd>
      </dl>
      <p><strong>${stray[keeper]}</strong> ${keeper === 'ours' ? stray.askUs : stray.askThem}</p>
    </section>
  `
}

/** Nothing came in time. `again` asks for a new amount and a new hour; undefined when only the seller can give them. */
export const expiredPage = (
  expiredAt: string,
  again: string | undefined,
  { words: { expired }, moment }: BuyerLocale,
) => html`
  <h1>${expired.title}</h1>
  <section class="card">
    <p>${expired.text(html`<time datetime=${expiredAt}>${moment(expiredAt)}</time>`)}</p>
    ${
      again
        ? html`<p><a class="button" href=${again} rel="nofollow">${expired.again}</a></p>`
        : html`<p>${expired.ask}</p>`
    }
    <p class="hint">${expired.inTime} <a href="">${expired.lookAgain}</a></p>
  </section>
`
