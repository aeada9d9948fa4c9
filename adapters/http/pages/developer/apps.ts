import { html } from 'htm/preact'
import type { ClientAppRow } from '../../../../projections/signin/client-apps.ts'
import type { Reply } from '../../core/endpoint.ts'
import { accountPage, when } from '../people/account-frame.ts'
import { field, hiddenFields, problem } from '../people/fields.ts'
import { area, choice } from './fields.ts'

/** The apps that somebody has registered, and registering one (N-59). */

const AT = '/account/developer'

export const appsPage = ({ csrf, apps }: { csrf: string; apps: readonly ClientAppRow[] }): Reply =>
  accountPage({
    csrf,
    at: AT,
    title: 'Your own apps',
    main: html`
      <p>Apps that you have made: people sign in to them with their Daybook account, and pay from their balance.</p>
      ${
        apps.length > 0 &&
        html`<ul class="things">
          ${apps.map(
            ({ clientId, name, confidential, development, registeredAt }) => html`<li>
              <p>
                <a href=${appPath(clientId)}><strong>${name}</strong></a><br />
                <span class="hint">${confidential ? 'Keeps a secret' : 'Public'}${development && ', in development'}, registered ${when(registeredAt)}</span>
              </p>
            </li>`,
          )}
        </ul>`
      }
      <p><a class="button" href="/account/developer/new">Register an app</a></p>
    `,
  })

export const appPath = (clientId: string): string => `/account/developer/app?client_id=${clientId}`

export type AppForm = {
  readonly name: string
  readonly uris: string
  readonly kind: 'public' | 'confidential'
  readonly development?: '1' | undefined
  readonly url: string
}

type NewAppPage = {
  readonly csrf: string
  readonly wish: AppForm
  /** Whether apps in development are taken here. */
  readonly mayDevelop: boolean
  readonly error?: string
}

export const newAppPage = ({ csrf, wish, mayDevelop, error }: NewAppPage): Reply =>
  accountPage({
    ...(error !== undefined && { status: 422 }),
    csrf,
    at: AT,
    title: 'Register an app',
    main: html`
      ${problem(error)}
      <form method="post" action="/account/developer/new">
        ${hiddenFields({ csrf })}
        ${field({
          name: 'name',
          label: 'Name',
          autocomplete: 'off',
          maxlength: 100,
          value: wish.name,
          hint: 'What people read when it asks for their consent',
        })}
        ${whereItRuns(wish)} ${mayDevelop && inDevelopment(wish)}
        ${area({
          name: 'uris',
          label: 'Redirect URIs',
          value: wish.uris,
          hint: 'Where people are sent back to, one a line: https:// under a domain of yours, or http://127.0.0.1 for a public app',
        })}
        ${field({
          name: 'url',
          label: 'Back-channel endpoint',
          type: 'url',
          autocomplete: 'off',
          value: wish.url,
          optional: true,
          maxlength: 2_048,
          hint: 'Gets receipts and logout notifications; may be left empty',
        })}
        <button type="submit">Register</button>
      </form>
      <p class="ways"><a href=${AT}>Leave it</a></p>
    `,
  })

const whereItRuns = ({ kind }: AppForm) => html`
  <fieldset>
    <legend>Where it runs</legend>
    ${choice({
      name: 'kind',
      value: 'confidential',
      label: 'On a server, which keeps a secret',
      checked: kind === 'confidential',
    })}
    ${choice({
      name: 'kind',
      value: 'public',
      label: 'In the browser or on a device, without a secret',
      checked: kind === 'public',
    })}
  </fieldset>
`

const inDevelopment = ({ development }: AppForm) => html`
  <label class="choice">
    <input type="checkbox" name="development" value="1" checked=${development !== undefined} />
    <span>In development: it may send people back to http://localhost and http://127.0.0.1, and every page says so</span>
  </label>
`

export type Secret = { readonly label: string; readonly value: string }

/** The page that shows new secrets this once. */
export const secretsPage = (given: {
  csrf: string
  clientId: string
  title: string
  secrets: readonly Secret[]
  hint?: string
}): Reply =>
  accountPage({
    csrf: given.csrf,
    at: AT,
    title: given.title,
    main: html`
      ${
        given.secrets.length > 0 &&
        html`<p>
          This is shown <strong>now and never again</strong>: put it where your app finds it, and nobody else.
        </p>`
      }
      <dl class="facts">
        <dt>Client id</dt>
        <dd><code>${given.clientId}</code></dd>
        ${given.secrets.map(({ label, value }) => html`<dt>${label}</dt><dd><code>${value}</code></dd>`)}
      </dl>
      ${given.hint && html`<p>${given.hint}</p>`}
      <p><a class="button" href=${appPath(given.clientId)}>Go on</a></p>
    `,
  })
