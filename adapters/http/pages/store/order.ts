import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { type Basket, basket, testLine, waysHome } from './cart.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'
import type { StoreLocale } from './messages/store-locale.ts'

/**
 * An order for its buyer: what was bought, and what the seller says about its delivery (C-ORD-01). It tells nothing of
 * the buyer.
 */

export type OrderPage = {
  readonly face: Face
  readonly id: string
  readonly basket: Basket
  readonly placedAt: string
  /** The steps of the order, oldest first. */
  readonly steps: readonly OrderStep[]
  readonly receiptAt: string | undefined
  readonly test: boolean
}

export type OrderStep = {
  readonly at: string
  readonly words: string
  /** What the seller says about the step; may be empty. */
  readonly description: string
  readonly trackingUrl: string | undefined
}

export const orderPage = ({ face, id, test, basket: bought, placedAt, steps, receiptAt }: OrderPage): Reply => {
  const { locale } = face
  const { words } = locale
  return storeFrame({
    face,
    title: words.cart.open,
    description: '',
    canonical: undefined,
    fleeting: true,
    kind: 'store-cart',
    ways: waysHome(face),
    main: html`
      <article class="cart wide">
        <h1>${words.cart.open}</h1>
        ${test && testLine(locale)}
        <p class="hint"><code>${id}</code>${words.paidBy}${at(locale, placedAt)}.</p>
        ${basket(locale, bought)}
        ${steps.length > 0 && html`<h2>${words.happened}</h2><ul class="steps">${steps.map((step) => stepLine(locale, step))}</ul>`}
        ${receiptAt && html`<p><a href=${receiptAt}>${words.seeReceipt}</a></p>`}
      </article>
    `,
  })
}

const stepLine = (locale: StoreLocale, { at: when, words, description, trackingUrl }: OrderStep) => html`
  <li>
    <span class="hint">${at(locale, when)}</span><br />
    <bdi>${words}</bdi>
    ${description && html`<br /><span dir="auto">${description}</span>`}
    ${trackingUrl && html`<br /><a href=${trackingUrl} rel="nofollow noopener noreferrer">${locale.words.follow(new URL(trackingUrl).hostname)}</a>`}
  </li>
`

const at = (locale: StoreLocale, iso: string) => html`<time datetime=${iso}>${locale.moment(iso)}</time>`
