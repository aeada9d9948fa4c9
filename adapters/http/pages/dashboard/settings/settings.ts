import { html } from 'htm/preact'
import { UTC } from '../../../../../domain/kernel/calendar.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import type { Messages } from '../messages/en.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { notice } from '../parts/notices.ts'
import { choiceRow, tickRow } from '../parts/other-rows.ts'

/** The settings of the account, a form for each group. */

export type SettingsGroup = 'currency' | 'zone' | 'payment' | 'vat' | 'branding' | 'notifications'

type Field = keyof Messages['settingsFields']

export type SettingsValues = { readonly [name in Field]?: string }

/** The fields of each group, in order. */
const GROUPS: Readonly<Record<SettingsGroup, readonly Field[]>> = {
  payment: ['default', 'accept_underpayments', 'redirect', 'refunds'],
  currency: ['currency'],
  zone: ['time_zone'],
  vat: ['enabled', 'country', 'number', 'inclusive'],
  branding: ['brand_name', 'logo_url', 'logo_url_dark', 'color_1', 'color_2', 'color_3'],
  notifications: ['email'],
}

const TICKS: ReadonlySet<Field> = new Set(['refunds', 'email', 'enabled', 'inclusive'])

type SettingsPage = {
  readonly member: PageMember
  readonly values: SettingsValues
  readonly faults?: Readonly<Record<string, string>>
  /** The group that was just saved. */
  readonly done?: SettingsGroup | undefined
  readonly mayEdit: boolean
}

export const settingsPage = (page: SettingsPage): Reply => {
  const locale = localeFor(page.member)
  const { settings: words } = locale.words
  return dashboardPage({
    ...(page.faults && { status: 422 }),
    title: words.title,
    member: page.member,
    current: 'settings',
    main: html`
      ${notice(page.done && words.saved(words[page.done]))}
      ${(Object.keys(GROUPS) as SettingsGroup[]).map((group) => groupForm(locale, group, page))}
      <section class="card" aria-labelledby="group-data">
        <h2 id="group-data">${words.data}</h2>
        <p>${words.dataText}</p>
        <p class="ways">
          <a class="touch" href="/audit">${words.dataWay}</a>
          ${page.member.actor.can('transactions.export') && html`<a class="touch" href="/dashboard/payments.csv">${words.dataFile}</a>`}
        </p>
        ${page.member.actor.isOwner && html`<p><a class="touch" href="/dashboard/settings/close">${words.close}</a></p>`}
      </section>
    `,
  })
}

/** The zones that are known by a name of their own, and the present one, which may be another name of one of them. */
const zoneChoices = (present = UTC) =>
  [...new Set([UTC, present, ...Intl.supportedValuesOf('timeZone')])].map((name) => [name, name] as const)

const groupForm = ({ words }: Locale, group: SettingsGroup, { member, values, faults, mayEdit }: SettingsPage) => {
  const { settings, settingsFields } = words
  const id = `group-${group}`
  return html`
    <section class="card" aria-labelledby=${id}>
      <h2 id=${id}>${settings[group]}</h2>
      <form method="post" action="/dashboard/settings" class="narrow">
        ${hiddenFields({ csrf: member.csrf, act: group })}
        ${GROUPS[group].map((name) => {
          const [label = '', hint = ''] = settingsFields[name]
          const row = { name, label, value: values[name], error: faults?.[name] }
          if (name === 'time_zone') return choiceRow({ ...row, hint, options: zoneChoices(values[name]) })
          return TICKS.has(name) ? tickRow({ ...row, isOn: values[name] === '1' }) : formRow({ ...row, hint })
        })}
        ${mayEdit && html`<button type="submit" aria-label=${settings.saveOf(settings[group])}>${settings.save}</button>`}
      </form>
    </section>
  `
}
