import { createHash } from 'node:crypto'
import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { Reply } from '../core/endpoint.ts'
import { type Brand, brandHeader } from './branding.ts'
import { pageHeaders } from './message.ts'

/**
 * The frame of every page that a buyer sees: the seller's brand above, one thing to do in the middle, and below it who
 * is paid.
 */

export type Frame = {
  readonly title: string
  readonly brand: Brand
  /** Nothing that is shown can be paid with money (Q-13). */
  readonly test: boolean
  /** It is paid to Daybook, for the payer's own balance. */
  readonly toBalance: boolean
  readonly main: unknown
  /** What the page follows while it is open. */
  readonly live?: Live
}

type Live = {
  /** Names what is shown; when it changes, the script fetches the page anew. */
  readonly state: string
  /** The address at which the script hears of changes; without one, nothing more can happen. */
  readonly events?: string
  /** Seconds after which a page without script is loaded again. */
  readonly refreshS?: number
}

export const buyerPage = (frame: Frame, status = 200): Reply =>
  new Reply(status, `<!doctype html>${renderToString(whole(frame))}`, {
    ...pageHeaders,
    'Content-Security-Policy': policy(frame.brand),
  })

const whole = ({ title, brand, test, toBalance, main, live }: Frame) => html`
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>${brand.name ? `${title} – ${brand.name}` : title}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/assets/tokens.css" />
      <link rel="stylesheet" href="/assets/daybook.css" />
      <link rel="stylesheet" href="/assets/pay.css" />
      ${brand.style && html`<style>${brand.style}</style>`}
      ${live?.refreshS && html`<noscript><meta http-equiv="refresh" content=${String(live.refreshS)} /></noscript>`}
      <script src="/assets/pay.js" defer></script>
    </head>
    <body class="buyer">
      <header>
        ${brandHeader(brand)}
        ${test && html`<p class="test">Test – no money moves</p>`}
      </header>
      <p id="said" class="unseen" role="status"></p>
      <main data-state=${live?.state} data-events=${live?.events}>${main}</main>
      <footer><p>${toBalance ? OURS : THEIRS}</p></footer>
    </body>
  </html>
`

const THEIRS = 'You pay the seller directly. Daybook shows the way and never holds your money.'
const OURS = 'You pay Daybook. What arrives is added to your own balance.'

/**
 * Allows only our own script and stylesheets, and the one that the seller's colours make; pictures from elsewhere only
 * where the seller has a logo.
 */
const policy = ({ style, logo, logoDark }: Brand): string => {
  const hash = style && ` 'sha256-${createHash('sha256').update(style).digest('base64')}'`
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${hash}`,
    `img-src 'self' data:${logo || logoDark ? ' https:' : ''}`,
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
