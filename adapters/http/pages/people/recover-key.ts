import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../people-page.ts'
import { field, linkPasswordForm } from './fields.ts'

/** The pages for a seller who has lost the owner key. */

type FormState = { readonly error?: string; readonly status?: number }

/** The page that asks where the letter is to go. */
export const recoverPage = ({ email, error, status }: FormState & { readonly email?: string }): Reply =>
  peoplePage({
    ...(status !== undefined && { status }),
    title: 'A new owner key',
    main: html`
      <p>Type the email address of your account. We mail you a link; with it and your password you get a new owner key.</p>
      <form method="post" action="/recover-key">
        ${field({ name: 'email', label: 'Email address', type: 'email', autocomplete: 'email', value: email, error, maxlength: 254 })}
        <button type="submit">Send the letter</button>
      </form>
      <p class="hint">The address has to be confirmed for the account. If it never was, make a new account: it is free.</p>
    `,
  })

/** The page that the link leads to: the password shows that whoever reads the mail also made the account. */
export const recoverPasswordPage = ({ token, error, status }: FormState & { readonly token: string }): Reply =>
  peoplePage({
    ...(status !== undefined && { status }),
    title: 'A new owner key',
    main: html`
      <p>Type the password of the account. You are shown a new owner key once, and every older owner key ends at once.</p>
      ${linkPasswordForm({ action: '/recover-key/confirm', token, error, label: 'Make a new key' })}
      <p class="hint">If you did not ask for this letter, close the page: nothing changes.</p>
    `,
  })

/** The page that shows the key, once. */
export const freshKeyPage = ({ apiKey, text }: { readonly apiKey: string; readonly text: string }): Reply =>
  peoplePage({
    title: 'Your new owner key',
    main: html`
      <p><code>${apiKey}</code></p>
      <p>${text}</p>
    `,
  })
