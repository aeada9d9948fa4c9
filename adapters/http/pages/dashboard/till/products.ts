import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { money } from '../parts/figures.ts'
import { notice } from '../parts/notices.ts'
import { tillPage } from './frame.ts'
import { TILL_PRODUCTS } from './paths.ts'

/** The products of the till: how many of each, and one button. */

export type TillProduct = {
  readonly number: string
  readonly title: string
  /** What the variant is, such as "50 g". */
  readonly options: string
  /** Millionths of the currency. */
  readonly price: bigint
  readonly currency: string
  /** Pieces that can be sold now; null where nobody counts them. */
  readonly available: number | null
}

export type ProductsPage = {
  readonly member: PageMember
  readonly storeId: number
  readonly products: readonly TillProduct[]
  readonly search: string
  /** Names this form, so that it makes one request however often it is sent. */
  readonly form: string
  /** What was typed, by the numbers of products. */
  readonly pieces?: Readonly<Record<string, string>>
  readonly fault?: string | undefined
}

/** The most pieces of one product in a sale. */
export const PIECES_MAX = 99

export const productsPage = (page: ProductsPage): Reply => {
  const { member, storeId, products, search, form, fault, pieces = {} } = page
  const locale = localeFor(member)
  const words = locale.words.till
  return tillPage({
    ...(fault !== undefined && { status: 422 }),
    title: words.products,
    member,
    storeId,
    main: html`
      <form method="get" action=${TILL_PRODUCTS} class="stores" role="search">
        ${hiddenFields({ store: String(storeId) })}
        <label for="search">${words.search}</label>
        <input id="search" name="search" type="search" value=${search} maxlength="200" />
        <button type="submit">${words.find}</button>
      </form>
      ${notice(fault, 'bad')} ${products.length === 0 && html`<p>${words.noProducts}</p>`}
      <form method="post" action=${TILL_PRODUCTS} class="products">
        ${hiddenFields({ csrf: member.csrf, act: 'charge', form, store: String(storeId) })}
        <ul>
          ${products.map((each) => line(each, pieces[each.number], locale))}
        </ul>
        ${products.length > 0 && html`<button type="submit" class="charge">${words.charge}</button>`}
      </form>
    `,
  })
}

const line = ({ number, title, options, price, currency, available }: TillProduct, typed = '', locale: Locale) => {
  const words = locale.words.till
  const name = `piece-${number}`
  return html`
    <li>
      <label for=${name}>
        <strong>${title}</strong> ${options} <span>${money(locale, price, currency)}</span>
        ${available !== null && html`<small>${available === 0 ? words.gone : words.left(available)}</small>`}
      </label>
      <input
        id=${name}
        name=${name}
        type="number"
        inputmode="numeric"
        min="0"
        max=${Math.min(PIECES_MAX, available ?? PIECES_MAX)}
        value=${typed}
        placeholder="0"
        disabled=${available === 0}
      />
    </li>
  `
}
