import { html } from 'htm/preact'
import type { ThemeName } from '../../../../domain/storefront/looks.ts'
import type { StoreLocale } from './messages/store-locale.ts'

/** The face of a store on every one of its public pages: its name above, what it says below. */
export type Face = {
  /** The language of whoever looks at it. */
  readonly locale: StoreLocale
  /** The store's name; never empty. */
  readonly title: string
  readonly tagline: string
  readonly announcement: string
  readonly footer: string
  /**
   * The seller's name in the last lines of the page; empty for a seller who gives none, undefined where nobody sells.
   */
  readonly seller: string | undefined
  /** The address of the logo: the site's, which we serve, or the branding's, from elsewhere. */
  readonly logo: string | undefined
  readonly logoDark: string | undefined
  readonly links: readonly PageLink[]
  readonly arrangement: 'classic' | 'gallery' | 'minimal'
  readonly theme: ThemeName
  /** Custom properties, and then the seller's own rules: clean, and scoped under `.store`. */
  readonly style: string
  /** The path of its store page; undefined where it has none. */
  readonly home: string | undefined
}

export type PageLink = { readonly label: string; readonly url: string }

/** Longer texts than this are set smaller, so that a heading stays one. */
const LONG = 60

export const headingClass = (text: string): string | undefined => (text.length > LONG ? 'long' : undefined)

/** What stands above everything else. `first`: the store's name is the heading of this page. */
export const masthead = ({ announcement, ...face }: Face, first: boolean, ways: readonly PageLink[]) => html`
  ${
    announcement &&
    html`<aside class="announcement" aria-label=${face.locale.words.announcement}>
      <p class="wide" dir="auto">${announcement}</p>
    </aside>`
  }
  <header class="masthead">
    <div class="wide">
      ${first ? html`<h1 class="mark">${mark(face)}</h1>` : face.home ? html`<a class="mark" href=${face.home}>${mark(face)}</a>` : html`<p class="mark">${mark(face)}</p>`}
      ${
        ways.length > 0 &&
        html`<nav aria-label=${face.locale.words.store}>
          <ul class="ways">
            ${ways.map((way) => html`<li>${way.url.startsWith('/') ? inward(way) : outwardLink(way)}</li>`)}
          </ul>
        </nav>`
      }
    </div>
  </header>
`

const mark = ({ title, logo, logoDark }: Pick<Face, 'title' | 'logo' | 'logoDark'>) => {
  const image = logo ?? logoDark
  if (image === undefined) return html`<span dir="auto">${title}</span>`
  return html`<picture>
    ${logoDark && html`<source srcset=${logoDark} media="(prefers-color-scheme: dark)" />`}
    <img src=${image} alt=${title} />
  </picture>`
}

const inward = ({ label, url }: PageLink) => html`<a href=${url}>${label}</a>`

/** A way out of the store: it tells nobody where it was followed, and hands nobody this window. */
export const outwardLink = ({ label, url }: PageLink) =>
  html`<a href=${url} rel="nofollow noopener noreferrer" dir="auto">${label}</a>`

export const colophon = ({ footer, locale }: Face) =>
  footer &&
  html`<aside class="colophon" aria-label=${locale.words.fromSeller}>
    <div class="wide"><p dir="auto">${footer}</p></div>
  </aside>`
