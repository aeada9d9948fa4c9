import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'

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
export const offerForm = ({ action, currency, typed, wrong }: OfferForm) => html`
  <details class="offer" open=${wrong !== undefined}>
    <summary>Make an offer instead</summary>
    <form method="post" action=${action}>
      ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
      <p class="field">
        <label for="offer-amount">Your offer, in ${currency}</label>
        <input id="offer-amount" name="amount" type="text" inputmode="decimal" autocomplete="off" maxlength="20" required value=${typed?.amount} />
      </p>
      <p class="field">
        <label for="offer-email">Your email, for the answer</label>
        <input id="offer-email" name="email" type="email" autocomplete="email" maxlength="254" required value=${typed?.email} />
      </p>
      <p class="field">
        <label for="offer-message">Message</label>
        <textarea id="offer-message" name="message" maxlength="2000">${typed?.message}</textarea>
      </p>
      <button type="submit" class="second">Send the offer</button>
      <p class="hint">Nothing is paid now. Only the seller reads what you send.</p>
    </form>
  </details>
`

export const thanksPage = (face: Face, product: string, back: string): Reply =>
  storeFrame({
    face,
    title: 'Your offer was sent',
    description: '',
    canonical: undefined,
    fleeting: true,
    main: html`
      <section class="hero">
        <div class="wide">
          <div>
            <h1>Your offer was sent</h1>
            <p class="lead" dir="auto">The seller of “${product}” has it now, and answers by mail.</p>
            <p><a class="button" href=${back}>Back</a></p>
          </div>
        </div>
      </section>
    `,
  })
