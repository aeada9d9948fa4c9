import { createHash } from 'node:crypto'
import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { Reply } from '../../core/endpoint.ts'
import { pageHeaders } from '../message.ts'
import { type Brand, brandHeader } from './branding.ts'
import type { BuyerLocale } from './messages/buyer-locale.ts'

/**
 * The frame of every page that a buyer sees: the seller's brand above, one thing to do in the middle, and below it who
 * is paid.
 */

export type Frame = {
  readonly title: string
  readonly brand: Brand
  readonly locale: BuyerLocale
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
  /** A wallet in the browser may pay it. */
  readonly wallet?: boolean
}

export const buyerPage = (frame: Frame, status = 200): Reply =>
  new Reply(status, `<!doctype html>${renderToString(whole(frame))}`, {
    ...pageHeaders,
    Vary: 'Accept, Accept-Language',
    'Content-Security-Policy': policy(frame.brand),
  })

const whole = ({ title, brand, locale, test, toBalance, main, live }: Frame) => html`
  <html lang=${locale.lang}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>${title} – ${brand.name}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/assets/tokens.css" />
      <link rel="stylesheet" href="/assets/daybook.css" />
      <link rel="stylesheet" href="/assets/pay.css" />
      ${brand.style && html`<style>${brand.style}</style>`}
      ${live?.refreshS && html`<noscript><meta http-equiv="refresh" content=${String(live.refreshS)} /></noscript>`}
      <script src="/assets/pay.js" defer></script>
      ${live?.wallet && html`<script src="/assets/wallet.js" defer></script>`}
    </head>
    <body class="buyer">
      <header>
        ${brandHeader(brand)}
        ${test && html`<p class="test">${locale.words.frame.test}</p>`}
      </header>
      <p id="said" class="unseen" role="status"></p>
      <main data-state=${live?.state} data-events=${live?.events}>${main}</main>
      <footer><p>${toBalance ? locale.words.frame.ours : locale.words.frame.theirs}</p></footer>
    </body>
  </html>
`

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
