import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import type { Messages } from '../messages/en.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { choiceRow, linesRow, tickRow } from '../parts/other-rows.ts'
import { KINDS, type LinkKind } from './paths.ts'

/** The forms in which links are made and changed. */

export type LinkField = keyof Messages['linkFields']

/** What was typed, or what is so at present. A box that is ticked says 1. */
export type LinkValues = { readonly [name in LinkField]?: string | undefined }

export type LinkForm = {
  readonly fields: readonly LinkField[]
  readonly values: LinkValues
  readonly faults?: Readonly<Record<string, string>> | undefined
  /** The values of the fields with some to choose from. */
  readonly choices: { readonly [name in LinkField]?: readonly (readonly [value: string, label: string])[] }
  /** What is sent along, such as the version that a change was made on. */
  readonly hidden?: Readonly<Record<string, string>>
}

const TICKS: ReadonlySet<LinkField> = new Set(['listed'])
/** Characters of the fields of several lines. */
const LINES: { readonly [name in LinkField]?: number } = { description: 2_000, options: 1_000 }
const REQUIRED: ReadonlySet<LinkField> = new Set(['price'])
const TEXT_MAX = 2_100

type SentForm = LinkForm & {
  readonly action: string
  readonly act: string
  readonly csrf: string
  readonly button: string
}

export const formView = ({ words }: Locale, { action, act, csrf, button, hidden, ...form }: SentForm) => html`
  <form method="post" action=${action} class="narrow">
    ${hiddenFields({ csrf, act, ...hidden })} ${form.fields.map((name) => rowOf(words.linkFields, name, form))}
    <button type="submit">${button}</button>
  </form>
`

const rowOf = (words: Messages['linkFields'], name: LinkField, { values, faults, choices }: LinkForm) => {
  const [label = '', hint = ''] = words[name]
  const row = { name, label, value: values[name], error: faults?.[name] }
  const options = choices[name]
  if (options) return options.length > 1 && choiceRow({ ...row, hint, options })
  if (TICKS.has(name)) return tickRow({ ...row, isOn: values[name] === '1' })
  const maxlength = LINES[name]
  if (maxlength !== undefined) return linesRow({ ...row, hint, maxlength, lines: 4, isOptional: true })
  return formRow({ ...row, hint, required: REQUIRED.has(name), maxlength: TEXT_MAX })
}

type NewLinkPage = { readonly member: PageMember; readonly kind: LinkKind; readonly form: LinkForm }

/** The page on which one is made. */
export const newLinkPage = ({ member, kind, form }: NewLinkPage): Reply => {
  const locale = localeFor(member)
  const { links: words } = locale.words
  const { path } = KINDS[kind]
  return dashboardPage({
    ...(form.faults && { status: 422 }),
    title: words.make[kind],
    member,
    current: 'products',
    main: html`
      <p><a href=${path}>${words.back[kind]}</a></p>
      <p>${words.makeText[kind]}</p>
      ${formView(locale, { ...form, action: path, act: 'create', csrf: member.csrf, button: words.make[kind] })}
    `,
  })
}
