import { html } from 'htm/preact'
import type { Capability } from '../../../../../domain/account/capabilities.ts'
import type { Role } from '../../../../../domain/account/roles.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { peopleLocale, refusalIn } from '../../people/messages/people-locale.ts'
import { newPassword } from '../../people/sign-up.ts'
import { peoplePage } from '../../people-page.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { localeFor } from '../messages/locale.ts'
import { chip, notice } from '../parts/notices.ts'
import { type StoreChoice, storeName } from './grants-form.ts'

/** The page of an invitation's link, and the one on which somebody chooses among their accounts. */

/** What an invited person may do next. */
export type JoinWay = 'password' | 'accept' | 'sign-in' | 'sign-out' | 'full'

export type JoinPage = {
  readonly languages: string
  readonly csrf: string
  readonly cookies: readonly string[]
  readonly token: string
  readonly way: JoinWay
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly rights: readonly Capability[]
  /** The stores in which alone they may act. */
  readonly stores: readonly StoreChoice[]
  readonly error?: string | undefined
}

export const joinPage = (page: JoinPage): Reply => {
  const locale = localeFor(page)
  const { lang, words } = locale
  const { team } = words
  return peoplePage({
    ...(page.error !== undefined && { status: 422 }),
    lang,
    cookies: page.cookies,
    title: team.joinTitle(page.name),
    main: html`
      <p>${team.joinRole(words.roles[page.role])}</p>
      <ul>${page.rights.map((slug) => html`<li>${words.rights[slug]}</li>`)}</ul>
      ${page.stores.length > 0 && html`<p>${team.joinStores} ${page.stores.map(([id, name]) => storeName(locale, id, name)).join(', ')}</p>`} ${wayOn(page)}
    `,
  })
}

const wayOn = ({ languages, csrf, token, way, email, error }: JoinPage) => {
  const { team } = localeFor({ languages }).words
  const { sign } = peopleLocale(languages).words
  const at = `/dashboard/join/${token}`
  if (way === 'full') return notice(team.joinFull, 'warn')
  if (way === 'sign-out') return html`<p>${team.joinOther} <a href="/dashboard/sign-out">${sign.signOut}</a></p>`
  if (way === 'sign-in')
    return html`
      <p>${team.joinSignInText} <strong>${email}</strong></p>
      <p class="ways"><a href=${`/dashboard/sign-in?next=${encodeURIComponent(at)}`}>${team.joinSignIn}</a></p>
    `
  return html`
    <form method="post" action=${at}>
      ${hiddenFields({ csrf, act: way })}
      ${
        way === 'password' &&
        html`<p>${team.joinNew} <strong>${email}</strong></p>
          ${newPassword(refusalIn(sign, error), sign.password, sign.passwordHint)}`
      }
      <button type="submit">${team.joinButton}</button>
    </form>
  `
}

/** The link of an invitation that cannot be accepted. */
export const invitationGonePage = (languages: string, cookies: readonly string[]): Reply => {
  const { lang, words } = localeFor({ languages })
  const { team } = words
  return peoplePage({ status: 404, lang, cookies, title: team.joinGone, main: html`<p>${team.joinGoneText}</p>` })
}

type AccountsPage = {
  readonly member: PageMember
  readonly accounts: readonly { readonly id: string; readonly name: string; readonly role: Role | 'owner' }[]
  /** The account in which the member acts now. */
  readonly here: string
}

export const accountsPage = ({ member, accounts, here }: AccountsPage): Reply => {
  const { team, roles } = localeFor(member).words
  return dashboardPage({
    title: team.accounts,
    member,
    current: 'menu',
    main: html`
      <p>${team.accountsText}</p>
      ${accounts.map(
        ({ id, name, role }) => html`
          <section class="card">
            <h2>${name}</h2>
            <p>${role === 'owner' ? team.owner : roles[role]}</p>
            ${
              id === here
                ? html`<p>${chip(team.here, 'good')}</p>`
                : html`
                    <form method="post" action="/dashboard/accounts">
                      ${hiddenFields({ csrf: member.csrf, account: id })}
                      <button type="submit" aria-label=${team.goTo(name)}>${team.goThere}</button>
                    </form>
                  `
            }
          </section>
        `,
      )}
    `,
  })
}
