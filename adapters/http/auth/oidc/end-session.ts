import { html } from 'htm/preact'
import { z } from 'zod'
import { isLivePostLogout } from '../../../../domain/signin/redirect-uris.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import type { PersonCaller } from '../../core/caller.ts'
import { appById } from '../../core/callers.ts'
import { setCookie } from '../../core/cookies.ts'
import { SESSION_COOKIE } from '../../core/csrf.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { peoplePage, seeOther } from '../../pages/people-page.ts'
import { asGet, FormParameters } from './as-get.ts'
import { endSession, firstAttempts } from './end-sessions.ts'
import { type Hint, hintedBy } from './id-token-hint.ts'

/**
 * An app sends its user here to sign out (A-OID-20, OpenID Connect RP-Initiated Logout 1.0). The session ends at once
 * only when the app sends an ID token of the user who is signed in; otherwise the user is asked. Nobody is sent to an
 * address that is not certain to be the app's: it is registered for the app that the ID token or `client_id` names.
 */

const parameters = z.object({
  id_token_hint: parameter(),
  client_id: parameter(),
  post_logout_redirect_uri: parameter(),
  state: parameter(),
  logout_hint: parameter(),
})
type Parameters = z.output<typeof parameters>

const common = {
  page: 'always',
  ignores: 'both',
  waits: 'never',
  returns: z.string(),
  produces: 'text/html',
} as const

const LED_BACK = { 303: { description: 'To post_logout_redirect_uri with state' } } as const

export const endSessionEndpoints = () => [
  endpoint({
    ...common,
    method: 'get',
    path: '/oauth2',
    when: { op: 'end_session' },
    summary: 'Ends the session of the user, and tells the apps that it was used for',
    auth: 'visitor',
    acts: true,
    query: parameters,
    otherwise: {
      ...LED_BACK,
      400: { description: 'A page: something in the request is not in order; it asks the user' },
    },
    async answer({ query, ...request }) {
      const asked = await readLogout(request.flow, query)
      const { actor: person } = request
      if (!person) return asked.wrong === undefined ? goodbye(request.flow, asked) : askPage(undefined, query, asked)
      if (asked.hint?.sub !== person.sub || asked.wrong !== undefined) return askPage(person, query, asked)
      return await signOut(request, person, asked)
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/oauth2',
    when: { op: 'end_session' },
    summary: 'The same by a form; the browser is led to the GET, because it sends no cookie with a form from elsewhere',
    auth: 'none',
    limits: { keyless: true },
    query: z.object({}).loose(),
    body: FormParameters,
    otherwise: { 303: { description: 'To the same request by GET' } },
    answer: async ({ query, body }) => asGet('end_session', { ...query, ...body }),
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/oauth2/end',
    summary: 'The user says that they want to sign out',
    auth: 'person',
    body: parameters,
    otherwise: LED_BACK,
    answer: async ({ body, ...request }) => await signOut(request, request.actor, await readLogout(request.flow, body)),
  }),
]

type Request = { readonly flow: UseCaseContext; readonly signIn: SignInRows; readonly actor: PersonCaller | undefined }

/** What an app asks for, as far as it is in order; `wrong` says what is not. */
type Logout = {
  readonly hint: Hint | undefined
  /** The address to which the user goes afterwards; null for a page of ours. */
  readonly location: string | null
  readonly wrong: string | undefined
}

const readLogout = async (flow: UseCaseContext, p: Parameters): Promise<Logout> => {
  const hint = p.id_token_hint === undefined ? undefined : await hintedBy(flow, p.id_token_hint)
  const no = (wrong: string): Logout => ({ hint, location: null, wrong })
  if (p.id_token_hint !== undefined && !hint) return no('id_token_hint is no ID token of this service')
  if (hint && p.client_id !== undefined && p.client_id !== hint.clientId)
    return no('client_id is not that of the ID token')
  const uri = p.post_logout_redirect_uri
  if (uri === undefined) return { hint, location: null, wrong: undefined }
  const clientId = hint?.clientId ?? p.client_id
  if (clientId === undefined) return no('post_logout_redirect_uri needs an id_token_hint, or client_id')
  const app = await appById(flow.ledger, clientId)
  if (!app || !isLivePostLogout(uri, app, flow))
    return no('post_logout_redirect_uri is not registered for this app, or its domain is not verified')
  const state =
    p.state === undefined ? '' : `${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ state: p.state })}`
  return { hint, location: `${uri}${state}`, wrong: undefined }
}

const signOut = async (request: Request, { sid }: PersonCaller, asked: Logout): Promise<Reply> => {
  await firstAttempts(request, await endSession(request, sid))
  return goodbye(request.flow, asked)
}

const goodbye = ({ origins }: UseCaseContext, { location }: Logout): Reply => {
  const cookies = [setCookie(SESSION_COOKIE, '', origins.auth, 0)]
  if (location !== null) return seeOther(location, cookies)
  return peoplePage({ title: 'You are signed out', cookies, main: html`<p><a href="/sign-in">Sign in again</a></p>` })
}

const askPage = (person: PersonCaller | undefined, p: Parameters, { wrong, location }: Logout): Reply =>
  peoplePage({
    title: 'Sign out?',
    status: wrong === undefined ? 200 : 400,
    formTo: location === null ? [] : [new URL(location).origin],
    main: html`
      ${
        person
          ? html`
            <p>This signs you out here, and of the apps that you have signed in to from here.</p>
            <form method="post" action="/oauth2/end">
              <input type="hidden" name="csrf" value=${person.csrf} />
              ${Object.entries(p).map(([name, value]) => value && html`<input type="hidden" name=${name} value=${value} />`)}
              <button type="submit">Sign out</button>
            </form>
          `
          : html`<p>You are not signed in.</p>`
      }
      ${location !== null && html`<p class="hint">Afterwards you go back to ${new URL(location).host}.</p>`}
      ${wrong && html`<p class="hint">The app that sent you here made a mistake: ${wrong}.</p>`}
    `,
  })

function parameter() {
  return z
    .string()
    .max(4_096)
    .optional()
    .transform((text) => (text === '' ? undefined : text))
}
