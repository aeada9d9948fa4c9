import { createHash } from 'node:crypto'
import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { Reply } from '../../core/endpoint.ts'
import { pageHeaders } from '../message.ts'
import { fullStopAfter } from '../plain-words.ts'
import { colophon, type Face, masthead, type PageLink } from './face.ts'

/**
 * The frame of every public page of a store. What the seller wrote stands in `.store`, and the seller's own rules reach
 * no further: the stage around it cuts off whatever would leave it. Below, out of reach, the page says who sells, and
 * that the money never passes through our hands (J-SET-04). There is no script on these pages at all.
 */

/** Seconds that anybody may keep a page that is the same for everybody. */
const FRESH_S = 30

export type StoreFrame = {
  readonly face: Face
  /** What the tab and the results of a search say. */
  readonly title: string
  readonly description: string
  /** The one address of this page, where it may be shared. */
  readonly canonical: string | undefined
  /** It may be found by searching. */
  readonly searchable?: boolean
  /** The full address of a picture of it. */
  readonly picture?: string | undefined
  readonly main: unknown
  /** The name of the store is the page's heading. */
  readonly nameFirst?: boolean
  /** The links in the header. */
  readonly ways?: readonly PageLink[]
  /** What the page is about, as a class. */
  readonly kind?: string
  /** It is not the same for everybody, or not for long. */
  readonly fleeting?: boolean
  /** It has a form: whoever goes back to it finds it as it was, with what they typed. */
  readonly typed?: boolean
  /** Who pays whom, where it is not the reader who pays. */
  readonly trust?: string
}

export const storeFrame = (frame: StoreFrame, status = 200): Reply => {
  const style = inStyle(frame.face.style)
  return new Reply(status, `<!doctype html>${renderToString(whole(frame, style))}`, {
    ...pageHeaders,
    'Cache-Control': keepOf(frame, status),
    Vary: 'Accept, Accept-Language',
    'Content-Security-Policy': policy(frame.face, style),
  })
}

/**
 * How long the page is kept. A browser that goes back shows what it kept and asks nobody, unless it was to keep
 * nothing.
 */
const keepOf = ({ typed, fleeting }: StoreFrame, status: number): string => {
  if (typed) return 'private, no-cache'
  return fleeting || status !== 200 ? 'no-store' : `public, max-age=${FRESH_S}`
}

const whole = (frame: StoreFrame, style: string) => html`
  <html lang=${frame.face.locale.lang}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      ${about(frame)}
      <link rel="icon" href="/assets/store/store-icon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/assets/store/store.css" />
      <style dangerouslySetInnerHTML=${{ __html: style }}></style>
    </head>
    <body class="shop">
      <a class="skip" href="#main">${frame.face.locale.words.skip}</a>
      <div class="stage">
        <div class=${`store theme-${frame.face.theme} as-${frame.face.arrangement} ${frame.kind ?? ''}`.trim()}>
          ${masthead(frame.face, frame.nameFirst ?? false, frame.ways ?? [])}
          <main id="main" tabindex="-1">${frame.main}</main>
          ${colophon(frame.face)}
        </div>
      </div>
      <footer class="trust">
        ${sellerLine(frame.face)}
        <p>${frame.trust ?? frame.face.locale.words.trust}</p>
      </footer>
    </body>
  </html>
`

const sellerLine = ({ seller, locale: { words } }: Face) => {
  if (seller === undefined) return null
  const name = shortened(seller, SELLER_SHOWN)
  return name === ''
    ? html`<p>${words.nameless}</p>`
    : html`<p>${words.soldBy} <bdi>${shortened(seller, SELLER_SHOWN)}</bdi>${fullStopAfter(shortened(seller, SELLER_SHOWN))}</p>`
}

/** The tags from which search engines and shared links take their texts. */
const about = ({ face, title, description, canonical, searchable, picture }: StoreFrame) => {
  const [short, long] = [shortened(title, TITLE_SHOWN), shortened(description.replace(/\s+/g, ' '), DESCRIPTION_SHOWN)]
  return html`
    <title>${title === face.title ? short : `${short} – ${shortened(face.title, SELLER_SHOWN)}`}</title>
    ${long && html`<meta name="description" content=${long} />`}
    <meta name="robots" content=${searchable ? 'index, follow' : 'noindex'} />
    ${canonical && html`<link rel="canonical" href=${canonical} />`}
    ${
      canonical &&
      html`<meta property="og:type" content="website" />
        <meta property="og:url" content=${canonical} />
        <meta property="og:title" content=${short} />
        <meta property="og:site_name" content=${shortened(face.title, SELLER_SHOWN)} />
        ${long && html`<meta property="og:description" content=${long} />`}
        ${picture && html`<meta property="og:image" content=${picture} />`}
        <meta name="twitter:card" content=${picture ? 'summary_large_image' : 'summary'} />`
    }
  `
}

/** Characters of a text that are shown where it must not take more room. */
const [TITLE_SHOWN, SELLER_SHOWN, DESCRIPTION_SHOWN] = [90, 80, 200]

const shortened = (text: string, max: number): string => {
  const characters = [...text.trim()]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('')
}

/** Writes each `<`, which rules never need, as an escape of CSS: so the rules cannot end the style element. */
const inStyle = (rules: string): string => rules.replaceAll('<', '\\3c ')

/** Allows our stylesheet, the rules of this very page, our own pictures, and the logo from where the seller has it. */
const policy = ({ logo, logoDark }: Face, style: string): string => {
  const logos = [logo, logoDark]
    .filter((url) => url?.startsWith('https://'))
    .map((url) => new URL(url as string).origin)
  return [
    "default-src 'none'",
    `img-src ${["'self'", ...new Set(logos)].join(' ')}`,
    `style-src 'self' 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
