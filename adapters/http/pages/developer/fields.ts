import { html } from 'htm/preact'

/** Parts of forms that only developers see, beside those of everybody's. */

export const area = ({
  name,
  label,
  value,
  hint,
}: {
  name: string
  label: string
  value: string
  hint?: string
}) => html`
  <div class="field">
    <label for=${`f-${name}`}>${label}</label>
    ${hint && html`<p id=${`f-${name}-hint`} class="hint">${hint}</p>`}
    <textarea
      id=${`f-${name}`}
      name=${name}
      rows="3"
      maxlength="40000"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      aria-describedby=${hint && `f-${name}-hint`}
      value=${value}
    ></textarea>
  </div>
`

export const choice = (given: { name: string; value: string; label: string; checked: boolean }) => html`
  <label class="choice">
    <input type="radio" name=${given.name} value=${given.value} checked=${given.checked} required />
    <span>${given.label}</span>
  </label>
`
