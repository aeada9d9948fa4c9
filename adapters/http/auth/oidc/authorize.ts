import { html } from 'htm/preact'
import { z } from 'zod'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { consentId } from '../../../../domain/signin/consent.ts'
import { verifiedDomainOf } from '../../../../domain/signin/redirect-uris.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Interaction } from '../../../postgres/sign-in/interactions.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import type { PersonCaller } from '../../core/caller.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { IN_DEVELOPMENT } from '../../pages/balance/who-asks.ts'
import { peoplePage } from '../../pages/people-page.ts'
import { asGet, FormParameters } from './as-get.ts'
import {
  type AuthorizeParameters,
  type AuthorizeRequest,
  authorizeParameters,
  RequestFault,
  readRequest,
} from './authorize-request.ts'
import { type AuthorizeDecision, decide } from './authorize-rules.ts'
import { brokenRequestPage } from './broken-request.ts'
import { emailOf } from './claims.ts'
import { type Begun, beginInteraction, interactionOf, leadToSignIn, resumePath, signInPath } from './interactions.ts'
import { SCOPE_WORDS } from './scopes.ts'

/**
 * The authorization endpoint (A-OID-01). A request is read, decided, and answered with a code, an error or a page; when
 * its user was led away to sign in or to agree, it is read and decided again.
 */

const common = {
  page: 'always',
  ignores: 'both',
  waits: 'never',
  returns: z.string(),
  produces: 'text/html',
} as const

const cookie = z.object({ cookie: z.string().default('') })

const OTHERWISE = {
  302: {
    description: 'To redirect_uri with code, state and iss, or with error, state and iss; or to the sign-in page',
  },
  303: { description: 'To redirect_uri with error, error_description, state and iss: the request is not in order' },
  400: { description: 'A page: the app or its redirect_uri is not in order, and nobody is sent anywhere' },
} as const

export const authorizeEndpoints = () => [...requestEndpoints(), ...resumeEndpoints()]

const requestEndpoints = () => [
  endpoint({
    ...common,
    method: 'get',
    path: '/oauth2',
    when: { op: 'authorize' },
    summary: 'A user signs in to an app: a code goes to its redirect URI, or the user is asked',
    auth: 'visitor',
    acts: true,
    limits: { address: 'authorize' },
    query: authorizeParameters,
    headers: cookie,
    otherwise: OTHERWISE,
    answer: async ({ query, ...request }) =>
      await orPage(request.flow, async () => {
        const asked = await readRequest(request.flow, query)
        return await settle(request, { asked, parameters: query, begun: undefined, agreed: false })
      }),
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/oauth2',
    when: { op: 'authorize' },
    summary: 'The same by a form; the browser is led to the GET, because it sends no cookie with a form from elsewhere',
    auth: 'none',
    limits: { keyless: true },
    query: z.object({}).loose(),
    body: FormParameters,
    otherwise: { 303: { description: 'To the same request by GET' }, 400: OTHERWISE[400] },
    answer: async ({ query, body }) => asGet('authorize', { ...query, ...body }),
  }),
]

/** The endpoints at which a request goes on that was left for signing in or for the consent page. */
const resumeEndpoints = () => [
  endpoint({
    ...common,
    method: 'get',
    path: resumePath,
    summary: 'Goes on with a sign-in that an app has begun, once its user has signed in',
    auth: 'visitor',
    acts: true,
    query: z.object({ interaction: z.string().max(64) }),
    otherwise: OTHERWISE,
    answer: async ({ query, ...request }) =>
      await orPage(request.flow, async () => {
        const begun = await interactionOf(request, query.interaction)
        return await settle(request, await again(request.flow, begun, false))
      }),
    headers: cookie,
  }),
  endpoint({
    ...common,
    method: 'post',
    path: resumePath,
    summary: 'The user allows an app what it asks for, or does not',
    auth: 'person',
    query: z.object({ interaction: z.string().max(64) }),
    body: z.object({ decision: z.enum(['allow', 'deny']) }),
    headers: cookie,
    otherwise: { 303: { description: OTHERWISE[302].description }, 400: OTHERWISE[400] },
    answer: async ({ query, body, ...request }) =>
      await orPage(request.flow, async () => {
        const begun = await interactionOf(request, query.interaction)
        const given = await again(request.flow, begun, body.decision === 'allow')
        if (body.decision === 'deny') return await sendBack(request, given, { error: 'access_denied' })
        await agree(request, given.asked)
        return await settle(request, given)
      }),
  }),
]

type Request = {
  readonly flow: UseCaseContext
  readonly signIn: SignInRows
  readonly actor: PersonCaller | undefined
  readonly headers: { readonly cookie: string }
}

/** A request and how far its user has come with it. */
type AuthorizeProgress = {
  readonly asked: AuthorizeRequest
  readonly parameters: AuthorizeParameters
  readonly begun: Interaction | undefined
  readonly agreed: boolean
}

/** Reads the request again each time: the app, its addresses and its domains may have changed meanwhile. */
const again = async (flow: UseCaseContext, begun: Interaction, agreed: boolean): Promise<AuthorizeProgress> => {
  const parameters = authorizeParameters.parse(begun.request)
  return { asked: await readRequest(flow, parameters), parameters, begun, agreed }
}

