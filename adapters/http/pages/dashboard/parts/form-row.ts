import { html } from 'htm/preact'

export type FormRow = {
  readonly name: string
  /** Which of the forms of a page it is in, where several have a field of this name. */
  readonly scope?: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'number' | 'url' | 'password' | 'datetime-local'
  readonly value?: string | undefined
  readonly hint?: string
  readonly error?: string | undefined
  readonly required?: boolean
  readonly autocomplete?: string
  readonly maxlength?: number
}

/** A field with its label, what to type, and what is wrong with what was typed. */
export const formRow = ({ name, scope, label, type = 'text', value, hint, error, ...rest }: FormRow) => {
  const id = rowId(name, scope)
  const about = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return html`
    <div class="row">
      <label for=${id}>${label}</label>
      ${hint && html`<p id=${`${id}-hint`} class="hint">${hint}</p>`}
      <input
        id=${id}
        name=${name}
        type=${type}
        value=${value}
        required=${rest.required}
        autocomplete=${rest.autocomplete ?? 'off'}
        maxlength=${rest.maxlength}
        aria-invalid=${error === undefined ? undefined : 'true'}
        aria-describedby=${about === '' ? undefined : about}
      />
      ${error && html`<p id=${`${id}-error`} class="error">${error}</p>`}
    </div>
  `
}

/** The id of a field, which no other field of the page has. */
export const rowId = (name: string, scope?: string): string =>
  scope === undefined ? `row-${name}` : `row-${scope}-${name}`
