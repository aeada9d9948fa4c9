import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'

/** What a list is narrowed by: a text, a date, or one of some values. */
export type Filter = {
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly type?: 'search' | 'date' | 'text'
  /** The values that there are; the first one means all. */
  readonly options?: readonly (readonly [value: string, label: string])[]
  /** What is wrong with what was typed. */
  readonly error?: string | undefined
}

/** A form that narrows a list by its address, so that what is shown can be kept, sent and gone back to. */
export const filterBar = ({ words }: Locale, action: string, label: string, filters: readonly Filter[]) => html`
  <form method="get" action=${action} class="filters" role="search" aria-label=${label}>
    ${filters.map(control)}
    <p class="buttons">
      <button type="submit">${words.parts.filter}</button>
      <a href=${action}>${words.parts.clear}</a>
    </p>
  </form>
`

const control = ({ name, label, value = '', type = 'text', options, error }: Filter) => {
  const id = `filter-${name}`
  const about = error === undefined ? {} : { 'aria-invalid': 'true', 'aria-describedby': `${id}-error` }
  return html`
    <div>
      <label for=${id}>${label}</label>
      ${
        options
          ? html`<select id=${id} name=${name} ...${about}>
              ${options.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}
            </select>`
          : html`<input id=${id} name=${name} type=${type} value=${value} ...${about} />`
      }
      ${error && html`<p id=${`${id}-error`} class="error" lang="en">${error}</p>`}
    </div>
  `
}
