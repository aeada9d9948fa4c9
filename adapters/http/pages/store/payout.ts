import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { moment } from '../plain-words.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'

/**
 * The page of a payout for the payee. It shows nothing that either side has written: the link may come into other
 * hands.
 */

export type PayoutPage = {
  readonly face: Face
  readonly asset: string
  readonly isOpen: boolean
  readonly givenAt: string | undefined
  readonly completedAt: string | undefined
  /** The path that the form is sent to. */
  readonly action: string
  readonly detailsMax: number
  /** What was typed before, and what was wrong with it. */
  readonly typed?: string
  readonly wrong?: string
}

export const payoutPage = (page: PayoutPage, status = 200): Reply =>
  storeFrame(
    {
      face: page.face,
      title: 'A payout to you',
      description: '',
      canonical: undefined,
      fleeting: true,
      trust: 'The seller pays you directly. Daybook keeps the record and holds no money.',
      main: html`
        <section class="hero">
          <div class="wide">
            <div>
              <h1>A payout to you</h1>
              <p class="lead"><bdi>${page.face.seller || 'The seller'}</bdi> wants to pay you in <b>${page.asset.toUpperCase()}</b>.</p>
              ${state(page)}
            </div>
          </div>
        </section>
      `,
    },
    status,
  )

const state = (page: PayoutPage) => {
  if (!page.isOpen)
    return html`
      ${alert(page)}
      <p role="status">The seller says that this was paid on ${at(page.completedAt)}.</p>
    `
  if (page.givenAt !== undefined)
    return html`
      ${alert(page)}
      <p role="status">Where to pay you was said on ${at(page.givenAt)}.</p>
      <p>It cannot be changed here any more. If it is wrong, please tell the seller, who can make a new link.</p>
    `
  return form(page)
}

const alert = ({ wrong }: PayoutPage) => wrong && html`<p class="wrong" role="alert">${wrong}</p>`

const form = (page: PayoutPage) => html`
  <form method="post" action=${page.action}>
    ${alert(page)}
    <p class="field">
      <label for="payout-details">Where do you want to be paid?</label>
      <textarea id="payout-details" name="details" maxlength=${page.detailsMax} required autocomplete="off">${page.typed}</textarea>
    </p>
    <button type="submit">Send</button>
    <p class="hint">An address on a chain, or a bank account and whose it is. Only the seller reads it, and it can be sent once.</p>
  </form>
`

const at = (iso: string | undefined) => iso && html`<time datetime=${iso}>${moment(iso)}</time>`
