import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import type { Messages } from '../messages/en.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { COPY_SCRIPT } from '../parts/address.ts'
import { time } from '../parts/figures.ts'
import { formRow } from '../parts/form-row.ts'
import { chip, dialog, notice, type Tone } from '../parts/notices.ts'
import { choiceRow } from '../parts/other-rows.ts'
import { DEVELOPERS, KEYS } from './paths.ts'
import { freshSecret } from './secret.ts'

/** Sub-keys and sandbox keys: which there are, one more, and what may be done with each. */

type KeyKind = 'sub-key' | 'sandbox'

export type ShownKey = {
  readonly of: KeyKind
  readonly id: number
  readonly name: string
  /** The role of a sub-key, or the kind of a sandbox key. */
  readonly role: string
  /** The stores of a sub-key; none for all, and for a sandbox key. */
  readonly stores: readonly number[]
  readonly status: keyof Messages['keyStates']
  readonly endsAt: string | null
  /** The end as the clocks of the account show it, for the form. */
  readonly endsWall: string
  readonly networks: readonly string[] | null
}

/** A form that was refused: which, what was typed, and what is wrong. */
export type KeyFailure = {
  readonly act: string
  readonly id: string
  readonly values: Readonly<Record<string, string>>
  readonly faults: Readonly<Record<string, string>>
}

type KeysPage = {
  readonly member: PageMember
  readonly keys: readonly ShownKey[]
  readonly zone: string
  /** The roles of sub-keys, each with the price of its seat. */
  readonly roles: readonly (readonly [role: string, price: bigint])[]
  readonly fresh?: string
  readonly failed?: KeyFailure
  readonly isDone?: boolean
}

export const keysPage = (page: KeysPage): Reply => {
  const { member, fresh, failed, isDone } = page
  const locale = localeFor(member)
  const words = locale.words.developers
  return dashboardPage({
    ...(failed && { status: 422 }),
    title: words.keys,
    member,
    current: 'developers',
    scripts: [COPY_SCRIPT],
    main: html`
      ${notice(isDone ? words.done : undefined)} ${notice(failed?.faults.form, 'bad')}
      ${freshSecret(locale, words.newKey, fresh)}
      ${member.actor.isOwner && section(locale, page, 'sub-key', words.subKeys, words.subKeysText)}
      ${section(locale, page, 'sandbox', words.sandboxKeys, words.sandboxKeysText)}
      <p><a class="touch" href=${DEVELOPERS}>${words.back}</a></p>
    `,
  })
}

const section = (locale: Locale, page: KeysPage, of: KeyKind, title: string, text: string) => {
  const words = locale.words.developers
  const own = page.keys.filter((key) => key.of === of)
  return html`
    <section aria-labelledby=${of}>
      <h2 id=${of}>${title}</h2>
      <p>${text}</p>
      ${own.length === 0 && html`<p>${words.noKeys}</p>`} ${own.map((key) => card(locale, page, key))}
      ${dialog(of === 'sub-key' ? words.makeSubKey : words.makeSandboxKey, creation(locale, page, of), page.failed?.act === `make-${of}`)}
    </section>
  `
}

const TONES: Readonly<Record<ShownKey['status'], Tone>> = {
  active: 'good',
  ended: 'warn',
  suspended: 'warn',
  revoked: 'plain',
}

