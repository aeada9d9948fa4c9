import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'
import { faultIn, type StoreLocale } from './messages/store-locale.ts'

/** The form in which somebody tells a seller what they would give for a product. */

export type OfferForm = {
  /** The path that it is sent to. */
  readonly action: string
  /** ISO 4217 of the price. */
  readonly currency: string
  /** What was typed before, and what was wrong with it. */
  readonly typed?: OfferTyped | undefined
  readonly wrong?: string | undefined
}

export type OfferTyped = { readonly amount: string; readonly email: string; readonly message: string }

/** The form is folded away until somebody wants it; one that was refused is open, with everything that was typed. */
export const offerForm = (locale: StoreLocale, { action, currency, typed, wrong }: OfferForm) => html`
  <details class="offer" open=${wrong !== undefined}>
    <summary>${locale.words.offer}</summary>
    <form method="post" action=${action}>
      ${wrong && html`<p class="wrong" role="alert">${faultIn(locale, wrong)}</p>`}
      <p class="field">
        <label for="offer-amount">${locale.words.offerAmount(currency)}</label>
        <input id="offer-amount" name="amount" type="text" inputmode="decimal" autocomplete="off" maxlength="20" required value=${typed?.amount} />
      </p>
      <p class="field">
        <label for="offer-email">${locale.words.offerEmail}</label>
        <input id="offer-email" name="email" type="email" autocomplete="email" maxlength="254" required value=${typed?.email} />
      </p>
      <p class="field">
        <label for="offer-message">${locale.words.message}</label>
        <textarea id="offer-message" name="message" maxlength="2000">${typed?.message}</textarea>
      </p>
      <button type="submit" class="second">${locale.words.sendOffer}</button>
      <p class="hint">${locale.words.offerHint}</p>
    </form>
  </details>
`

export const thanksPage = (face: Face, product: string, back: string): Reply =>
  storeFrame({
    face,
    title: face.locale.words.offerSent,
    description: '',
    canonical: undefined,
    fleeting: true,
    main: html`
      <section class="hero">
        <div class="wide">
          <div>
            <h1>${face.locale.words.offerSent}</h1>
            <p class="lead" dir="auto">${face.locale.words.offerThanks(product)}</p>
            <p><a class="button" href=${back}>${face.locale.words.back}</a></p>
          </div>
        </div>
      </section>
    `,
  })
