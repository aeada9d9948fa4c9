import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { ClientApp } from '../../../../domain/signin/client-app.ts'
import { isLive } from '../../../../domain/signin/redirect-uris.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { appById } from '../../core/callers.ts'
import { hintedBy } from './id-token-hint.ts'
import { knownScopes, type Scope } from './scopes.ts'

/**
 * What an authorization request asks for, one rule a function (A-OID-01 to A-OID-04). When the app or its address is
 * wrong, that is said on a page and never sent anywhere, because the address may not be the app's own. Whatever else is
 * wrong is told to the app at its address (RFC 6749 §4.1.2.1, Q-18).
 */

/** The parameters that mean something; others are ignored. One without a value counts as left out (RFC 6749 §3.1). */
export const authorizeParameters = z.object({
  response_type: parameter(),
  response_mode: parameter(),
  client_id: parameter(),
  redirect_uri: parameter(),
  scope: parameter(),
  state: parameter(),
  nonce: parameter(),
  code_challenge: parameter(),
  code_challenge_method: parameter(),
  prompt: parameter(),
  max_age: parameter(),
  id_token_hint: parameter(),
  login_hint: parameter(),
  request: parameter(),
  request_uri: parameter(),
  registration: parameter(),
})
export type AuthorizeParameters = z.output<typeof authorizeParameters>

/** A request that is in order, though its user may have to sign in first. */
export type AuthorizeRequest = {
  readonly clientId: string
  readonly app: ClientApp
  readonly redirectUri: string
  readonly state: string
  readonly scopes: readonly Scope[]
  /** What goes into the code for later: the PKCE challenge, and the app's own word for its ID token. */
  readonly challenge: string | null
  readonly nonce: string | null
  readonly prompts: ReadonlySet<string>
  /** Seconds that may have passed at most since the user has proven who they are. */
  readonly maxAge: number | undefined
  /** The user that the app expects. */
  readonly expected: string | undefined
  /** What the app knows of its user's address. */
  readonly loginHint: string | undefined
}

type ClientContext = Pick<UseCaseContext, 'ledger' | 'origins' | 'developmentApps'>

/** What is wrong with a request whose app and address are certain. */
export class RequestFault extends Error {
  readonly redirectUri: string
  /** As it came: the app may need it to know which request failed. */
  readonly state: string | undefined
  /** For the maker of the app; ASCII without quotation marks and backslashes (RFC 6749 §4.1.2.1). */
  readonly wrong: Wrong

  constructor(redirectUri: string, state: string | undefined, wrong: Wrong) {
    super(`${wrong.error}: ${wrong.description}`)
    this.redirectUri = redirectUri
    this.state = state
    this.wrong = wrong
  }
}

type Wrong = { readonly error: RequestError; readonly description: string }

type RequestError =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'pkce_required'

/** Throws RequestFault; refuses `invalid-request` when nobody may be sent anywhere. */
export const readRequest = async (known: ClientContext, p: AuthorizeParameters): Promise<AuthorizeRequest> => {
  const app = await clientOf(known, p)
  const redirectUri = redirectUriOf(known, app, p)
  const no: Complaint = (error, description) => {
    throw new RequestFault(redirectUri, p.state, { error, description })
  }
  refuseRequestObjects(p, no)
  refuseOtherAnswers(p, no)
  return {
    clientId: p.client_id as string,
    app,
    redirectUri,
    state: stateOf(p, no),
    scopes: knownScopes(p.scope ?? ''),
    challenge: challengeOf(app, p, no),
    nonce: nonceOf(p, no),
    prompts: promptsOf(p, no),
    maxAge: maxAgeOf(p, no),
    expected: await expectedOf(known, p, no),
    loginHint: p.login_hint?.slice(0, HINT_MAX),
  }
}

type Complaint = (error: RequestError, description: string) => never

const STATE_MIN = 16
/** Characters of `state` and of `nonce`: some clients keep a whole encrypted session in `state`. */
const TEXT_MAX = 2_048
const HINT_MAX = 320

const clientOf = async ({ ledger }: ClientContext, { client_id }: AuthorizeParameters): Promise<ClientApp> =>
  (client_id === undefined ? undefined : await appById(ledger, client_id)) ??
  nowhere('invalid_client: client_id is missing or names no app. Send the one on the page of the app.')

/**
 * The redirect URI: to the letter one of the app's own, and under a domain that is verified now (A-OID-02, A-CLI-02,
 * X-EXACT-01).
 */