const settle = async (request: Request, given: AuthorizeProgress): Promise<Reply> => {
  const { flow, actor: person } = request
  const { asked, begun, agreed } = given
  const { scopes, revocations } = person
    ? await flow.ledger.consent.recent(consentId(person.sub, asked.clientId))
    : NOTHING
  const now = flow.world.now()
  const outcome = decide({ asked, person, allowed: scopes, now, begun: begun?.createdAt, agreed })
  const code = outcome === 'code' && person ? await newCode(request, given, person, revocations) : undefined
  if (code !== undefined) return await sendBack(request, given, { code })
  // The session has ended just now, so that the code was not written down.
  return await answer(request, given, outcome === 'code' ? 'sign-in' : outcome)
}
const NOTHING = { scopes: [], revocations: 0 }

const answer = async (
  request: Request,
  given: AuthorizeProgress,
  outcome: Exclude<AuthorizeDecision, 'code'>,
): Promise<Reply> => {
  if (outcome !== 'sign-in' && outcome !== 'consent') return await sendBack(request, given, { error: outcome })
  const begun: Begun = given.begun
    ? { id: given.begun.id, cookies: [] }
    : await beginInteraction(request, given.parameters)
  const { actor: person } = request
  if (outcome === 'sign-in' || !person)
    return leadToSignIn(begun, { again: person !== undefined, hint: given.asked.loginHint })
  return await consentPage(request.flow, person, given.asked, begun)
}

const CODE_SECONDS = 120

/** Writes down a new code; undefined when the session ends at this moment. */
const newCode = async (
  { flow: { world }, signIn }: Request,
  { asked: { clientId, redirectUri, scopes, nonce, challenge } }: AuthorizeProgress,
  { sub, sid, authTime, amr }: PersonCaller,
  revocations: number,
): Promise<string | undefined> => {
  const code = world.secret(32)
  const expiresAt = new Date(world.now().getTime() + CODE_SECONDS * 1_000)
  const row = { clientId, redirectUri, nonce, challenge, sub, sid, authTime, amr, revocations, scope: scopes.join(' ') }
  return (await signIn.tokens.addCode(world.digest(code), row, expiresAt)) ? code : undefined
}

const agree = async ({ flow, actor }: Request, { clientId, scopes }: AuthorizeRequest): Promise<void> => {
  if (!actor) return
  const { sub } = actor
  await flow.ledger.consent.grant(consentId(sub, clientId), { sub, clientId, scopes })
}

/**
 * Leads back to the app and says who answers, so that an app with several providers does not mix them up (RFC 9207).
 */
const sendBack = async (
  { flow, signIn }: Request,
  { asked: { redirectUri, state }, begun }: AuthorizeProgress,
  result: { code: string } | { error: string },
): Promise<Reply> => {
  if (begun && !(await signIn.interactions.end(begun.id))) return brokenRequestPage(OVER)
  return toApp(redirectUri, { ...result, state, iss: flow.origins.auth }, begun ? 303 : 302)
}

const toApp = (redirectUri: string, parameters: Readonly<Record<string, string>>, status: 302 | 303): Reply => {
  const location = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
  return new Reply(status, '', { Location: location, 'Cache-Control': 'no-store' })
}

const OVER = 'This sign-in has ended already.'

/**
 * What is wrong goes to the app, with its `state` (RFC 6749 §4.1.2.1). Nothing is redirected before it is certain where
 * to, so until then it is shown on a page here.
 */
const orPage = async ({ origins }: UseCaseContext, work: () => Promise<Reply>): Promise<Reply> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestFault) {
      const { redirectUri, state, wrong } = error
      const { error: code, description } = wrong
      const told = { error: code, error_description: description, ...(state !== undefined && { state }) }
      return toApp(redirectUri, { ...told, iss: origins.auth }, 303)
    }
    if (isRefusal(error, 'invalid-request')) return brokenRequestPage(error.detail ?? '')
    throw error
  }
}

/**
 * The page that asks a user before an app learns anything of them (A-OID-10): it says who asks, and in plain words for
 * what.
 */
const consentPage = async (
  flow: UseCaseContext,
  person: PersonCaller,
  asked: AuthorizeRequest,
  begun: Begun,
): Promise<Reply> => {
  const { app, redirectUri, scopes } = asked
  const domain = verifiedDomainOf(redirectUri, app.domains)
  const email = await emailOf(flow, person.sub)
  return peoplePage({
    title: `Sign in to ${app.name}`,
    formTo: [new URL(redirectUri).origin],
    cookies: begun.cookies,
    main: html`
      <p>
        <strong>${app.name}</strong>${domain === undefined ? ', a program on this device,' : html` (<strong>${domain}</strong>)`}
        ${' '}wants to know who you are. You are signed in as <strong>${email}</strong>.
      </p>
      ${app.development && html`<p class="problem">${app.name} is ${IN_DEVELOPMENT}.</p>`}
      <p>If you allow it, ${app.name} can:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}
      </ul>
      <form method="post" action=${`${resumePath}?interaction=${begun.id}`}>
        <input type="hidden" name="csrf" value=${person.csrf} />
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny" class="plain">Do not allow</button>
      </form>
      <p class="hint">
        You can take it back at any time in <a href="/account">your account</a>.
        ${' '}Not you? <a href=${signInPath(begun.id, true)}>Use another account</a>.
      </p>
    `,
  })
}
