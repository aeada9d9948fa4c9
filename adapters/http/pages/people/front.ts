import { html } from 'htm/preact'
import { Reply } from '../../core/endpoint.ts'
import { pageHeaders } from '../message.ts'
import { peopleDocument } from '../people-page.ts'

export type FirstCall = { readonly method: string; readonly url: string; readonly what: string }
export type FrontLink = { readonly name: string; readonly url: string; readonly what: string }

/** The page at the origin itself. It loads no script, has no form and shows nothing of any account. */
export const frontPage = (base: string, begin: readonly FirstCall[], links: readonly FrontLink[]): Reply =>
  new Reply(
    200,
    peopleDocument({ title: 'Paid over HTTP, into your own wallet', main: frontMain(base, begin, links) }),
    pageHeaders,
  )

const frontMain = (base: string, begin: readonly FirstCall[], links: readonly FrontLink[]) => {
  const to = (...names: readonly string[]) => names.flatMap((name) => links.find((link) => link.name === name) ?? [])
  return html`
    <p>
      Daybook lets a seller be paid in coins, by people and by programs. The money goes straight to the seller’s own
      address; Daybook sees it arrive, tells the seller, and writes everything down in a ledger in which nothing is
      rubbed out. It holds nobody’s funds and nobody’s keys.
    </p>
    <section aria-labelledby="sell">
      <h2 id="sell">Sell</h2>
      <p>
        A seller begins with three calls to <code>${base}</code>. They take JSON; from the second on they need the key,
        in the header X-Api-Key.
      </p>
      <ol class="begin">
        ${begin.map(({ method, url, what }) => html`<li><code>${method} ${new URL(url).pathname}</code><br />${what}</li>`)}
      </ol>
      <p>The first one with curl:</p>
      <pre class="call"><code>${signUpCall(base)}</code></pre>
      ${listOf(to('openapi', 'market', 'services'))}
    </section>
    <section aria-labelledby="buy">
      <h2 id="buy">Buy</h2>
      <p>Whoever sells gives you a link; it shows what to pay and where. With an account here you can also pay from a balance.</p>
      ${listOf(to('sign_in', 'sign_up', 'account'))}
    </section>
    <section aria-labelledby="build">
      <h2 id="build">Build</h2>
      <p>Apps let people sign in with their account, and take payments from their balance.</p>
      ${listOf(to('openid_configuration'))}
    </section>
    <section aria-labelledby="check">
      <h2 id="check">Check</h2>
      <p>Every event of an account, the books as of any day, and the proof that nothing was changed afterwards.</p>
      ${listOf(to('audit'))}
    </section>
  `
}

const listOf = (links: readonly FrontLink[]) => html`
  <p class="ways">${links.map(({ url, what }) => html`<a href=${url}>${what}</a>`)}</p>
`

const signUpCall = (base: string): string =>
  [
    `curl ${base}/v1/signup \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '{"email":"you@example.com","password":"a long one"}'`,
  ].join('\n')
