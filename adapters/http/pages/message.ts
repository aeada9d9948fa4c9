import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'

/** A page that says one thing to a person. */
export const pageWith = ({ lang, title, text }: { lang: string; title: string; text: string }): string =>
  `<!doctype html>${renderToString(html`
    <html lang=${lang}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Daybook</title>
        <link rel="icon" href="data:," />
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
