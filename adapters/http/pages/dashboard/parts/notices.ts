import { html } from 'htm/preact'

/** Small things that say how it stands. */

export type Tone = 'good' | 'bad' | 'warn' | 'plain'

/** The status of a record, in one word; the colour only repeats what the word says. */
export const chip = (text: string, tone: Tone = 'plain') => html`<span class=${`chip ${tone}`}>${text}</span>`

/** What was done, or what went wrong; a screen reader says it at once. */
export const notice = (text: string | undefined, tone: Tone = 'good') =>
  text && html`<p class=${`notice ${tone}`} role=${tone === 'bad' ? 'alert' : 'status'}>${text}</p>`

/** A list that has nothing yet: what it will show, and what to do first. */
export const emptyState = (
  title: string,
  text: string,
  way?: { readonly href: string; readonly label: string },
) => html`
  <div class="empty">
    <h2>${title}</h2>
    <p>${text}</p>
    ${way && html`<p><a class="button" href=${way.href}>${way.label}</a></p>`}
  </div>
`

/** Something that opens in its place, such as a question before an act; it needs no script. */
export const dialog = (label: string, content: unknown, isOpen = false) => html`
  <details class="dialog" open=${isOpen}>
    <summary>${label}</summary>
    <div>${content}</div>
  </details>
`
