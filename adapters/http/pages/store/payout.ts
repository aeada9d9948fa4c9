import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import type { Face } from './face.ts'
import { storeFrame } from './frame.ts'
import { faultIn, type StoreLocale } from './messages/store-locale.ts'

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

export const payoutPage = (page: PayoutPage, status = 200): Reply => {
  const { words } = page.face.locale
  return storeFrame(
    {
      face: page.face,
      title: words.payout,
      description: '',
      canonical: undefined,
      fleeting: true,
      trust: words.payoutTrust,
      main: html`
        <section class="hero">
          <div class="wide">
            <div>
              <h1>${words.payout}</h1>
              <p class="lead"><bdi>${page.face.seller || words.theSeller}</bdi> ${words.wantsToPay} <b>${page.asset.toUpperCase()}</b>.</p>
              ${state(page)}
            </div>
          </div>
        </section>
      `,
    },
    status,
  )
}

const state = (page: PayoutPage) => {
  const { locale } = page.face
  const { words } = locale
  if (!page.isOpen)
    return html`
      ${alert(page)}
      <p role="status">${words.payoutPaid} ${at(locale, page.completedAt)}.</p>
    `
  if (page.givenAt !== undefined)
    return html`
      ${alert(page)}
      <p role="status">${words.payoutGiven} ${at(locale, page.givenAt)}.</p>
      <p>${words.payoutFixed}</p>
    `
  return form(page)
}

const alert = ({ wrong, face: { locale } }: PayoutPage) =>
  wrong && html`<p class="wrong" role="alert">${faultIn(locale, wrong)}</p>`

const form = (page: PayoutPage) => html`
  <form method="post" action=${page.action}>
    ${alert(page)}
    <p class="field">
      <label for="payout-details">${page.face.locale.words.payoutWhere}</label>
      <textarea id="payout-details" name="details" maxlength=${page.detailsMax} required autocomplete="off">${page.typed}</textarea>
    </p>
    <button type="submit">${page.face.locale.words.send}</button>
    <p class="hint">${page.face.locale.words.payoutHint}</p>
  </form>
`

const at = (locale: StoreLocale, iso: string | undefined) =>
  iso && html`<time datetime=${iso}>${locale.moment(iso)}</time>`