const card = (locale: Locale, page: KeysPage, key: ShownKey) => {
  const { developers: words, keyStates } = locale.words
  const { name, role, stores, status, endsAt, networks } = key
  const label = name === '' ? `${role} ${key.id}` : name
  const act = (what: string, title: string, text: string) =>
    dialog(
      title,
      html`${form(page, `${what}-${key.of}`, key.id, html`<p>${text}</p><button type="submit">${title}</button>`)}`,
    )
  return html`
    <section class="card" aria-label=${label}>
      <h3>${label} ${chip(keyStates[status], TONES[status])}</h3>
      <dl class="facts">
        <dt>${key.of === 'sub-key' ? words.role : words.kind}</dt>
        <dd>${role}</dd>
        ${key.of === 'sub-key' && html`<dt>${words.stores}</dt><dd>${stores.length === 0 ? words.allStores : stores.join(', ')}</dd>`}
        <dt>${words.ends}</dt>
        <dd>${endsAt === null ? words.never : time(locale, endsAt)}</dd>
        <dt>${words.networks}</dt>
        <dd>${networks === null ? words.everywhere : html`<code class="long">${networks.join(', ')}</code>`}</dd>
      </dl>
      ${
        status !== 'revoked' &&
        html`
        ${dialog(words.changeOf(label), change(locale, page, key), isFailed(page, `change-${key.of}`, String(key.id)))} ${act('rotate', words.rotateOf(label), words.rotateText)}
        ${act('remove', words.removeOf(label), words.removeText)}
      `
      }
    </section>
  `
}

const form = ({ member: { csrf } }: KeysPage, act: string, id: number | undefined, content: unknown) => html`
  <form method="post" action=${KEYS} class="narrow">
    ${hiddenFields({ csrf, act, ...(id !== undefined && { id: String(id) }) })} ${content}
  </form>
`

const creation = (locale: Locale, page: KeysPage, of: KeyKind) => {
  const words = locale.words.developers
  const act = `make-${of}`
  const { values = {}, faults = {} } = typedFor(page, act, '')
  const prices = page.roles.map(([role, price]) => `${role} ${locale.money(price, 'USD')}`).join(', ')
  return form(
    page,
    act,
    undefined,
    html`
      ${formRow({ name: 'name', scope: of, label: words.name, value: values.name, error: faults.name, maxlength: 100 })}
      ${
        of === 'sub-key'
          ? html`
            ${choiceRow({ name: 'role', scope: of, label: words.role, hint: words.seat(prices), value: values.role, error: faults.role, options: page.roles.map(([role]) => [role, role] as const) })}
            ${formRow({ name: 'stores', scope: of, label: words.stores, hint: words.storesHint, value: values.stores, error: faults.stores })}
          `
          : choiceRow({
              name: 'kind',
              scope: of,
              label: words.kind,
              value: values.kind ?? 'secret',
              error: faults.kind,
              options: [
                ['secret', words.secret],
                ['publishable', words.publishable],
              ],
            })
      }
      ${limitRows(locale, page, { scope: of, values, faults })}
      <button type="submit">${of === 'sub-key' ? words.makeSubKey : words.makeSandboxKey}</button>
    `,
  )
}

const change = (locale: Locale, page: KeysPage, key: ShownKey) => {
  const act = `change-${key.of}`
  const { values, faults = {} } = typedFor(page, act, String(key.id))
  const present = { ends_at: key.endsWall, networks: key.networks?.join(', ') ?? '' }
  const { save } = locale.words.developers
  return form(
    page,
    act,
    key.id,
    html`${limitRows(locale, page, { scope: `${key.of}-${key.id}`, values: values ?? present, faults })}<button type="submit">${save}</button>`,
  )
}

const limitRows = (
  { words: { developers: words } }: Locale,
  { zone }: KeysPage,
  { scope, values, faults }: Pick<KeyFailure, 'values' | 'faults'> & { readonly scope: string },
) => html`
  ${formRow({ name: 'ends_at', scope, label: words.ends, type: 'datetime-local', hint: words.endsHint(zone), value: values.ends_at, error: faults.ends_at })}
  ${formRow({ name: 'networks', scope, label: words.networks, hint: words.networksHint, value: values.networks, error: faults.networks })}
`

/** What was typed in this form, and what was wrong with it, where it is the one that was refused. */
const typedFor = (page: KeysPage, act: string, id: string): Partial<KeyFailure> =>
  (isFailed(page, act, id) && page.failed) || {}

const isFailed = ({ failed }: KeysPage, act: string, id: string): boolean => failed?.act === act && failed.id === id
