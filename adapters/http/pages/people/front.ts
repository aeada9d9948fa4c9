import { html } from 'htm/preact'
import { Reply } from '../../core/endpoint.ts'
import { pageHeaders } from '../message.ts'
import { peopleDocument } from '../people-page.ts'
import { type FRONT_LINKS, frontLink } from './front-links.ts'
import type { FrontWords } from './messages/front-en.ts'
import { peopleLocale } from './messages/people-locale.ts'

type FrontPage = {
  readonly origins: { readonly base: string; readonly auth: string }
  /** The paths of the calls with which a program begins, in their order; all are POST. */
  readonly begin: readonly string[]
  readonly languages: string
}

/** The page at the origin itself. It loads no script, has no form and shows nothing of any account. */
export const frontPage = ({ origins, begin, languages }: FrontPage): Reply => {
  const { lang, words } = peopleLocale(languages)
  const { front } = words
  return new Reply(200, peopleDocument({ lang, title: front.title, main: frontMain(front, { origins, begin }) }), {
    ...pageHeaders,
    Vary: 'Accept, Accept-Language',
  })
}

const frontMain = (words: FrontWords, { origins, begin }: Omit<FrontPage, 'languages'>) => {
  const { base } = origins
  const ways = (...names: readonly (keyof typeof FRONT_LINKS)[]) => html`
    <p class="ways">${names.map((name) => html`<a href=${frontLink(origins, name)}>${words.links[name]}</a>`)}</p>
  `
  return html`
    <p>${words.about}</p>
    <section aria-labelledby="sell">
      <h2 id="sell">${words.sell}</h2>
      <p>${words.sellText}</p>
      <p><a class="button" href=${frontLink(origins, 'seller_sign_up')}>${words.links.seller_sign_up}</a></p>
      ${ways('dashboard')}
      <details>
        <summary>${words.program}</summary>
        <p>${words.programText(base)}</p>
        <ol class="begin">
          ${begin.map((path) => html`<li><code>POST ${path}</code><br />${words.begin[path]}</li>`)}
        </ol>
        <p>${words.curl}</p>
        <pre class="call"><code>${signUpCall(base)}</code></pre>
      </details>
      ${ways('openapi', 'market', 'services')}
    </section>
    <section aria-labelledby="buy">
      <h2 id="buy">${words.buy}</h2>
      <p>${words.buyText}</p>
      ${ways('sign_in', 'sign_up', 'account')}
    </section>
    <section aria-labelledby="build">
      <h2 id="build">${words.build}</h2>
      <p>${words.buildText}</p>
      ${ways('openid_configuration')}
    </section>
    <section aria-labelledby="check">
      <h2 id="check">${words.check}</h2>
      <p>${words.checkText}</p>
      ${ways('audit', 'status')}
    </section>
  `
}

const signUpCall = (base: string): string =>
  [
    `curl ${base}/v1/signup \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '{"email":"you@example.com","password":"a long one"}'`,
  ].join('\n')
