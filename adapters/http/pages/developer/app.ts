import { html } from 'htm/preact'
import type { ClientApp } from '../../../../domain/signin/client-app.ts'
import { proofRecord } from '../../../../domain/signin/domain-proof.ts'
import { isLive, isLivePostLogout, type UriRules } from '../../../../domain/signin/redirect-uris.ts'
import type { Reply } from '../../core/endpoint.ts'
import { accountPage } from '../people/account-frame.ts'
import { doneNotice, field, hiddenFields, problem } from '../people/fields.ts'
import { appPath } from './apps.ts'
import { area } from './fields.ts'

/** One app of somebody's: all that can be changed about it, each thing in a form of its own. */

export type AppPage = {
  readonly csrf: string
  readonly clientId: string
  readonly app: ClientApp
  readonly rules: UriRules
  readonly done?: string | undefined
  readonly error?: string | undefined
}

export const appPage = (page: AppPage): Reply =>
  accountPage({
    ...(page.error !== undefined && { status: 422 }),
    csrf: page.csrf,
    at: '/account/developer',
    title: page.app.name,
    main: html`
      ${doneNotice(page.done)} ${problem(page.error)}
      <p>
        Client id <code>${page.clientId}</code>, ${page.app.confidential ? 'keeps a secret' : 'public'}${page.app.development && ', in development'}
      </p>
      ${domains(page)} ${redirects(page)} ${backchannel(page)} ${secrets(page)} ${end(page)}
      <p class="ways"><a href="/account/developer">All your apps</a></p>
    `,
  })

/** A form that does one thing to the app. */
const form = ({ csrf, clientId }: AppPage, act: string, inner: unknown) => html`
  <form method="post" action=${appPath(clientId)}>${hiddenFields({ csrf, act })} ${inner}</form>
`

const WORDS = { claimed: 'not proven yet', verified: 'proven', lapsed: 'the record is gone' } as const

const domains = (page: AppPage) => html`
  <section>
    <h2>Domains</h2>
    <p class="hint">
      Redirect URIs work once their domain, or one above it, is proven to be yours: by a TXT record, which is looked at every day.
    </p>
    <ul class="things">
      ${Object.entries(page.app.domains).map(([domain, { token, status }]) => {
        const record = proofRecord(domain, token)
        return html`<li>
          <div>
            <p><strong>${domain}</strong> <span class="hint">${WORDS[status]}</span></p>
            <dl class="facts">
              <dt>TXT record</dt>
              <dd><code>${record.name}</code></dd>
              <dt>Value</dt>
              <dd><code>${record.value}</code></dd>
            </dl>
            <div class="ways">
              ${form(page, 'verify', named(domain, 'Look for the record'))}
              ${form(page, 'release', named(domain, 'Remove'))}
            </div>
          </div>
        </li>`
      })}
    </ul>
    ${form(
      page,
      'claim',
      html`${field({
        name: 'domain',
        label: 'Another domain',
        autocomplete: 'off',
        maxlength: 253,
        hint: 'Such as shop.example',
      })} <button type="submit">Add it</button>`,
    )}
  </section>
`

const named = (domain: string, button: string) => html`
  ${hiddenFields({ domain })}
  <button type="submit" class="plain" aria-label=${`${button}: ${domain}`}>${button}</button>
`

const redirects = (page: AppPage) => {
  const { app } = page
  const dead = [
    ...app.redirectUris.filter((uri) => !isLive(uri, app, page.rules)),
    ...app.postLogoutUris.filter((uri) => !isLivePostLogout(uri, app, page.rules)),
  ]
  return html`
    <section>
      <h2>Redirect URIs</h2>
      ${
        dead.length > 0 &&
        html`<p>These do not work, because no domain of theirs is proven, or because this is production:</p>
          <ul>
            ${dead.map((uri) => html`<li><code>${uri}</code></li>`)}
          </ul>`
      }
      ${form(
        page,
        'uris',
        html`
          ${area({
            name: 'uris',
            label: 'After signing in or paying',
            hint: 'One a line, compared letter by letter',
            value: app.redirectUris.join('\n'),
          })}
          ${area({ name: 'post_logout', label: 'After signing out', value: app.postLogoutUris.join('\n') })}
          <button type="submit">Save</button>
        `,
      )}
    </section>
  `
}

const backchannel = (page: AppPage) => html`
  <section>
    <h2>Back-channel endpoint</h2>
    <p class="hint">It gets receipts of payments, and is told when somebody signs out.</p>
    ${form(
      page,
      'backchannel',
      html`
        ${field({
          name: 'url',
          label: 'Address',
          type: 'url',
          autocomplete: 'off',
          maxlength: 2_048,
          optional: true,
          value: page.app.backchannelUrl ?? '',
          hint: 'Starts with https://; empty for none',
        })}
        <button type="submit">Save</button>
      `,
    )}
    <p class="ways"><a href=${`/account/developer/deliveries?client_id=${page.clientId}`}>What was sent to it</a></p>
  </section>
`

const secrets = (page: AppPage) => {
  const { confidential, signingSecret } = page.app
  const replace = (kind: string, text: string) =>
    form(page, kind, html`<button type="submit" class="plain">${text}</button>`)
  return html`
    <section>
      <h2>Secrets</h2>
      <p class="hint">
        A new one is shown once. The client secret before is void at once; the credit push key before stays good for ten minutes.
      </p>
      <div class="ways">
        ${confidential && replace('client-secret', 'New client secret')}
        ${confidential && replace('credit-push-key', 'New credit push key')}
        ${replace('webhook-secret', signingSecret === null ? 'Sign receipts' : 'New secret that signs receipts')}
        ${signingSecret !== null && replace('unsign', 'Do not sign receipts')}
      </div>
    </section>
  `
}

const end = (page: AppPage) => html`
  <section>
    <h2>End this app</h2>
    ${form(
      page,
      'disable',
      html`
        <label class="choice">
          <input type="checkbox" name="sure" value="1" required />
          <span>Nobody signs in by it any more and it moves no money. This cannot be undone.</span>
        </label>
        <button type="submit" class="danger">End it</button>
      `,
    )}
  </section>
`
