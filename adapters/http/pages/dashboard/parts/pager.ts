import { html } from 'htm/preact'
import type { Locale } from '../messages/locale.ts'

/** The ways through a list by its keys: to older lines, and back to the newest. */
export const pager = (
  { words }: Locale,
  { older, newest }: { readonly older?: string | undefined; readonly newest?: string | undefined },
) =>
  (older ?? newest) !== undefined &&
  html`
    <nav class="pager" aria-label=${words.parts.pages}>
      ${newest && html`<a href=${newest}>${words.parts.newest}</a>`} ${older && html`<a href=${older} rel="next">${words.parts.older}</a>`}
    </nav>
  `
