import { html } from 'htm/preact'
import { CAPABILITIES, type Capability } from '../../../../../domain/account/capabilities.ts'
import { ROLES, type Role, SEAT_PRICES } from '../../../../../domain/account/roles.ts'
import { hiddenFields } from '../../people/fields.ts'
import type { Locale } from '../messages/locale.ts'
import { notice } from '../parts/notices.ts'
import { choiceRow } from '../parts/other-rows.ts'

/** The fields by which an owner says what a member may do, and where. */

/** A store that may be chosen, by its number and its name. */
export type StoreChoice = readonly [id: number, name: string]

export type GrantValues = {
  readonly role: Role
  readonly permissions: readonly Capability[]
  /** Empty: the whole account. */
  readonly storeScope: readonly number[]
}

export type GrantFields = {
  readonly values: GrantValues
  readonly stores: readonly StoreChoice[]
  readonly faults?: Readonly<Record<string, string>> | undefined
  /** What it costs, in millionths of a US dollar, once it was asked for and not agreed to. */
  readonly asks?: bigint | undefined
}

/** The fields; what it costs is agreed to by sending the form once more. */
export const grantFields = (locale: Locale, { values, stores, faults = {}, asks }: GrantFields) => {
  const { team: words, roles } = locale.words
  const options = ROLES.map((role) => [role, `${roles[role]} (${dollars(locale, SEAT_PRICES[role])})`] as const)
  return html`
    ${choiceRow({ name: 'role', label: words.role, value: values.role, hint: words.priceHint, options, error: faults.role })}
    <fieldset>
      <legend>${words.where}</legend>
      ${radio('all', words.everywhere, values.storeScope.length === 0)}
      ${radio('some', words.someStores, values.storeScope.length > 0)}
      ${stores.map(([id, name]) => tick(`store_${id}`, storeName(locale, id, name), values.storeScope.includes(id)))}
      ${faults.stores && html`<p class="error" lang="en">${faults.stores}</p>`}
    </fieldset>
    <details class="dialog" open=${values.role === 'custom' || faults.permissions !== undefined}>
      <summary>${words.permissions}</summary>
      ${CAPABILITIES.map((slug) => tick(`may_${slug}`, locale.words.rights[slug], values.permissions.includes(slug)))}
      ${faults.permissions && html`<p class="error" lang="en">${faults.permissions}</p>`}
    </details>
    ${asks !== undefined && hiddenFields({ agreed: String(asks) })}
  `
}

/** Says what it costs, where that has not been agreed to yet. */
export const priceNotice = (locale: Locale, asks: bigint | undefined, isMore?: 'more') => {
  const { team: words } = locale.words
  if (asks === undefined) return undefined
  const fee = dollars(locale, asks)
  return notice(isMore ? words.asksMore(fee) : words.asks(fee), 'warn')
}

/** What a store is called; one without a name has its number. */
export const storeName = ({ words }: Locale, id: number, name = ''): string =>
  name === '' ? words.team.unnamed(id) : name

export const dollars = (locale: Locale, units: bigint): string => locale.money(units, 'USD')

const radio = (value: string, label: string, isOn: boolean) => html`
  <p class="tick">
    <label><input type="radio" name="stores" value=${value} checked=${isOn} /> ${label}</label>
  </p>
`

const tick = (name: string, label: string, isOn: boolean) => html`
  <p class="tick">
    <label><input type="checkbox" name=${name} value="1" checked=${isOn} /> ${label}</label>
  </p>
`
