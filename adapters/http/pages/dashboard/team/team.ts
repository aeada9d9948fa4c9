import { html } from 'htm/preact'
import { CAPABILITIES } from '../../../../../domain/account/capabilities.ts'
import { capabilitiesOf, ROLES, type Role, SEAT_PRICES } from '../../../../../domain/account/roles.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { money, time } from '../parts/figures.ts'
import { dialog, emptyState, notice } from '../parts/notices.ts'
import { tickRow } from '../parts/other-rows.ts'
import { table } from '../parts/table.ts'
import { dollars, type GrantValues, type StoreChoice, storeName } from './grants-form.ts'

/** The team: who is in it and who is invited, the seats and their price, and what each role may do. */

export const TEAM = '/dashboard/team'

type Listed = Pick<GrantValues, 'role' | 'storeScope'> & { readonly email: string }
type ListedMember = Listed & { readonly number: number; readonly seatedAt: string }
type ListedInvitation = Listed & { readonly emailFingerprint: string; readonly expiresAt: string }

export type TeamPage = {
  readonly member: PageMember
  readonly members: readonly ListedMember[]
  readonly invitations: readonly ListedInvitation[]
  readonly stores: readonly StoreChoice[]
  readonly slotsFree: number
  readonly subKeys: number
  /** The prepaid credit, in millionths of a US dollar. */
  readonly credit: bigint
  readonly factorRequired: boolean
  readonly done?: TeamDone | undefined
}

type TeamDone = 'invited' | 'withdrawn' | 'changed' | 'removed' | 'rule'

const DONE = {
  invited: 'doneInvited',
  withdrawn: 'doneWithdrawn',
  changed: 'doneChanged',
  removed: 'doneRemoved',
  rule: 'doneRule',
} as const

export const teamPage = (page: TeamPage): Reply => {
  const { member, members, done } = page
  const locale = localeFor(member)
  const { team: words } = locale.words
  return dashboardPage({
    title: words.title,
    member,
    current: 'team',
    main: html`
      ${notice(done && words[DONE[done]])}
      <p>${words.about}</p>
      ${members.length === 0 ? emptyState(words.none, words.noneText) : memberTable(locale, page)}
      <p><a class="button" href=${`${TEAM}/invite`}>${words.invite}</a></p>
      ${invitationCard(locale, page)} ${seatCard(locale, page)} ${ruleCard(locale, page)}
      ${dialog(words.rolesTitle, roleTable(locale))}
    `,
  })
}

const memberTable = (locale: Locale, { members, stores }: TeamPage) => {
  const { team: words, roles } = locale.words
  return table<ListedMember>(
    words.members,
    [
      { title: words.email, cell: ({ email }) => email },
      { title: words.role, cell: ({ role }) => roles[role] },
      { title: words.stores, cell: ({ storeScope }) => storesIn(locale, storeScope, stores) },
      { title: words.since, cell: ({ seatedAt }) => time(locale, seatedAt) },
      {
        title: words.change,
        cell: ({ number, email }) =>
          html`<a class="touch" href=${`${TEAM}/members/${number}`} aria-label=${words.changeOf(email)}>${words.change}</a>`,
      },
    ],
    members,
    'cards',
  )
}

const invitationCard = (locale: Locale, { member, invitations, stores }: TeamPage) => {
  const { team: words, roles } = locale.words
  const withdrawal = ({ emailFingerprint, email }: ListedInvitation) => html`
    <form method="post" action=${TEAM}>
      ${hiddenFields({ csrf: member.csrf, act: 'withdraw', invitation: emailFingerprint })}
      <button type="submit" class="plain" aria-label=${words.withdrawOf(email)}>${words.withdraw}</button>
    </form>
  `
  return (
    invitations.length > 0 &&
    table<ListedInvitation>(
      words.invitations,
      [
        { title: words.email, cell: ({ email }) => email },
        { title: words.role, cell: ({ role }) => roles[role] },
        { title: words.stores, cell: ({ storeScope }) => storesIn(locale, storeScope, stores) },
        { title: words.until, cell: ({ expiresAt }) => time(locale, expiresAt) },
        { title: words.withdraw, cell: withdrawal },
      ],
      invitations,
      'cards',
    )
  )
}

const seatCard = (locale: Locale, { slotsFree, subKeys, invitations, credit }: TeamPage) => {
  const open = invitations.length
  const { team: words } = locale.words
  return html`
    <section class="card" aria-labelledby="seats">
      <h2 id="seats">${words.seats}</h2>
      <p>${words.seatsFree(slotsFree)} ${open > 0 && words.seatsCounted(open)} ${subKeys > 0 && words.subKeys(subKeys)}</p>
      <p class="hint">${words.seatsText}</p>
      <p>${words.credit} ${money(locale, credit, 'USD')} <a class="touch" href="/dashboard/top-up">${words.topUp}</a></p>
    </section>
  `
}

const ruleCard = ({ words: { team: words } }: Locale, { member, factorRequired }: TeamPage) => html`
  <section class="card" aria-labelledby="rule">
    <h2 id="rule">${words.rule}</h2>
    <p>${words.ruleText}</p>
    <form method="post" action=${TEAM} class="narrow">
      ${hiddenFields({ csrf: member.csrf, act: 'rule' })}
      ${tickRow({ name: 'required', label: words.ruleTick, isOn: factorRequired })}
      <button type="submit">${words.ruleSave}</button>
    </form>
  </section>
`

const roleTable = (locale: Locale) => {
  const { team: words, roles } = locale.words
  return table<Role>(
    words.rolesTitle,
    [
      { title: words.role, cell: (role) => roles[role] },
      { title: words.price, number: true, cell: (role) => dollars(locale, SEAT_PRICES[role]) },
      { title: words.rights, cell: (role) => rightsIn(locale, role) },
    ],
    ROLES,
    'cards',
  )
}

/** What a role may do, in words. */
const rightsIn = ({ words: { team: words, rights } }: Locale, role: Role): string => {
  if (role === 'custom') return words.chosen
  const all = capabilitiesOf(role, [])
  return all.length === CAPABILITIES.length ? words.allRights : all.map((slug) => rights[slug]).join(', ')
}

/** The stores of a scope by their names; one that was deleted, or has none, has its number. */
const storesIn = (locale: Locale, scope: readonly number[], stores: readonly StoreChoice[]): string => {
  if (scope.length === 0) return locale.words.team.allStores
  const names = new Map(stores)
  return scope.map((id) => storeName(locale, id, names.get(id))).join(', ')
}
