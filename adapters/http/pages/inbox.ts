/** The development inbox as a page, so that a newcomer can follow a verification link without a mail server. */
import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import type { InboxMessage } from '../../mail/dev-inbox.ts'

/**
 * A whole HTML document, the messages in the order given. It needs no script and no inline style, so the strictest CSP
 * lets it through.
 */
export const inboxPage = (messages: readonly InboxMessage[]): string =>
  `<!doctype html>${renderToString(
    html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Inbox – Daybook</title>
        <link rel="stylesheet" href="/assets/tokens.css" />
        <link rel="stylesheet" href="/assets/daybook.css" />
      </head>
      <body>
        <main>
          <h1>Inbox</h1>
          <p>Mail that this installation would have sent. It has reached nobody else.</p>
          ${
            messages.length === 0
              ? html`<p>No mail yet.</p>`
              : html`<ol class="inbox">
                ${messages.map((message) => html`<li>${letter(message)}</li>`)}
              </ol>`
          }
        </main>
      </body>
    </html>
  `,
  )}`

const letter = (message: InboxMessage) => html`
  <article>
    <h2>${message.subject || '(no subject)'}</h2>
    <p>To ${message.to}, <time datetime=${message.at}>${readable(message.at)}</time></p>
    <pre>${linked(message.text, message.links)}</pre>
  </article>
`

const readable = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`

/**
 * The text with each link, in its place and order, as an anchor. Only http and https become one, whatever the list
 * says.
 */
const linked = (text: string, links: readonly string[]) => {
  const parts = []
  let from = 0
  for (const link of links) {
    const start = text.indexOf(link, from)
    if (start < 0 || !/^https?:\/\//i.test(link)) continue
    parts.push(text.slice(from, start), html`<a href=${link} rel="noreferrer">${link}</a>`)
    from = start + link.length
  }
  return [...parts, text.slice(from)]
}
