import { html } from 'htm/preact'
import type { BuyerLocale } from './messages/buyer-locale.ts'

/** The form that sends a receipt by mail. */

/** What came of a form that was sent. It never says whether an address exists. */
export const MAILED = ['sent', 'wrong', 'later'] as const

export type ReceiptMail = {
  /** The path of the sale. */
  readonly path: string
  readonly challengeId: string
  readonly mailed: (typeof MAILED)[number] | undefined
}

const ADDRESS_MAX = 254

export const receiptMailForm = ({ path, challengeId, mailed }: ReceiptMail, { words: { mail } }: BuyerLocale) => html`
  <section class="card mail" aria-labelledby="mail">
    <h2 id="mail">${mail.heading}</h2>
    ${mailed && html`<p role=${mailed === 'sent' ? 'status' : 'alert'}><strong>${mail[mailed]}</strong></p>`}
    <form method="post" action=${path}>
      <input type="hidden" name="act" value="mail-receipt" />
      <input type="hidden" name="challenge" value=${challengeId} />
      <label for="mail-address">${mail.address}</label>
      <input
        id="mail-address"
        name="email"
        type="email"
        required
        maxlength=${ADDRESS_MAX}
        autocomplete="email"
        aria-invalid=${mailed === 'wrong' ? 'true' : undefined}
      />
      <button type="submit" class="plain">${mail.button}</button>
    </form>
    <p class="hint">${mail.hint}</p>
  </section>
`
