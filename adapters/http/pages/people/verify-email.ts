import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../people-page.ts'
import { linkPasswordForm } from './fields.ts'

/** The pages for somebody who follows the link of a verification letter. */

type Outcome = { readonly title: string; readonly text: string; readonly status?: number }

/** The page that says what came of following the link. */
export const outcomePage = ({ title, text, ...rest }: Outcome): Reply =>
  peoplePage({ ...rest, title, main: html`<p>${text}</p>` })

/**
 * The page when several accounts have asked for the address: only a person who knows the password of this one goes on.
 */
export const passwordPage = ({ token, error, status }: { token: string; error?: string; status?: number }): Reply =>
  peoplePage({
    ...(status !== undefined && { status }),
    title: 'Which account is yours?',
    main: html`
      <p>
        More than one account has been made with your email address. Type the password of the one that this letter is about, so that nobody
        else’s gets your address.
      </p>
      ${linkPasswordForm({ action: '/verify-email', token, error, label: 'Confirm the address' })}
      <p class="hint">If you did not make this account, close the page: it does not get your address. Your own account has a letter of its own.</p>
    `,
  })