const redirectUriOf = (known: ClientContext, app: ClientApp, { redirect_uri }: AuthorizeParameters): string => {
  if (redirect_uri === undefined)
    return nowhere('invalid_request: redirect_uri is missing. Send one that the app has registered.')
  if (isLive(redirect_uri, app, known)) return redirect_uri
  return nowhere(
    'invalid_redirect_uri: redirect_uri is not registered for this app, or its domain is not verified. Register it on the page of the app.',
  )
}

/** Requests that are packed into a token are not offered (OpenID Connect Core §6). */
const refuseRequestObjects = ({ request, request_uri, registration }: AuthorizeParameters, no: Complaint): void => {
  if (request !== undefined) no('request_not_supported', 'send the parameters themselves')
  if (request_uri !== undefined) no('request_uri_not_supported', 'send the parameters themselves')
  if (registration !== undefined) no('registration_not_supported', 'apps are registered beforehand')
}

/** Refuses every way to answer but a code in the query (A-OID-04). */
const refuseOtherAnswers = ({ response_type, response_mode = 'query' }: AuthorizeParameters, no: Complaint): void => {
  if (response_type === undefined) no('invalid_request', 'response_type is missing')
  if (response_type !== 'code') no('unsupported_response_type', 'response_type has to be code')
  if (response_mode !== 'query') no('invalid_request', 'response_mode has to be query')
}

/** The app's `state`, which is long enough that nobody guesses it (A-OID-03). */
const stateOf = ({ state = '' }: AuthorizeParameters, no: Complaint): string => {
  if (state === '') return no('invalid_request', `state is missing; it has ${STATE_MIN} to ${TEXT_MAX} characters`)
  if (state.length >= STATE_MIN && state.length <= TEXT_MAX) return state
  return no('invalid_request', `state has ${STATE_MIN} to ${TEXT_MAX} characters`)
}

const nonceOf = ({ nonce }: AuthorizeParameters, no: Complaint): string | null =>
  nonce === undefined || nonce.length <= TEXT_MAX
    ? (nonce ?? null)
    : no('invalid_request', `nonce has at most ${TEXT_MAX} characters`)

/**
 * The PKCE challenge, of S256 alone: `plain` proves nothing once somebody has seen the request. An app that has to send
 * one and does not is told so here, before anybody signs in for a code that could not be redeemed.
 */
const challengeOf = (
  { confidential, firstParty }: ClientApp,
  { code_challenge, code_challenge_method }: AuthorizeParameters,
  no: Complaint,
): string | null => {
  if (code_challenge === undefined && code_challenge_method === undefined)
    return confidential && firstParty
      ? null
      : no('pkce_required', 'switch PKCE on: send code_challenge with code_challenge_method=S256')
  if (code_challenge === undefined) return no('invalid_request', 'code_challenge is missing')
  if (code_challenge_method !== 'S256') return no('invalid_request', 'code_challenge_method has to be S256')
  return CHALLENGE.test(code_challenge)
    ? code_challenge
    : no('invalid_request', 'code_challenge is no SHA-256 in base64url')
}
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

const promptsOf = ({ prompt = '' }: AuthorizeParameters, no: Complaint): ReadonlySet<string> => {
  const prompts = new Set(prompt.split(' ').filter((each) => each !== ''))
  const odd = [...prompts].find((each) => !PROMPTS.includes(each))
  if (odd !== undefined) return no('invalid_request', `prompt can be ${PROMPTS.join(', ')}`)
  if (prompts.has('none') && prompts.size > 1) return no('invalid_request', 'prompt=none goes with no other')
  return prompts
}
export const PROMPTS: readonly string[] = ['none', 'login', 'consent']

const maxAgeOf = ({ max_age }: AuthorizeParameters, no: Complaint): number | undefined => {
  if (max_age === undefined) return undefined
  const seconds = /^\d{1,16}$/.test(max_age) ? Number(max_age) : Number.NaN
  return Number.isSafeInteger(seconds) ? seconds : no('invalid_request', 'max_age is a whole number of seconds')
}

const expectedOf = async (known: ClientContext, p: AuthorizeParameters, no: Complaint): Promise<string | undefined> => {
  if (p.id_token_hint === undefined) return undefined
  const hint = await hintedBy(known, p.id_token_hint)
  return hint?.clientId === p.client_id ? hint?.sub : no('invalid_request', 'id_token_hint is no ID token of this app')
}

function parameter() {
  return z
    .string()
    .optional()
    .transform((text) => (text === '' ? undefined : text))
}

const nowhere = (detail: string): never => refuse('invalid-request', detail)
