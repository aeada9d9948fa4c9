import { html } from 'htm/preact'
import type { Obstacles, UnderWay } from '../../../../../domain/use-cases/account/close-account.ts'
import { Reply } from '../../../core/endpoint.ts'
import { pageHeaders, pageWith } from '../../message.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { money, time } from '../parts/figures.ts'
import { formRow } from '../parts/form-row.ts'
import { notice } from '../parts/notices.ts'

/** The page at which the owner closes the account, and what is said afterwards. */

type Standing = Obstacles<UnderWay & { readonly paymentsUntil: string | null }>

export type ClosingPage = {
  readonly member: PageMember
  readonly isEnrolled: boolean
  readonly obstacles: Standing
  readonly isClear: boolean
  /** What is left of the prepaid credit, in millionths of a US dollar. */
  readonly credit: bigint
  readonly email: string
  readonly typed?: string
  readonly isRefused?: true
  /** What was typed is not the address of the account. */
  readonly isOther?: true
}

export const closingPage = (page: ClosingPage): Reply => {
  const { member, isEnrolled, obstacles, isClear, credit, isRefused } = page
  const locale = localeFor(member)
  const words = locale.words.closing
  return dashboardPage({
    ...(isRefused && { status: 422 }),
    title: words.title,
    member,
    current: 'settings',
    main: html`
      <section class="card" aria-labelledby="means">
        <h2 id="means">${words.means}</h2>
        <ul>
          <li>${words.keys}</li>
          <li>${words.sales}</li>
          <li>${words.wallets}</li>
          <li>${words.credit} ${money(locale, credit, 'USD')}. ${words.creditText}</li>
          <li>${words.webhooks}</li>
          <li>${words.data}</li>
          <li>${words.address}</li>
        </ul>
        <p class="ways">
          <a class="touch" href="/dashboard/payments.csv">${words.csv}</a>
          <a class="touch" href="/audit">${words.ledger}</a>
        </p>
      </section>
      ${!isClear && obstacleCard(locale, obstacles)}
      ${
        !isEnrolled &&
        html`${notice(words.factorFirst, 'warn')}
          <p><a class="button" href="/dashboard/security/enrol">${words.factorWay}</a></p>`
      }
      ${isClear && isEnrolled && closingForm(locale, page)}
      <p><a class="touch" href="/dashboard/settings">${words.leave}</a></p>
    `,
  })
}

const obstacleCard = (locale: Locale, { payments, paymentsUntil, refunds, disputes, owed }: Standing) => {
  const words = locale.words.closing
  return html`
    <section class="card" aria-labelledby="obstacles">
      <h2 id="obstacles">${words.obstacles}</h2>
      <ul>
        ${
          payments > 0 &&
          html`<li>
            <a href="/dashboard/payments?status=P">${words.payments(payments)}</a> ${words.paymentsText}
            ${paymentsUntil !== null && html` ${words.until} ${time(locale, paymentsUntil)}.`}
          </li>`
        }
        ${refunds > 0 && html`<li><a href="/dashboard/payments?status=C">${words.refunds(refunds)}</a> ${words.refundsText}</li>`}
        ${disputes > 0 && html`<li><a href="/dashboard/payments?status=C">${words.disputes(disputes)}</a> ${words.disputesText}</li>`}
        ${owed > 0n && html`<li>${words.owed} ${money(locale, owed, 'USD')}. ${words.owedText}</li>`}
      </ul>
    </section>
  `
}

const closingForm = ({ words: { closing: words } }: Locale, { member, email, typed, isOther }: ClosingPage) => html`
  <section class="card" aria-labelledby="close">
    <h2 id="close">${words.form}</h2>
    <form method="post" action="/dashboard/settings/close" class="narrow">
      ${hiddenFields({ csrf: member.csrf })}
      ${formRow({
        name: 'email',
        type: 'email',
        label: words.email,
        hint: words.emailHint(email),
        value: typed,
        error: isOther && words.emailOther,
        required: true,
        maxlength: 254,
      })}
      <button type="submit">${words.button}</button>
    </form>
  </section>
`

/** The last page of the dashboard that somebody sees: the account is closed, and they are signed out. */
export const closedAccountPage = (guest: { readonly languages: string }, cookies: readonly string[]): Reply => {
  const { lang, words } = localeFor(guest)
  const { doneTitle: title, doneText: text } = words.closing
  return closedReply(200, pageWith({ lang, title, text }), cookies)
}

/** What somebody reads who signs in to a closed account, and has proven to be its owner. */
export const closedSignInPage = (guest: { readonly languages: string }, at: string): Reply => {
  const locale = localeFor(guest)
  const { signInTitle: title, signInText } = locale.words.closing
  return closedReply(403, pageWith({ lang: locale.lang, title, text: signInText(locale.date(at)) }))
}

const closedReply = (status: number, page: string, cookies: readonly string[] = []): Reply =>
  new Reply(status, page, {
    ...pageHeaders,
    Vary: 'Accept-Language, Cookie',
    ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }),
  })
