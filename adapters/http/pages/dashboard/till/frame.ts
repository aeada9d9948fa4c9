import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { Reply } from '../../../core/endpoint.ts'
import { pageHeaders } from '../../message.ts'
import { pageHead, pagePolicy } from '../../people-page.ts'
import type { PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { LIVE_SCRIPT } from '../parts/live.ts'
import { keypad } from './keypad-parts.ts'
import { TILL, TILL_PRODUCTS, TILL_SALES, tillAt } from './paths.ts'

/** The frame of the till: the counter has no room for the rail of the dashboard, and a thumb needs large targets. */

export type TillFrame = {
  readonly title: string
  readonly member: PageMember
  readonly storeId: number
  readonly main: unknown
  readonly status?: number
  /** Seconds after which a page without script loads itself again. */
  readonly refreshSeconds?: number | undefined
}

const SHEETS = ['dashboard/dashboard.css', 'dashboard/till/till.css']
const SCRIPTS = [LIVE_SCRIPT, 'dashboard/till/till.js']

/** The files that pages of the till load, by their names under /assets. */
export const TILL_ASSETS = ['tokens.css', 'daybook.css', ...SHEETS, ...SCRIPTS]

export const tillPage = ({ status = 200, title, member, storeId, main, refreshSeconds }: TillFrame): Reply => {
  const locale = localeFor(member)
  const { words } = locale
  const ways = html`
    <a href=${tillAt(storeId)}>${words.till.keypad}</a>
    <a href=${`${TILL_PRODUCTS}?store=${storeId}`}>${words.till.products}</a>
    <a href=${`${TILL_SALES}?store=${storeId}`}>${words.till.today}</a>
    <a href="/dashboard">${words.till.dashboard}</a>
  `
  return replyOf(status, locale, { title, ways, main, refreshSeconds })
}

/** What is shown without a network: what was typed stays, and nothing is offered that cannot work. */
export const tillOfflinePage = (visitor: { readonly languages: string }): Reply => {
  const locale = localeFor(visitor)
  const words = locale.words.till
  const main = html`
    <p class="notice bad" role="alert">${words.offline}</p>
    <form class="keypad" data-keypad="">
      ${keypad(locale, words.amountTyped, {}, {})}
      <button type="button" class="charge" disabled>${words.charge}</button>
    </form>
    <p><a class="touch" href=${TILL} data-back>${words.retry}</a></p>
  `
  return replyOf(200, locale, { title: words.title, ways: undefined, main })
}

type TillDocument = Pick<TillFrame, 'title' | 'main' | 'refreshSeconds'> & { readonly ways: unknown }

const replyOf = (status: number, locale: Locale, page: TillDocument): Reply =>
  new Reply(status, `<!doctype html>${renderToString(whole(locale, page))}`, {
    ...pageHeaders,
    'Content-Security-Policy': `${pagePolicy()}; manifest-src 'self'`,
    Vary: 'Accept-Language, Cookie',
  })

const whole = ({ lang, words }: Locale, { title, ways, main, refreshSeconds }: TillDocument) => {
  const head = html`
    <link rel="manifest" href="/assets/dashboard/till/till.webmanifest" />
    ${refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content=${refreshSeconds} /></noscript>`}
  `
  return html`
    <html lang=${lang}>
      ${pageHead(title, SCRIPTS, SHEETS, head)}
      <body class="till">
        <a class="skip" href="#main">${words.frame.skip}</a>
        ${ways && html`<header><nav aria-label=${words.till.ways}>${ways}</nav></header>`}
        <main id="main" tabindex="-1">
          <h1>${title}</h1>
          <p class="notice bad" role="alert" data-offline hidden>${words.till.offlineHere}</p>
          ${main}
        </main>
      </body>
    </html>
  `
}
