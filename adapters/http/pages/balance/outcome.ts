import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../people-page.ts'

/** A screen that only says how things stand: answered, over, or none of this user's business. */

export type OutcomeScreen = {
  readonly title: string
  readonly text: string
  /** The link that leads on. */
  readonly onward?: { readonly href: string; readonly label: string } | undefined
  readonly status?: number
  readonly cookies?: readonly string[]
}

export const outcomePage = ({ text, onward, ...frame }: OutcomeScreen): Reply =>
  peoplePage({
    ...frame,
    main: html`
      <p>${text}</p>
      ${onward && html`<p class="open"><a class="button" href=${onward.href} rel="noreferrer">${onward.label}</a></p>`}
    `,
  })

/** The page is the same for what does not exist and for what is somebody else's, so that nobody learns which it is. */
export const nothingHere = (email: string, path: string): Reply =>
  outcomePage({
    status: 404,
    title: 'There is nothing for you here',
    text: `You are signed in as ${email}. The link may be incomplete, or meant for another account.`,
    onward: { href: `/sign-in?again=1&next=${encodeURIComponent(path)}`, label: 'Sign in as somebody else' },
  })
