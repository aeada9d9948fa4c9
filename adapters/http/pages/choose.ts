import { html } from 'htm/preact'
import { cardChoice } from './card.ts'
import { type CoinView, coinAmount } from './plain-words.ts'

/** What a sale asks for, as each of its pages begins. */
export type SaleHeading = {
  /** "100.00 USD", "0.5 ETH"; undefined while the payer has not said. */
  readonly price: string | undefined
  readonly title: string
  readonly note: string
}

export const askedHeading = ({ price, title, note }: SaleHeading) => html`
  <h1>${price === undefined ? 'Pay what you choose' : html`Pay <span class="price">${price}</span>`}</h1>
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
export const chooseCoin = (asked: SaleHeading, coins: readonly CoinChoice[], { card, back }: ChoiceLinks) => html`
  ${askedHeading(asked)}
  ${
    coins.length === 0
      ? card === undefined &&
        html`<p class="hint" role="alert">None of the seller’s coins can be received right now. Please try again in a few minutes.</p>
          <p><a class="button" href="">Try again</a></p>`
      : html`<h2 id="choose">Choose how to pay</h2>
          <ul class="coins" aria-labelledby="choose">
            ${coins.map(
              ({ coin, units, href }) => html`
                <li>
                  <a href=${href} rel="nofollow">
                    <span class="coin">
                      <strong>${coin.name}</strong>
                      <small>on the ${coin.network} network</small>
                    </span>
                    <span class="amount">≈ ${coinAmount(units, coin.decimals)} <abbr>${coin.symbol}</abbr></span>
                  </a>
                </li>
              `,
            )}
          </ul>
          <p class="hint">At today’s price. The exact amount is fixed for you once you choose.</p>`
  }
  ${card && cardChoice(card)}
  ${back && html`<p><a href=${back}>Change the amount</a></p>`}
`

/** The page that asks how much, which a payment request may leave to the payer. */
export const chooseAmount = (asked: SaleHeading, currency: string, wrong: string | undefined) => html`
  ${askedHeading(asked)}
  <form class="card" method="get">
    <label for="amount">Amount in ${currency}</label>
    <p id="how" class="hint">For example 25 or 12.50</p>
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
    ${wrong !== undefined && html`<p id="wrong" class="wrong" role="alert">This is not an amount above zero with at most two places after the point.</p>`}
    <button type="submit">Continue</button>
  </form>
`
