import { html } from 'htm/preact'
import { renderToString } from 'preact-render-to-string'
import type { Refusal, RefusalCode } from '../../../../domain/kernel/refusal.ts'
import { pageHead } from '../people-page.ts'
import type { Messages } from './messages/en.ts'
import { localeFor } from './messages/locale.ts'

/** The page that says why somebody gets no page of the dashboard, in plain words. */
export const dashboardFailurePage = ({ code, detail }: Refusal, status: number, languages: string): string => {
  const { lang, words } = localeFor({ languages })
  const [title = '', text = ''] = words.failures[byCode[code] ?? byStatus(status)]
  return `<!doctype html>${renderToString(html`
    <html lang=${lang}>
      ${pageHead(title, [])}
      <body class="people">
        <header><p class="mark">${words.frame.product}</p></header>
        <main>
          <h1>${title}</h1>
          <p>${text}</p>
          ${code === 'invalid-request' && detail && html`<p class="hint" lang="en">${detail}</p>`}
          <p class="ways"><a href="/dashboard">${words.failures.home}</a></p>
        </main>
      </body>
    </html>
  `)}`
}

type Failure = Exclude<keyof Messages['failures'], 'home'>

const byCode: { readonly [C in RefusalCode]?: Failure } = {
  'form-stale': 'stale',
  forbidden: 'forbidden',
  'rate-limited': 'tooMany',
  busy: 'later',
}

const byStatus = (status: number): Failure => {
  if (status === 503) return 'later'
  if (status >= 500) return 'ours'
  return status === 404 ? 'missing' : 'other'
}
