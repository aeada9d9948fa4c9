import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import { Reply } from '../../core/endpoint.ts'
import { pageHeaders } from '../message.ts'
import { booksView, exportsView, lifeView, sealsView, timelineView } from './views.ts'

/**
 * The auditor's page: the frame and every form are made here, our own scripts fill them with what the key may see. It
 * shows nothing of any account before the key is given, so it is public.
 */
export const auditPage = (): Reply =>
  new Reply(200, `<!doctype html>${renderToString(whole())}`, { ...pageHeaders, 'Content-Security-Policy': POLICY })

/**
 * A form that would be sent by the browser itself goes nowhere: the key must not stand in an address, whatever happens
 * to the script.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const VIEWS = { timeline: 'Timeline', transaction: 'Transaction', books: 'Books', seals: 'Seals', exports: 'Export' }

const whole = () => html`
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>Audit – Daybook</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="/assets/tokens.css" />
      <link rel="stylesheet" href="/assets/daybook.css" />
      <link rel="stylesheet" href="/assets/people.css" />
      <link rel="stylesheet" href="/assets/audit/audit.css" />
      <link rel="stylesheet" href="/assets/audit/views.css" />
      <script type="module" src="/assets/audit/main.js"></script>
    </head>
    <body class="audit">
      <header>
        <p class="mark">Daybook <span>Audit</span></p>
        <nav id="views" aria-label="Views" hidden>
          <ul>
            ${Object.entries(VIEWS).map(([name, title]) => html`<li><a href=${`#/${name}`}>${title}</a></li>`)}
          </ul>
        </nav>
        <p id="who" class="who" hidden><code id="whose" class="whose"></code> <button type="button" id="leave" class="plain">Sign out</button></p>
      </header>
      <p id="said" class="unseen" role="status"></p>
      <main id="main" tabindex="-1">
        ${enterView()} ${timelineView()} ${lifeView()} ${booksView()} ${sealsView()} ${exportsView()}
      </main>
    </body>
  </html>
`

/** The field has no name, so that no browser sends it anywhere by itself. */
const enterView = () => html`
  <section id="enter" class="enter">
    <h1>Read the ledger</h1>
    <p>
      Every event of your account, what became of each payment, the books as of any day, and the proof that nothing of it was changed
      afterwards. Reading only: nothing can be altered from here.
    </p>
    <noscript><p class="problem">This page checks signatures in your own browser, and needs JavaScript for it.</p></noscript>
    <form method="post" autocomplete="off">
      <label for="key">API key</label>
      <input id="key" type="password" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="key-hint" required />
      <p id="key-hint" class="hint">
        One that may audit.view: the owner’s, or a sub-key with the role auditor. It is kept in this tab’s memory and sent to this
        server only.
      </p>
      <label class="choice"><input id="keep" type="checkbox" /> Keep it until this tab is closed</label>
      <p class="problem" id="refused" role="alert" hidden></p>
      <button type="submit">Open the ledger</button>
    </form>
  </section>
`
