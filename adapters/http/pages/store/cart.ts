import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { questionFields, type SellerQuestions } from './asks.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'
import type { StoreLocale } from './messages/store-locale.ts'

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
  /** Whether there is not enough left of something in it. */
  readonly isSoldOut: boolean
  /** The seller's questions that this buyer has not answered. */
  readonly asking: SellerQuestions
}

type Amount = { readonly label: string; readonly amount: string }

export const cartPage = (view: CartPage, status = 200): Reply => {
  const { face, state } = view
  const { words } = face.locale
  const frame = {
    face,
    title: words.cart[state],
    description: '',
    canonical: undefined,
    kind: 'store-cart',
    ...(state === 'open' ? { typed: true } : { fleeting: true }),
    ways: waysHome(face),
    main: html`
      <article class="cart wide">
        <h1>${words.cart[state]}</h1>
        ${view.test && testLine(face.locale)}
        ${basket(face.locale, view)}
        ${view.isSoldOut && html`<p class="hint" role="alert">${words.cartSoldOut}</p>`}
        ${next(view)}
      </article>
    `,
  }
  return storeFrame(frame, status)
}

export const waysHome = ({ home, locale }: Face) => (home ? [{ label: locale.words.allProducts, url: home }] : [])

/** That nothing is paid. */
export const testLine = ({ words }: StoreLocale) => html`<p class="hint">${words.test}</p>`

export const basket = (locale: StoreLocale, { lines, totals, total, included, currency }: Basket) => html`
  <table>
    <thead class="unseen">
      <tr><th scope="col">${locale.words.item}</th><th scope="col">${locale.words.amount}</th></tr>
    </thead>
    <tbody>
      ${lines.map(
        ({ title, quantity, amount, note }) => html`
          <tr>
            <th scope="row"><bdi>${title}</bdi>${quantity > 1 && html` <span class="hint">×\u00a0${quantity}</span>`}${note && html`<br /><span class="hint">${note}</span>`}</th>
            <td class="price">${locale.price(amount, currency)}</td>
          </tr>
        `,
      )}
    </tbody>
    <tfoot>
      ${totals.map(({ label, amount }) => html`<tr><th scope="row">${label}</th><td class="price">${locale.price(amount, currency)}</td></tr>`)}
      <tr class="total"><th scope="row">${locale.words.total}</th><td class="price">${locale.price(total, currency)}</td></tr>
      ${included && html`<tr class="hint"><th scope="row">${included.label}</th><td class="price">${locale.price(included.amount, currency)}</td></tr>`}
    </tfoot>
  </table>
`

/** The button that leads to the payment; a person who presses it again is led to the same payment. */
const toPayment = (locale: StoreLocale, asking: SellerQuestions) =>
  html`<form method="post" class="buy">${questionFields(locale, asking)}<button type="submit">${locale.words.toPayment}</button></form>`

const next = ({ state, payAt, orderAt, asking, face: { locale } }: CartPage) => {
  const { words } = locale
  switch (state) {
    case 'open':
      return html`${toPayment(locale, asking)}<p class="hint">${words.fixed}</p>`
    case 'ready':
      return toPayment(locale, asking)
    case 'paid':
      return html`${orderAt && html`<p><a class="button" href=${orderAt}>${words.seeOrder}</a></p>`}
        ${payAt && html`<p><a href=${payAt}>${words.seeReceipt}</a></p>`}`
    case 'over':
      return html`<p class="lead">${words.overText}</p>`
  }
}
