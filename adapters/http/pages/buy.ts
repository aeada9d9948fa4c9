import { html } from 'htm/preact'

/** What is sold by a saved payment link, before anybody has said that they buy it. */
export type ForSale = {
  readonly title: string
  readonly description: string
  /** "48.00 USD" */
  readonly price: string
  /** What wallets write behind the only coin that it may be paid in; undefined when the buyer chooses. */
  readonly symbol: string | undefined
  /** Whether any coin can be received right now. */
  readonly payable: boolean
}

/** One button, which is a form, so that looking opens nothing and it works without script. */
export const forSale = ({ title, description, price, symbol, payable }: ForSale) => html`
  <h1 class="sold">${title}</h1>
  ${description && html`<p class="note">${description}</p>`}
  <section class="card" aria-label="Price">
    <p class="asked"><span class="price">${price}</span></p>
    ${
      payable
        ? html`<form method="post" class="buy"><button type="submit">Pay</button></form>
            <p class="hint">${symbol === undefined ? 'You choose the coin on the next page.' : `To be paid in ${symbol}.`}</p>`
        : html`<p class="hint" role="alert">The seller cannot receive payments right now. Please try again in a few minutes.</p>
            <p><a class="button" href="">Try again</a></p>`
    }
  </section>
`
