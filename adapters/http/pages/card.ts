import { html } from 'htm/preact'

/** What a buyer sees of a payment by card on our side: the card itself is typed in at the processor alone (N-31). */

/** The link that leads to the processor: a link needs no script. */
export const cardChoice = (href: string) => html`
  <p><a class="button" href=${href} rel="nofollow">Pay by card</a></p>
  <p class="hint">On the page of the seller’s card processor. Your card is not shown to Daybook.</p>
`

/** The buyer is back before the processor has said that it has the money. */
export const cardWaitsPage = (price: string, title: string, back: string) => html`
  <h1>Waiting for your payment</h1>
  <section class="card">
    <p class="state"><span class="pulse" aria-hidden="true"></span>The card processor has not confirmed it yet</p>
    <dl>
      ${title && html`<dt>For</dt><dd>${title}</dd>`}
      <dt>Price</dt>
      <dd>${price}</dd>
    </dl>
    <p class="hint">Some banks take a while. You need not do anything, and may close this page: what you have paid counts.</p>
    <p>Not paid yet? <a href=${back} rel="nofollow">Choose how to pay</a></p>
  </section>
`

/** The page of the processor was closed unpaid, or the bank has refused. */
export const cardUnpaidPage = (again: string | undefined) => html`
  <h1>Nothing was paid</h1>
  <section class="card">
    <p>The payment by card did not come about. Should your card have been charged all the same, please contact the seller.</p>
    ${
      again
        ? html`<p><a class="button" href=${again} rel="nofollow">Choose how to pay</a></p>`
        : html`<p>Please ask the seller for a new link.</p>`
    }
  </section>
`

/** Something else was paid than was asked for, if anything. */
export const oddCardPage = (reference: string) => html`
  <h1>This payment does not count</h1>
  <section class="card">
    <p>What the card processor says of it is not what was asked for, so it bought nothing.</p>
    <dl>
      <dt>Reference</dt>
      <dd class="address"><code>${reference}</code></dd>
    </dl>
    <p>If your card was charged, <strong>the seller has this money.</strong> Please contact the seller and give the reference, so that they can return it.</p>
  </section>
`

/** The page of a second payment for a sale that takes only one. */
export const doubledCardPage = ({
  price,
  reference,
  charge,
}: {
  price: string
  reference: string
  charge: string
}) => html`
  <h1>This was paid before</h1>
  <section class="card">
    <p>Your card was charged, but what it was for was paid already, so it bought nothing.</p>
    <dl>
      <dt>Charged</dt>
      <dd>${price}</dd>
      <dt>Charge</dt>
      <dd class="address"><code>${charge}</code></dd>
      <dt>Reference</dt>
      <dd class="address"><code>${reference}</code></dd>
    </dl>
    <p><strong>The seller has this money.</strong> Please contact the seller and give the reference, so that they can return it.</p>
  </section>
`
