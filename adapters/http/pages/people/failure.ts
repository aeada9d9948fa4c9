import { html } from 'htm/preact'
import type { Refusal } from '../../../../domain/kernel/refusal.ts'
import { peopleDocument } from '../people-page.ts'
import { waitOf } from '../plain-words.ts'

/** The page that says why somebody gets no page of their account, in plain words, and what they can do. */
export const peopleFailurePage = ({ code, detail, retryAfterS }: Refusal, status: number): string => {
  const [title, text] = failures[code] ?? byStatus(status)
  const wait = retryAfterS === undefined ? undefined : waitOf(retryAfterS)
  return peopleDocument({
    title,
    main: html`
      <p>${wait ?? text}</p>
      ${code === 'invalid-request' && detail && html`<p class="hint">${detail}</p>`}
      <p><a href="/account">Your account</a></p>
    `,
  })
}

type Words = readonly [title: string, text: string]

const failures: { readonly [code in Refusal['code']]?: Words } = {
  'form-stale': [
    'Please open the page again',
    'This form is from before you signed in or confirmed something, or did not come from our pages. Nothing was done.',
  ],
  'verification-link-invalid': [
    'This link does not work any more',
    'A link works once and for a limited time, and only the newest one that was sent. Ask for a new one.',
  ],
  'mfa-needed': ['Please confirm again', 'The page was open for too long, or was confirmed already.'],
  'mfa-code-wrong': ['That did not fit', 'The code or passkey was not accepted. Please go back and try again.'],
  'rate-limited': ['Too many tries', 'Please wait a little and try again.'],
  busy: ['Very many people are here right now', 'Please try again in a minute.'],
}

const byStatus = (status: number): Words => {
  if (status === 503) return ['This is not available right now', 'Nothing was lost. Please try again in a moment.']
  if (status >= 500) return ['Something went wrong on our side', 'Please try again in a moment.']
  if (status === 404) return ['There is nothing here', 'The link may be incomplete.']
  return ['That did not work', 'Something in this request is not as it should be. Please go back and try again.']
}
