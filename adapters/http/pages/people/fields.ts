import { html } from 'htm/preact'

/** Parts of forms that everybody can use: a label that says what to type, and what is wrong with it right beside. */

export type FormField = {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password' | 'url'
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly optional?: boolean
  readonly inputmode?: 'numeric'
  readonly maxlength?: number
  readonly autofocus?: boolean
}

export const field = (f: FormField) => {
  const id = `f-${f.name}`
  const about = [f.hint && `${id}-hint`, f.error && `${id}-error`].filter(Boolean).join(' ')
  return html`
    <div class="field">
      <label for=${id}>${f.label}</label>
      ${f.hint && html`<p id=${`${id}-hint`} class="hint">${f.hint}</p>`}
      <input
        id=${id}
        name=${f.name}
        type=${f.type ?? 'text'}
        autocomplete=${f.autocomplete}
        value=${f.value}
        required=${!f.optional}
        inputmode=${f.inputmode}
        maxlength=${f.maxlength}
        autofocus=${f.autofocus || f.error !== undefined}
        autocapitalize="none"
        spellcheck="false"
        aria-invalid=${f.error === undefined ? undefined : 'true'}
        aria-describedby=${about === '' ? undefined : about}
      />
      ${f.error && html`<p id=${`${id}-error`} class="error">${f.error}</p>`}
    </div>
  `
}

/** Values that a form carries and nobody sees; those that are undefined are left out. */
export const hiddenFields = (values: Readonly<Record<string, string | undefined>>) =>
  Object.entries(values).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name=${name} value=${value} />`,
  )

/** What went wrong with a form as a whole; a screen reader says it at once. */
export const problem = (text: string | undefined) => text && html`<p class="problem" role="alert">${text}</p>`

/** A notice that something was done. */
export const doneNotice = (text: string | undefined) => text && html`<p class="done" role="status">${text}</p>`

type LinkForm = {
  /** The address that the form is sent to. */
  readonly action: string
  /** The token of the mailed link. */
  readonly token: string
  /** The token of the session, where there is one already. */
  readonly csrf?: string | undefined
  readonly error: string | undefined
  /** What the button says. */
  readonly label: string
}

/** The form that asks somebody who follows a mailed link for the password of the account. */
export const linkPasswordForm = ({ action, token, csrf, error, label }: LinkForm) => html`
  <form method="post" action=${action}>
    ${hiddenFields({ token, csrf })}
    ${field({
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
      error,
      maxlength: 1_000,
    })}
    <button type="submit">${label}</button>
  </form>
`
