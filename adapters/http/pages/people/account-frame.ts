import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { type PeopleFrame, peoplePage } from '../people-page.ts'
import { hiddenFields } from './fields.ts'
import type { AccountWords } from './messages/account-en.ts'
import { peopleLocale } from './messages/people-locale.ts'

/** The frame of the pages of one's own account: the ways to all of them above. */

export type AccountPath = keyof AccountWords['pages']

/** `at` is the page of the menu that this one belongs to; the menu is in the language of the page. */
export const accountPage = ({ at, csrf, ...frame }: PeopleFrame & { at: AccountPath; csrf: string }): Reply => {
  const { account, sign } = peopleLocale(frame.lang ?? 'en').words
  return peoplePage({
    ...frame,
    menu: html`
      ${ways(account.title, account.pages, at)}
      <form method="post" action="/sign-out" class="out">
        ${hiddenFields({ csrf })}
        <button type="submit" class="plain">${sign.signOut}</button>
      </form>
    `,
  })
}

/** A menu: the ways to some pages, of which one is open. */
export const ways = (label: string, pages: Readonly<Record<string, string>>, at: string) => html`
  <nav aria-label=${label}>
    <ul>
      ${Object.entries(pages).map(
        ([path, name]) => html`<li><a href=${path} aria-current=${path === at ? 'page' : undefined}>${name}</a></li>`,
      )}
    </ul>
  </nav>
`

/** A time as people read it, in the one zone that is the same for everybody. */
export const when = (at: string) => html`<time datetime=${at}>${`${at.slice(0, 10)} ${at.slice(11, 16)}`} UTC</time>`
