import { html } from 'htm/preact'
import type { CellRemark } from '../../../../storefront/shopify-products.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { chip, notice } from '../parts/notices.ts'
import { tickRow } from '../parts/other-rows.ts'
import { table } from '../parts/table.ts'
import { IMPORT, KINDS } from './paths.ts'

/** Products are imported in two steps: what a file would do is shown before it is done. */

type Outcome = 'made' | 'changed' | 'left'

type ImportedLine = {
  readonly handle: string
  readonly title: string
  readonly row: number
  readonly outcome: Outcome
  readonly variants: Readonly<Record<Outcome, number>>
}

export type ImportView = {
  readonly applied: boolean
  readonly isDry: boolean
  readonly products: readonly ImportedLine[]
  readonly faulty: readonly string[]
  readonly faults: readonly CellRemark[]
  readonly notes: readonly CellRemark[]
  /** The file itself, to be sent once more. */
  readonly csv: string
}

type ImportPage = {
  readonly member: PageMember
  readonly bounds: { readonly products: number; readonly megabytes: number }
  readonly values: { readonly currency: string; readonly all: boolean }
  readonly faults?: Readonly<Record<string, string>> | undefined
  readonly view?: ImportView | undefined
}

/** Lines that a page shows of each list. */
const SHOWN_MAX = 100

export const importPage = (page: ImportPage): Reply => {
  const { member, faults, view } = page
  const locale = localeFor(member)
  const { import: words } = locale.words
  return dashboardPage({
    ...(faults && { status: 422 }),
    title: words.title,
    member,
    current: 'products',
    main: html`
      <p><a href=${KINDS.products.path}>${words.back}</a></p>
      ${view ? outcomeOf(locale, page, view) : firstForm(locale, page)}
    `,
  })
}

const firstForm = ({ words: { import: words } }: Locale, { member, bounds, values, faults }: ImportPage) => html`
  <p>${words.about(bounds.products, bounds.megabytes)}</p>
  <p>${words.how}</p>
  <p class="hint">${words.pictures} ${words.pieces}</p>
  <form method="post" action=${IMPORT} enctype="multipart/form-data" class="narrow">
    ${hiddenFields({ csrf: member.csrf, act: 'check' })}
    <div class="row">
      <label for="row-file">${words.file}</label>
      <input
        id="row-file"
        name="file"
        type="file"
        accept=".csv,text/csv"
        required
        aria-invalid=${faults?.file === undefined ? undefined : 'true'}
        aria-describedby=${faults?.file === undefined ? undefined : 'row-file-error'}
      />
      ${faults?.file && html`<p id="row-file-error" class="error" lang="en">${faults.file}</p>`}
    </div>
    ${formRow({ name: 'currency', label: words.currency, hint: words.currencyHint, value: values.currency, error: faults?.currency, required: true, maxlength: 3 })}
    ${tickRow({ name: 'all', label: words.all, isOn: values.all })}
    <button type="submit">${words.check}</button>
  </form>
`

const outcomeOf = (locale: Locale, page: ImportPage, view: ImportView) => {
  const { import: words } = locale.words
  const { products, faulty, faults, notes, isDry, applied } = view
  const written = products.filter(({ outcome }) => outcome !== 'left').length
  const count = (which: Outcome) => products.filter(({ outcome }) => outcome === which).length
  const isHeld = !isDry && !applied
  return html`
    ${notice(isDry ? words.checked : isHeld ? words.held : words.applied, isHeld ? 'bad' : isDry ? 'plain' : 'good')}
    <dl>
      <dt>${words.made}</dt><dd class="number">${locale.number(count('made'))}</dd>
      <dt>${words.changed}</dt><dd class="number">${locale.number(count('changed'))}</dd>
      <dt>${words.left}</dt><dd class="number">${locale.number(count('left'))}</dd>
      <dt>${words.faulty}</dt><dd class="number">${locale.number(faulty.length)}</dd>
    </dl>
    ${isDry && (written > 0 ? applyForm(locale, page, view, written) : html`<p>${words.nothing}</p>`)}
    ${faults.length > 0 && html`<h2>${words.faults}</h2><p>${words.faultsText}</p>${remarks(locale, words.faults, faults)}`}
    ${notes.length > 0 && html`<h2>${words.notes}</h2>${remarks(locale, words.notes, notes)}`}
    ${products.length > 0 && html`<h2>${words.products}</h2>${productTable(locale, products)}`}
    <p><a class="touch" href=${IMPORT}>${words.another}</a></p>
  `
}

/** The file goes along, so that what was looked at is what is imported. */
const applyForm = (
  { words: { import: words } }: Locale,
  { member, values }: ImportPage,
  { csv }: ImportView,
  count: number,
) => html`
  <form method="post" action=${IMPORT} enctype="multipart/form-data">
    ${hiddenFields({ csrf: member.csrf, act: 'apply', csv, currency: values.currency, ...(values.all && { all: '1' }) })}
    <button type="submit">${words.apply(count)}</button>
  </form>
`

const remarks = ({ words: { import: words } }: Locale, caption: string, all: readonly CellRemark[]) => html`
  <div lang="en">
    ${table(
      caption,
      [
        { title: words.row, number: true, cell: ({ row }: CellRemark) => row },
        { title: words.column, cell: ({ column }: CellRemark) => column },
        { title: words.message, cell: ({ message }: CellRemark) => message },
        { title: words.code, cell: ({ code }: CellRemark) => html`<code>${code}</code>` },
      ],
      all.slice(0, SHOWN_MAX),
      'cards',
    )}
  </div>
  ${all.length > SHOWN_MAX && html`<p>${words.more(all.length - SHOWN_MAX)}</p>`}
`

const productTable = (locale: Locale, products: readonly ImportedLine[]) => {
  const { import: words } = locale.words
  const tones = { made: 'good', changed: 'warn', left: 'plain' } as const
  return html`
    ${table(
      words.products,
      [
        {
          title: words.product,
          cell: ({ title, handle }: ImportedLine) => html`${title} <span class="hint">${handle}</span>`,
        },
        { title: words.outcome, cell: ({ outcome }: ImportedLine) => chip(words[outcome], tones[outcome]) },
        {
          title: words.variants,
          number: true,
          cell: ({ variants: { made, changed, left } }: ImportedLine) => locale.number(made + changed + left),
        },
      ],
      products.slice(0, SHOWN_MAX),
      'cards',
    )}
    ${products.length > SHOWN_MAX && html`<p>${words.more(products.length - SHOWN_MAX)}</p>`}
  `
}
