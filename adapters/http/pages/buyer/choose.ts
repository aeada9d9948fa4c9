import { html } from 'htm/preact'
import type { CoinView } from '../plain-words.ts'
import { cardChoice } from './card.ts'
import { coinIcon } from './coin-icon.ts'
import type { BuyerLocale } from './messages/buyer-locale.ts'

/** What a sale asks for, as each of its pages begins. */
export type SaleHeading = {
  /** "100.00 USD", "0.5 ETH"; undefined while the payer has not said. */
  readonly price: string | undefined
  readonly title: string
  readonly note: string
}

export const askedHeading = ({ price, title, note }: SaleHeading, { words: { choose } }: BuyerLocale) => html`
  <h1>${price === undefined ? choose.openHeading : choose.heading(html`<span class="price">${price}</span>`)}</h1>
  ${title && html`<p class="title">${title}</p>`}
  ${note && html`<p class="note">${note}</p>`}
`

export type CoinChoice = { readonly coin: CoinView; readonly units: bigint; readonly href: string }

type ChoiceLinks = {
  /** The address at which one pays by card, where the seller takes cards. */
  readonly card: string | undefined
  /** The address at which another amount is chosen. */
  readonly back: string | undefined
}

/**
 * The page that asks which coin, or whether a card. It has links, so that it needs no script; nothing is opened before
 * one is followed.
 */
export const chooseCoin = (
  asked: SaleHeading,
  coins: readonly CoinChoice[],
  { card, back }: ChoiceLinks,
  locale: BuyerLocale,
) => {
  const { choose } = locale.words
  const none =
    card === undefined &&
    html`<p class="hint" role="alert">${choose.noCoin}</p>
      <p><a class="button" href="">${choose.again}</a></p>`
  return html`
    ${askedHeading(asked, locale)}
    ${coins.length === 0 ? none : coinList(coins, locale)}
    ${card && cardChoice(card, locale)}
    ${back && html`<p><a href=${back}>${choose.otherAmount}</a></p>`}
  `
}

/** Nothing can be bought: there is no piece left. */
export const soldOutPage = (asked: SaleHeading, locale: BuyerLocale) => html`
  ${askedHeading(asked, locale)}
  <p class="hint" role="status">${locale.words.choose.soldOut}</p>
`

const coinList = (coins: readonly CoinChoice[], { words: { choose }, amount }: BuyerLocale) => html`
  <h2 id="choose">${choose.how}</h2>
  <ul class="coins" aria-labelledby="choose">
    ${coins.map(
      ({ coin, units, href }) => html`
        <li>
          <a href=${href} rel="nofollow">
            ${coinIcon(coin.symbol)}
            <span class="coin">
              <strong>${coin.name}</strong>
              <small>${choose.network(coin.network)}</small>
            </span>
            <span class="amount">≈ ${amount(units, coin.decimals)} <abbr>${coin.symbol}</abbr></span>
          </a>
        </li>
      `,
    )}
  </ul>
  <p class="hint">${choose.today}</p>
`

/** The page that asks how much, which a payment request may leave to the payer. */
export const chooseAmount = (asked: SaleHeading, currency: string, wrong: string | undefined, locale: BuyerLocale) => {
  const { choose } = locale.words
  return html`
    ${askedHeading(asked, locale)}
    <form class="card" method="get">
      <label for="amount">${choose.amount(currency)}</label>
      <p id="how" class="hint">${choose.example}</p>
      <input
        id="amount"
        name="amount"
        type="text"
        inputmode="decimal"
        autocomplete="transaction-amount"
        required
        maxlength="20"
        aria-describedby=${wrong === undefined ? 'how' : 'how wrong'}
        aria-invalid=${wrong === undefined ? undefined : 'true'}
        value=${wrong}
      />
      ${wrong !== undefined && html`<p id="wrong" class="wrong" role="alert">${choose.noAmount}</p>`}
      <button type="submit">${choose.next}</button>
    </form>
  `
}
