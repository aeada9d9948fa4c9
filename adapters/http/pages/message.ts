import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { waitOf } from './plain-words.ts'

/** A page that says one thing to a person. */
const messagePage = (title: string, text: string): string =>
  `<!doctype html>${renderToString(html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Daybook</title>
        <link rel="stylesheet" href="/assets/tokens.css" />
        <link rel="stylesheet" href="/assets/daybook.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p>${text}</p>
        </main>
      </body>
    </html>
  `)}`

/** Why a person gets no page, in plain words; what exactly was refused is for machines. */
export const failurePage = (status: number, waitS?: number): string => {
  const [title, text] = failures[status] ?? UNFORESEEN
  return messagePage(title, status === 429 && waitS !== undefined ? waitOf(waitS) : text)
}

const failures: Readonly<Record<number, readonly [title: string, text: string]>> = {
  400: [
    'This link does not work',
    'Something in it is not as it should be. Please open the link that you were given again.',
  ],
  404: [
    'There is nothing to pay here',
    'The link may be incomplete, or the seller has taken it back. Please ask the seller.',
  ],
  405: ['This link does not work', 'Please open it in a browser.'],
  409: ['This is paid already', 'Nothing more can be paid here.'],
  410: ['This link has expired', 'Please ask the seller for a new one.'],
  429: ['Very many people are here right now', 'Please try again in a moment.'],
  503: ['This is not available right now', 'Nothing was lost. Please try again in a moment.'],
}
const UNFORESEEN = ['Something went wrong on our side', 'Please try again in a moment.'] as const

/** Nothing but our own stylesheet may load, nobody may frame us, and links in mail leak no address. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const
