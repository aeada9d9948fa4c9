import { html } from 'htm/preact'
import type { BuyerLocale } from './messages/buyer-locale.ts'

/** What a buyer sees of a payment by card on our side: the card itself is typed in at the processor alone (N-31). */

/** The link that leads to the processor: a link needs no script. */
export const cardChoice = (href: string, { words: { choose } }: BuyerLocale) => html`
  <p><a class="button" href=${href} rel="nofollow">${choose.card}</a></p>
  <p class="hint">${choose.cardHint}</p>
`

/** The buyer is back before the processor has said that it has the money. */
export const cardWaitsPage = (
  price: string,
  title: string,
  back: string,
  { words: { card, facts, choose } }: BuyerLocale,
) => html`
  <h1>${card.waits}</h1>
  <section class="card">
    <p class="state"><span class="pulse" aria-hidden="true"></span>${card.unconfirmed}</p>
    <dl>
      ${title && html`<dt>${facts.for}</dt><dd>${title}</dd>`}
      <dt>${facts.price}</dt>
      <dd>${price}</dd>
    </dl>
    <p class="hint">${card.hint}</p>
    <p>${card.unpaidYet(html`<a href=${back} rel="nofollow">${choose.how}</a>`)}</p>
  </section>
`

/** The page of the processor was closed unpaid, or the bank has refused. */
export const cardUnpaidPage = (again: string | undefined, { words: { card, choose, expired } }: BuyerLocale) => html`
  <h1>${card.unpaid}</h1>
  <section class="card">
    <p>${card.unpaidText}</p>
    ${
      again
        ? html`<p><a class="button" href=${again} rel="nofollow">${choose.how}</a></p>`
        : html`<p>${expired.ask}</p>`
    }
  </section>
`

/** Something else was paid than was asked for, if anything. */
export const oddCardPage = (reference: string, { words: { stray, card, facts } }: BuyerLocale) => html`
  <h1>${stray.title}</h1>
  <section class="card">
    <p>${card.odd}</p>
    <dl>
      <dt>${facts.reference}</dt>
      <dd class="address"><code>${reference}</code></dd>
    </dl>
    <p>${card.oddKeeper(html`<strong>${card.theirs}</strong>`)}</p>
  </section>
`

/** The page of a second payment for a sale that takes only one, or of one that came without a piece left. */
export const strayCardPage = (
  reason: 'doubled' | 'soldOut',
  { price, reference, charge }: { price: string; reference: string; charge: string },
  { words: { stray, card, facts } }: BuyerLocale,
) => html`
  <h1>${stray[reason]}</h1>
  <section class="card">
    <p>${card[reason]}</p>
    <dl>
      <dt>${facts.charged}</dt>
      <dd>${price}</dd>
      <dt>${facts.charge}</dt>
      <dd class="address"><code>${charge}</code></dd>
      <dt>${facts.reference}</dt>
      <dd class="address"><code>${reference}</code></dd>
    </dl>
    <p><strong>${card.doubledKeeper}</strong> ${card.doubledAsk}</p>
  </section>
`
