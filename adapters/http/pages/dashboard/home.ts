import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { dashboardPage, type PageMember, screensOf, signOutForm } from './frame.ts'
import { localeFor } from './messages/locale.ts'

/** The first page of the dashboard, and the menu of a phone. */

export type HomePage = {
  readonly member: PageMember
  /** What the account calls itself, or the address that it signs in with. */
  readonly name: string
  /** An address that nobody has confirmed yet. */
  readonly unconfirmed: string | undefined
}

export const homePage = ({ member, name, unconfirmed }: HomePage): Reply => {
  const { home } = localeFor(member).words
  return dashboardPage({
    title: home.title,
    member,
    current: 'home',
    ownHeading: true,
    main: html`
      <h1>${home.greeting(name)}</h1>
      <p>${unconfirmed === undefined ? home.confirmed : home.unconfirmed(unconfirmed)}</p>
      <section class="card" aria-labelledby="next">
        <h2 id="next">${home.next}</h2>
        <ul class="links">
          <li><a href="/dashboard/security">${home.security}</a></li>
          <li><a href="/openapi.json">${home.reference}</a></li>
          <li><a href="/audit">${home.audit}</a></li>
        </ul>
      </section>
    `,
  })
}

/** All screens, and the way out: where a phone's bar has no room. */
export const menuPage = (member: PageMember): Reply => {
  const locale = localeFor(member)
  return dashboardPage({
    title: locale.words.menu.title,
    member,
    current: 'menu',
    main: html`
      <ul class="links card">
        ${screensOf(member).map(([name, { path }]) => html`<li><a href=${path}>${locale.words.screens[name]}</a></li>`)}
      </ul>
      ${signOutForm(member, locale)}
    `,
  })
}
