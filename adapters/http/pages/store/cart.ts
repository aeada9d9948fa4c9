import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { price } from '../plain-words.ts'
import { questionFields, type SellerQuestions } from './asks.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'

/** The cart that an agent has put together, for the person who is to pay it (C-SES-06, T-SES-01 to T-SES-04). */

export type Basket = {
  /** The lines of a cart; `note` says what became of one. */
  readonly lines: readonly { title: string; quantity: number; amount: string; note?: string }[]
  /** What is added and taken off before the total. Amounts are in millionths. */
  readonly totals: readonly Amount[]
  /** The tax that the total includes. */
  readonly included: Amount | undefined
  readonly total: string
  readonly currency: string
}

export type CartPage = Basket & {
  readonly face: Face
  readonly state: 'open' | 'ready' | 'paid' | 'over'
  /** The path of its payment page, which shows the receipt once it is paid. */
  readonly payAt: string | undefined
  /** The path of its order. */
  readonly orderAt: string | undefined
  readonly test: boolean
  /** The seller's questions that this buyer has not answered. */
  readonly asking: SellerQuestions
}

type Amount = { readonly label: string; readonly amount: string }

const HEADINGS = {
  open: 'Your order',
  ready: 'Your order',
  paid: 'Paid. Thank you!',
  over: 'This order is closed',
} as const satisfies Record<CartPage['state'], string>

export const cartPage = (view: CartPage, status = 200): Reply => {
  const { face, state } = view
  const frame = {
    face,
    title: HEADINGS[state],
    description: '',
    canonical: undefined,
    kind: 'store-cart',
    ...(state === 'open' ? { typed: true } : { fleeting: true }),
    ways: waysHome(face),
    main: html`
      <article class="cart wide">
        <h1>${HEADINGS[state]}</h1>
        ${view.test && TEST}
        ${basket(view)}
        ${next(view)}
      </article>
    `,
  }
  return storeFrame(frame, status)
}

export const waysHome = ({ home }: Face) => (home ? [{ label: 'All products', url: home }] : [])

export const TEST = html`<p class="hint">This is a test. No money moves.</p>`

export const basket = ({ lines, totals, total, included, currency }: Basket) => html`
  <table>
    <thead class="unseen">
      <tr><th scope="col">Item</th><th scope="col">Amount</th></tr>
    </thead>
    <tbody>
      ${lines.map(
        ({ title, quantity, amount, note }) => html`
          <tr>
            <th scope="row"><bdi>${title}</bdi>${quantity > 1 && html` <span class="hint">×\u00a0${quantity}</span>`}${note && html`<br /><span class="hint">${note}</span>`}</th>
            <td class="price">${price(amount, currency)}</td>
          </tr>
        `,
      )}
    </tbody>
    <tfoot>
      ${totals.map(({ label, amount }) => html`<tr><th scope="row">${label}</th><td class="price">${price(amount, currency)}</td></tr>`)}
      <tr class="total"><th scope="row">Total</th><td class="price">${price(total, currency)}</td></tr>
      ${included && html`<tr class="hint"><th scope="row">${included.label}</th><td class="price">${price(included.amount, currency)}</td></tr>`}
    </tfoot>
  </table>
`

/** The button that leads to the payment; a person who presses it again is led to the same payment. */
const toPayment = (asking: SellerQuestions) =>
  html`<form method="post" class="buy">${questionFields(asking)}<button type="submit">Go to payment</button></form>`

const next = ({ state, payAt, orderAt, asking }: CartPage) => {
  switch (state) {
    case 'open':
      return html`${toPayment(asking)}<p class="hint">What is in it and what it costs stays as it is from then on.</p>`
    case 'ready':
      return toPayment(asking)
    case 'paid':
      return html`${orderAt && html`<p><a class="button" href=${orderAt}>See your order</a></p>`}
        ${payAt && html`<p><a href=${payAt}>See the receipt</a></p>`}`
    case 'over':
      return html`<p class="lead">It was canceled, or not paid in time. Nothing can be paid here any more.</p>`
  }
}
