import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { questionFields, type SellerQuestions } from './asks.ts'
import { testLine, waysHome } from './cart.ts'
import { type Face, headingClass } from './face.ts'
import { storeFrame } from './frame.ts'
import { picture } from './goods.ts'
import type { StoreLocale } from './messages/store-locale.ts'

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
  /** Whether there is no piece left. */
  readonly soldOut: boolean
  /** The seller's questions to the buyer. */
  readonly asking: SellerQuestions
  /** No money moves when it is bought. */
  readonly test: boolean
}

/** One form of the product, which is bought at a page of its own. */
type VariantView = {
  /** What it is of each choice, such as "50 g / blue". */
  readonly label: string
  /** "48.00 USD" */
  readonly price: string
  readonly href: string
  readonly isThis: boolean
}

export type BuyPage = {
  readonly face: Face
  /** Paths of pictures of ours. */
  readonly pictures: readonly string[]
  readonly sold: SaleView
  /** The forms that the product is sold in; none where it has one alone. */
  readonly variants: readonly VariantView[]
  /** The address of this page, and of our own pictures. */
  readonly address: string
  readonly origin: string
}

/** The page of a payment link, in its store. `status` is another one when its form was refused. */
export const buyPage = ({ face, pictures, sold, variants, address, origin }: BuyPage, status = 200): Reply => {
  const [path, ...more] = pictures
  const frame = {
    face,
    canonical: address,
    title: sold.title,
    description: sold.description,
    picture: path && `${origin}${path}`,
    ways: waysHome(face),
    // Whether it can be paid is asked anew each time.
    typed: true,
    kind: 'store-product',
    main: html`
      <article class="goods beside wide">
        <div class="shown">
          ${picture({ picture: path, title: sold.title }, true)}
          ${more.length > 0 && html`<div class="more">${more.map((each) => picture({ picture: each, title: sold.title }))}</div>`}
        </div>
        <div>
          <h1 class=${headingClass(sold.title)} dir="auto">${sold.title}</h1>
          ${sold.description && html`<p class="lead" dir="auto">${sold.description}</p>`}
          ${variants.length > 1 && variantList(face.locale, variants)}
          ${sold.test && testLine(face.locale)}
          ${buying({ ...sold, locale: face.locale })}
        </div>
      </article>
    `,
  }
  return storeFrame(frame, status)
}

const variantList = ({ words }: StoreLocale, variants: readonly VariantView[]) => html`
  <nav class="variants" aria-label=${words.variants}>
    <ul>
      ${variants.map(
        ({ label, price, href, isThis }) => html`
          <li><a href=${href} aria-current=${isThis ? 'page' : undefined}><b dir="auto">${label}</b> ${price}</a></li>
        `,
      )}
    </ul>
  </nav>
`

/** `action`: the path at which it is bought, when that is not the address of this page. */
type Deal = Pick<SaleView, 'price' | 'symbol' | 'payable' | 'soldOut' | 'asking'> & {
  readonly action?: string
  readonly locale: StoreLocale
}

/** One button, which is a form, so that looking opens nothing and it works without script. None if it is sold out. */
export const buying = (deal: Deal) => html`
  <section class="buying" aria-label=${deal.locale.words.price}>
    <p class="asked"><span class="price">${deal.price}</span></p>
    ${deal.soldOut ? html`<p role="status"><strong>${deal.locale.words.soldOut}</strong></p>` : button(deal)}
  </section>
`

const button = ({ symbol, payable, asking, action, locale: { words }, locale }: Deal) =>
  payable
    ? html`<form method="post" action=${action} class="buy">${questionFields(locale, asking)}<button type="submit">${words.pay}</button></form>
        <p class="hint">${symbol === undefined ? words.choose : words.paidIn(symbol)}</p>`
    : html`<p class="hint" role="alert">${words.notNow}</p>
        <p><a class="button" href="">${words.again}</a></p>`
