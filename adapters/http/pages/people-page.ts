import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { Reply } from '../core/endpoint.ts'
import { pageHeaders } from './message.ts'

/** The frame of every page of the sign-in service: what it is about above, one thing to do in the middle. */

export type PeopleFrame = {
  readonly title: string
  /** The language of the page; English unless given. */
  readonly lang?: string
  readonly main: unknown
  /** Origins beside our own at which a form may end up, by a redirect: browsers block the way there otherwise. */
  readonly formTo?: readonly string[]
  /** Names of scripts under /assets. */
  readonly scripts?: readonly string[]
  readonly status?: number
  readonly cookies?: readonly string[]
  /** The menu above: the links to the other pages of the account. */
  readonly menu?: unknown
}

export const peoplePage = ({ formTo = [], status = 200, cookies = [], ...frame }: PeopleFrame): Reply =>
  new Reply(status, peopleDocument(frame), {
    ...pageHeaders,
    'Content-Security-Policy': pagePolicy(formTo),
    Vary: 'Accept-Language, Cookie',
    ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }),
  })

/** Leads on after a form was taken. */
export const seeOther = (location: string, cookies: readonly string[] = []): Reply =>
  new Reply(303, '', {
    Location: location,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }),
  })

/** The whole document. */
type PeopleDocument = Pick<PeopleFrame, 'title' | 'lang' | 'main' | 'scripts' | 'menu'>

export const peopleDocument = (frame: PeopleDocument): string => `<!doctype html>${renderToString(whole(frame))}`

const whole = ({ title, lang = 'en', main, scripts = [], menu }: PeopleDocument) => html`
  <html lang=${lang}>
    ${pageHead(title, scripts)}
    <body class="people">
      <header><p class="mark">Daybook</p>${menu}</header>
      <main>
        <h1>${title}</h1>
        ${main}
      </main>
    </body>
  </html>
`

/** Nothing but what is ours, no script in the page itself, and no frame around it. */
export const pagePolicy = (formTo: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTo].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** The stylesheet of what these pages are made of, wherever that stands. */
export const PEOPLE_SHEET = 'people.css'

/**
 * The head of a page of users or members; `sheets` are its own stylesheets and `scripts` modules, under /assets, and
 * `more` are elements of its own.
 */
export const pageHead = (
  title: string,
  scripts: readonly string[],
  sheets: readonly string[] = [PEOPLE_SHEET],
  more: unknown = undefined,
) => html`
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>${title} – Daybook</title>
    <link rel="icon" href="data:," />
    ${['tokens.css', 'daybook.css', ...sheets].map((name) => html`<link rel="stylesheet" href=${`/assets/${name}`} />`)}
    ${scripts.map((name) => html`<script type="module" src=${`/assets/${name}`}></script>`)} ${more}
  </head>
`
