import { html } from 'htm/preact'
import { rowId } from './form-row.ts'

type Labelled = {
  readonly name: string
  /** Which of the forms of a page it is in, where several have a field of this name. */
  readonly scope?: string
  readonly label: string
  readonly value?: string | undefined
  readonly hint?: unknown
  readonly error?: string | undefined
}

const rowOf = (
  { name, scope, label, hint, error }: Labelled,
  control: (about: { readonly id: string; readonly by: string | undefined }) => unknown,
) => {
  const id = rowId(name, scope)
  const by = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return html`
    <div class="row">
      <label for=${id}>${label}</label>
      ${hint && html`<p id=${`${id}-hint`} class="hint">${hint}</p>`} ${control({ id, by: by === '' ? undefined : by })}
      ${error && html`<p id=${`${id}-error`} class="error">${error}</p>`}
    </div>
  `
}

/** A field with some values to choose from. */
export const choiceRow = (row: Labelled & { readonly options: readonly (readonly [value: string, label: string])[] }) =>
  rowOf(
    row,
    ({ id, by }) => html`
      <select id=${id} name=${row.name} aria-invalid=${row.error === undefined ? undefined : 'true'} aria-describedby=${by}>
        ${row.options.map(([value, label]) => html`<option value=${value === label ? undefined : value} selected=${value === row.value}>${label}</option>`)}
      </select>
    `,
  )

type LinesRow = Labelled & {
  readonly lines?: number
  readonly maxlength: number
  /** It may be left empty. */
  readonly isOptional?: true
  /** The text is there to be copied, not to be changed. */
  readonly isFixed?: true
  /** The address at which what is typed is checked; `form` names the fields of the form that go with it. */
  readonly checkAt?: string
}

/** A field of several lines. */
export const linesRow = (row: LinesRow) =>
  rowOf(
    row,
    ({ id, by }) => html`
      <textarea
        id=${id}
        name=${row.name}
        rows=${row.lines ?? 2}
        maxlength=${row.maxlength}
        required=${!row.isOptional}
        readonly=${row.isFixed}
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        aria-invalid=${row.error === undefined ? undefined : 'true'}
        aria-describedby=${by}
        data-check=${row.checkAt}
      >${row.value ?? ''}</textarea>
      ${row.checkAt && html`<p class="hint" role="status" data-checked></p>`}
    `,
  )

/** A box to tick. */
export const tickRow = (row: Labelled & { readonly isOn: boolean }) => html`
  <p class="tick">
    <label><input type="checkbox" name=${row.name} value="1" checked=${row.isOn} /> ${row.label}</label>
  </p>
`
