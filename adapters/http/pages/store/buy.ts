import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { questionFields, type SellerQuestions } from './asks.ts'
import { TEST } from './cart.ts'
import { type Face, headingClass } from './face.ts'
import { storeFrame } from './frame.ts'
import { picture } from './goods.ts'

/** What is sold by a saved payment link, before anybody has said that they buy it. */
export type SaleView = {
  readonly title: string
  readonly description: string
  /** "48.00 USD" */
  readonly price: string
  /** What wallets write behind the only coin that it may be paid in; undefined when the buyer chooses. */
  readonly symbol: string | undefined
  /** Whether any coin can be received right now. */
  readonly payable: boolean
  /** The seller's questions to the buyer. */
  readonly asking: SellerQuestions
  /** No money moves when it is bought. */
  readonly test: boolean
}

export type BuyPage = {
  readonly face: Face
  /** The path of a picture of ours. */
  readonly picture: string | undefined
  readonly sold: SaleView
  /** The address of this page, and of our own pictures. */
  readonly address: string
  readonly origin: string
}

/** The page of a payment link, in its store. `status` is another one when its form was refused. */
export const buyPage = ({ face, picture: path, sold, address, origin }: BuyPage, status = 200): Reply => {
  const frame = {
    face,
    canonical: address,
    title: sold.title,
    description: sold.description,
    picture: path && `${origin}${path}`,
    ways: face.home ? [{ label: 'All products', url: face.home }] : [],
    // Whether it can be paid is asked anew each time.
    typed: true,
    kind: 'store-product',
    main: html`
      <article class="goods beside wide">
        <div class="shown">${picture({ picture: path, title: sold.title }, true)}</div>
        <div>
          <h1 class=${headingClass(sold.title)} dir="auto">${sold.title}</h1>
          ${sold.description && html`<p class="lead" dir="auto">${sold.description}</p>`}
          ${sold.test && TEST}
          ${buying(sold)}
        </div>
      </article>
    `,
  }
  return storeFrame(frame, status)
}

/** `action`: the path at which it is bought, when that is not the address of this page. */
type Deal = Pick<SaleView, 'price' | 'symbol' | 'payable' | 'asking'> & { readonly action?: string }

/** One button, which is a form, so that looking opens nothing and it works without script. */
export const buying = ({ price, symbol, payable, asking, action }: Deal) => html`
  <section class="buying" aria-label="Price">
    <p class="asked"><span class="price">${price}</span></p>
    ${
      payable
        ? html`<form method="post" action=${action} class="buy">${questionFields(asking)}<button type="submit">Pay</button></form>
            <p class="hint">${symbol === undefined ? 'You choose how to pay on the next page.' : `To be paid in ${symbol}.`}</p>`
        : html`<p class="hint" role="alert">The seller cannot receive payments right now. Please try again in a few minutes.</p>
            <p><a class="button" href="">Try again</a></p>`
    }
  </section>
`
