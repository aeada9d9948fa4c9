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

/** The frame of every page of the dashboard: the screens at the left, or below on a phone, and one of them beside. */

/** A screen of the rail. `bar`: it stands in the bar of a phone, which has room for four; all are in its menu. */
type Screen = { readonly path: string; readonly capability?: Capability; readonly bar?: true }

/** The rail from top to bottom. A member is shown what their role may look at. */
const SCREENS: Readonly<Record<keyof Messages['screens'], Screen>> = {
  home: { path: '/dashboard', bar: true },
  payments: { path: '/dashboard/payments', capability: 'transactions.view', bar: true },
  products: { path: '/dashboard/products', capability: 'checkouts.view' },
  firstSteps: { path: '/dashboard/first-steps', capability: 'settings.view', bar: true },
  wallets: { path: '/dashboard/wallets', capability: 'wallets.view', bar: true },
  settings: { path: '/dashboard/settings', capability: 'settings.view' },
  security: { path: '/dashboard/security' },
}

export type ScreenName = keyof typeof SCREENS

/** The member that a page is for. */
export type PageMember = Pick<MemberCaller, 'csrf' | 'languages' | 'zone' | 'actor'>

export type DashboardFrame = {
  readonly title: string
  readonly member: PageMember
  /** The screen of the rail that the page belongs to. */
  readonly current: ScreenName | 'menu'
  readonly main: unknown
  /** Names of modules under /assets, such as `dashboard/copy.js`. */
  readonly scripts?: readonly string[]
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
export const dashboardHead = (title: string, scripts: readonly string[] = []) =>
  pageHead(title, scripts, ['dashboard/dashboard.css'])

type Shown = Omit<DashboardFrame, 'status' | 'cookies'>

const whole = ({ title, member, current, main, scripts, ownHeading }: Shown, locale: Locale) => {
  const { frame } = locale.words
  return html`
    <html lang=${locale.lang}>
      ${dashboardHead(title, scripts)}
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
          ${signOutForm(member, locale)}
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
export const screensOf = ({ actor }: Pick<PageMember, 'actor'>): readonly (readonly [ScreenName, Screen])[] =>
  (Object.entries(SCREENS) as [ScreenName, Screen][]).filter(
    ([, { capability }]) => capability === undefined || actor.can(capability),
  )

export const signOutForm = ({ csrf }: PageMember, { words }: Locale) => html`
  <form method="post" action="/dashboard/sign-out" class="out">
    ${hiddenFields({ csrf })}
    <button type="submit" class="plain">${words.frame.signOut}</button>
  </form>
`
