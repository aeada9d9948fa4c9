import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import type { Capability } from '../../../../domain/account/capabilities.ts'
import type { MemberCaller } from '../../core/caller.ts'
import { Reply } from '../../core/endpoint.ts'
import { pageHeaders } from '../message.ts'
import { hiddenFields } from '../people/fields.ts'
import { pageHead, pagePolicy } from '../people-page.ts'
import type { Messages } from './messages/en.ts'
import { type Locale, localeFor } from './messages/locale.ts'
import { LIVE_SCRIPT } from './parts/live.ts'

/** The frame of every page of the dashboard: the screens at the left, or below on a phone, and one of them beside. */

/** A screen of the rail. `bar`: it stands in the bar of a phone, which has room for four; all are in its menu. */
type Screen = {
  readonly path: string
  readonly capability?: Capability
  readonly ownerOnly?: true
  /** It is also for those who may act in single stores alone. */
  readonly ofStores?: true
  readonly bar?: true
}

/** The rail from top to bottom. A member is shown what their role may look at, in their stores. */
const SCREENS: Readonly<Record<keyof Messages['screens'], Screen>> = {
  home: { path: '/dashboard', ofStores: true, bar: true },
  payments: { path: '/dashboard/payments', capability: 'transactions.view', ofStores: true, bar: true },
  unmatched: { path: '/dashboard/unmatched', capability: 'transactions.view', ofStores: true },
  till: { path: '/dashboard/till', capability: 'payment-links.create', ofStores: true },
  products: { path: '/dashboard/products', capability: 'checkouts.view', ofStores: true },
  firstSteps: { path: '/dashboard/first-steps', capability: 'settings.view', bar: true },
  wallets: { path: '/dashboard/wallets', capability: 'wallets.view', bar: true },
  developers: { path: '/dashboard/developers', capability: 'settings.view' },
  activity: { path: '/dashboard/activity', capability: 'audit.view' },
  settings: { path: '/dashboard/settings', capability: 'settings.view' },
  team: { path: '/dashboard/team', ownerOnly: true },
  security: { path: '/dashboard/security', ofStores: true },
}

export type ScreenName = keyof typeof SCREENS

/** The member that a page is for. */
export type PageMember = Pick<MemberCaller, 'csrf' | 'languages' | 'zone' | 'actor' | 'accounts'>

export type DashboardFrame = {
  readonly title: string
  readonly member: PageMember
  /** The screen of the rail that the page belongs to. */
  readonly current: ScreenName | 'menu'
  readonly main: unknown
  /** Names of modules under /assets, such as `dashboard/copy.js`. */
  readonly scripts?: readonly string[]
  /** Names of stylesheets under /assets beside that of the dashboard, which only this page needs. */
  readonly sheets?: readonly string[]
  readonly status?: number
  readonly cookies?: readonly string[]
  /** The title stands in the page itself, as a greeting does. */
  readonly ownHeading?: true
}

export const dashboardPage = ({ status = 200, cookies = [], ...frame }: DashboardFrame): Reply =>
  new Reply(status, `<!doctype html>${renderToString(whole(frame, localeFor(frame.member)))}`, {
    ...pageHeaders,
    'Content-Security-Policy': pagePolicy(),
    Vary: 'Accept-Language, Cookie',
    ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }),
  })

/** The head of a page, also of one that has no rail. */
export const dashboardHead = (title: string, scripts: readonly string[] = [], sheets: readonly string[] = []) =>
  pageHead(title, scripts, [...sheets, 'dashboard/dashboard.css'])

type Shown = Omit<DashboardFrame, 'status' | 'cookies'>

const whole = ({ title, member, current, main, scripts = [], sheets, ownHeading }: Shown, locale: Locale) => {
  const { frame } = locale.words
  // What has changed is told of the whole account alone.
  const loaded = member.actor.storeScope ? scripts.filter((name) => name !== LIVE_SCRIPT) : scripts
  return html`
    <html lang=${locale.lang}>
      ${dashboardHead(title, loaded, sheets)}
      <body class="dashboard">
        <a class="skip" href="#main">${frame.skip}</a>
        <header class="rail">
          <p class="mark"><a href="/dashboard">${frame.product}</a></p>
          <nav aria-label=${frame.screens}>
            <ul>
              ${screensOf(member).map(([name, { path, bar }]) => way(path, locale.words.screens[name], name === current, bar ? undefined : 'aside'))}
              ${way('/dashboard/menu', frame.menu, current === 'menu', 'more')}
            </ul>
          </nav>
          ${switchWay(member, locale)} ${signOutForm(member, locale)}
        </header>
        <main id="main" tabindex="-1">${!ownHeading && html`<h1>${title}</h1>`} ${main}</main>
      </body>
    </html>
  `
}

const way = (path: string, name: string, isCurrent: boolean, kind: string | undefined) => html`
  <li class=${kind}><a href=${path} aria-current=${isCurrent ? 'page' : undefined}>${name}</a></li>
`

/** Every screen that a member may see, in order. */
export const screensOf = (member: Pick<PageMember, 'actor'>): readonly (readonly [ScreenName, Screen])[] =>
  (Object.entries(SCREENS) as [ScreenName, Screen][]).filter(([name]) => mayOpen(member, name))

/** Whether a member may see a screen, so that no page leads to one that is refused. */
export const mayOpen = ({ actor }: Pick<PageMember, 'actor'>, name: ScreenName): boolean => {
  const { capability, ownerOnly, ofStores }: Screen = SCREENS[name]
  const isTheirs = ownerOnly ? actor.isOwner === true : capability === undefined || actor.can(capability)
  return isTheirs && (ofStores || actor.storeScope === undefined)
}

/** The way to another account, for a person who belongs to several. */
export const switchWay = ({ accounts }: PageMember, { words }: Locale) =>
  accounts.length > 1 && html`<p class="switch"><a href="/dashboard/accounts">${words.frame.switchAccount}</a></p>`

export const signOutForm = ({ csrf }: PageMember, { words }: Locale) => html`
  <form method="post" action="/dashboard/sign-out" class="out">
    ${hiddenFields({ csrf })}
    <button type="submit" class="plain">${words.frame.signOut}</button>
  </form>
`
