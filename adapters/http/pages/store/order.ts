import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { moment } from '../plain-words.ts'
import { type Basket, basket, TEST, waysHome } from './cart.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'

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

export const orderPage = ({ face, id, test, basket: bought, placedAt, steps, receiptAt }: OrderPage): Reply =>
  storeFrame({
    face,
    title: 'Your order',
    description: '',
    canonical: undefined,
    fleeting: true,
    kind: 'store-cart',
    ways: waysHome(face),
    main: html`
      <article class="cart wide">
        <h1>Your order</h1>
        ${test && TEST}
        <p class="hint"><code>${id}</code>, paid by ${at(placedAt)}.</p>
        ${basket(bought)}
        ${steps.length > 0 && html`<h2>What has happened</h2><ul class="steps">${steps.map(stepLine)}</ul>`}
        ${receiptAt && html`<p><a href=${receiptAt}>See the receipt</a></p>`}
      </article>
    `,
  })

const stepLine = ({ at: when, words, description, trackingUrl }: OrderStep) => html`
  <li>
    <span class="hint">${at(when)}</span><br />
    <bdi>${words}</bdi>
    ${description && html`<br /><span dir="auto">${description}</span>`}
    ${trackingUrl && html`<br /><a href=${trackingUrl} rel="nofollow noopener noreferrer">Follow it at ${new URL(trackingUrl).hostname}</a>`}
  </li>
`

const at = (iso: string) => html`<time datetime=${iso}>${moment(iso)}</time>`
