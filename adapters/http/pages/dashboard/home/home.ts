import { html } from 'htm/preact'
import { networkOf } from '../../../../../domain/kernel/networks.ts'
import {
  MATTERS_MAX,
  type Matter,
  type MatterKind,
  type Overview,
  type Period,
} from '../../../../../domain/use-cases/money/overview.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage, mayOpen, type PageMember, screensOf, signOutForm, switchWay } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { LIVE_SCRIPT, live } from '../parts/live.ts'
import { emptyState, notice } from '../parts/notices.ts'
import { coinTable, figures, salesChart } from './figures.ts'

/** The first page of the dashboard, and the menu of a phone. */

export type HomePage = {
  readonly member: PageMember
  /** What the account calls itself, or the address that it signs in with; the own address of a member with a seat. */
  readonly name: string
  /** The account in which a member with a seat acts. */
  readonly account?: string
  /** An address that nobody has confirmed yet. */
  readonly unconfirmed: string | undefined
  /** Undefined for a member who may not see what was sold. */
  readonly overview: Overview | undefined
}

const HOME = '/dashboard'
const PAYMENTS = `${HOME}/payments`
/** The streams that change what the page tells. */
const KINDS = ['transaction', 'creditAccount', 'delivery', 'transfer']

/** A shop that sells all the time changes the figures all the time. */
const READ_EVERY_SECONDS = 10

export const homePage = ({ member, name, account, unconfirmed, overview }: HomePage): Reply => {
  const locale = localeFor(member)
  const { home: words } = locale.words
  return dashboardPage({
    title: words.title,
    member,
    current: 'home',
    ownHeading: true,
    ...(overview && { scripts: [LIVE_SCRIPT] }),
    main: html`
      <h1>${words.greeting(name)}</h1>
      ${account !== undefined && html`<p>${locale.words.team.actsIn(account)}</p>`}
      ${notice(unconfirmed && words.unconfirmed(unconfirmed), 'warn')}
      ${overview && html`${periods(locale, overview)} ${live({ id: 'overview', kinds: KINDS, everySeconds: READ_EVERY_SECONDS }, content(locale, member, overview))}`}
    `,
  })
}

const content = (locale: Locale, member: PageMember, overview: Overview) => {
  const { home: words } = locale.words
  const hasSold = overview.coins.length > 0
  return html`
    ${matters(locale, member, overview.matters)} ${figures(locale, overview, member.actor.can('billing.spend'))}
    ${
      hasSold
        ? html`
            ${overview.days.length > 1 && html`<section class="card">${salesChart(locale, overview)}</section>`}
            ${coinTable(locale, overview)}
          `
        : html`<section class="card">
            ${emptyState(words.nothing, words.nothingText, mayOpen(member, 'firstSteps') ? { href: '/dashboard/first-steps', label: words.firstSteps } : undefined)}
          </section>`
    }
    <p class="hint">${words.zone(overview.zone)}</p>
  `
}

const SHOWN_PERIODS: readonly Period[] = ['today', '7d', '30d']

/** The address of the page with a period, of live or test sales. */
const homeAt = (period: Period, test: boolean): string => `${HOME}?period=${period}${test ? '&test=1' : ''}`

const periods = ({ words: { home: words } }: Locale, { period, test }: Overview) => html`
  <nav class="periods" aria-label=${words.period}>
    ${SHOWN_PERIODS.map((each) => html`<a href=${homeAt(each, test)} aria-current=${each === period ? 'page' : undefined}>${words[each]}</a>`)}
  </nav>
  <p class="ways">
    ${test && words.testShown} <a href=${homeAt(period, !test)}>${test ? words.showLive : words.showTest}</a>
  </p>
`

const matters = (locale: Locale, member: PageMember, all: readonly Matter[]) => {
  const { home: words } = locale.words
  if (all.length === 0) return html`<p class="hint">${words.noMatters}</p>`
  return html`
    <section class="card" aria-labelledby="matters">
      <h2 id="matters">${words.matters}</h2>
      <ul class="matters">${all.map((each) => html`<li>${matter(locale, member, each)}</li>`)}</ul>
    </section>
  `
}

/** What it is about, and the ways to where it is mended: the payments themselves, or the place for all of them. */
const matter = (locale: Locale, member: PageMember, { kind, count, transactions, networks = [] }: Matter) => {
  const { home: words } = locale.words
  const isAll = transactions.length > 0 && transactions.length >= count
  const isLedOn = (!isAll || kind === 'unmatched') && mayMend(member, kind)
  return html`
    <p>${matterText(locale, kind, count, networks)}</p>
    <p class="ways">
      ${transactions.map((id) => html`<a href=${`${PAYMENTS}/${id}`}>${words.payment(id)}</a>`)}
      ${isLedOn && html`<a href=${WHERE[kind]}>${locale.words.matterWays[kind]}</a>`}
    </p>
  `
}

const matterText = (locale: Locale, kind: MatterKind, count: number, networks: readonly string[]): string => {
  const { home: words } = locale.words
  if (kind === 'low-credit') return words[kind]
  if (kind === 'chains-behind') return words[kind](networks.map((name) => networkOf(name)?.title ?? name).join(', '))
  return words[kind](count < MATTERS_MAX ? locale.number(count) : words.more(locale.number(MATTERS_MAX)))
}

const WHERE: Readonly<Record<MatterKind, string>> = {
  unmatched: `${HOME}/unmatched`,
  underpaid: `${PAYMENTS}?status=X`,
  'webhooks-failed': PAYMENTS,
  disputed: PAYMENTS,
  'low-credit': '/dashboard/top-up',
  'chains-behind': '/dashboard/wallets',
}

/** Whether a member may go where it is mended. */
const mayMend = (member: PageMember, kind: MatterKind): boolean => {
  if (kind === 'low-credit') return member.actor.can('billing.spend')
  return mayOpen(member, kind === 'chains-behind' ? 'wallets' : 'payments')
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
      ${switchWay(member, locale)} ${signOutForm(member, locale)}
    `,
  })
}
