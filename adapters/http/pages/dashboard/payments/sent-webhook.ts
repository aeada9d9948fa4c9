import { html } from 'htm/preact'
import type { SentFields } from '../../../core/sent-webhooks.ts'
import type { Locale } from '../messages/locale.ts'

/** A webhook as it was sent: headers and body, and how far it is known that these are the bytes. */
export const sentView = (
  { words: { webhooks: words } }: Locale,
  { request_headers, request_body, request_body_is }: SentFields,
) => html`
  <h3>${words.headers}</h3>
  <pre>${Object.entries(request_headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}</pre>
  <h3>${words.body}</h3>
  <p class="hint">${words[request_body_is === 'too-long' ? 'tooLong' : request_body_is]}</p>
  ${request_body !== null && html`<pre>${request_body}</pre>`}
`
