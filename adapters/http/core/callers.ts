import { timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { ClientApp } from '../../../domain/signin/client-app.ts'
import { consentId } from '../../../domain/signin/consent.ts'
import { mayAct } from '../../../domain/signin/user.ts'
import type { OutsidePorts } from '../../../domain/use-cases/context.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import type { SignInRows } from '../../postgres/sign-in/rows.ts'
import type { AppCaller, BearerCaller, PersonCaller, SignInCaller } from './caller.ts'
import { cookieName, cookieOf } from './cookies.ts'
import { csrfOf, refuseForeign, refuseStale, SESSION_COOKIE } from './csrf.ts'
import type { Endpoint } from './endpoint.ts'
import { guestOf, languagesOf, memberOf } from './member-caller.ts'

/** Finds out who calls the sign-in service, and that they are who they say. */

/** What admission needs in order to recognise callers. */
export type CallerSources = {
  readonly outside: Pick<OutsidePorts, 'world' | 'origins'>
  readonly rows: SignInRows
  readonly ledger: Ledger
}

/**
 * Who makes a call, of the kind that its endpoint is for. Refuses `client-unknown`, `token-invalid`,
 * `insufficient-scope`, `sign-in-needed`, `form-stale`, `forbidden`, `mfa-needed`,
 * `mfa-missing`.
 */
export const callerOf = async (
  ctx: Context,
  e: Endpoint,
  body: object,
  known: CallerSources,
): Promise<SignInCaller | undefined> => {
  switch (e.auth) {
    case 'client':
      return await appOf(ctx, body, known)
    case 'app':
      return await anyAppOf(ctx, body, known)
    case 'bearer':
      return await bearerOf(ctx, e, body, known)
    case 'person':
      return (await personOf(ctx, e, body, known)) ?? refuse('sign-in-needed', 'Please sign in.')
    case 'visitor':
      return await personOf(ctx, e, body, known)
    case 'member':
      return (await memberOf(ctx, e, body, known)) ?? refuse('sign-in-needed', 'Please sign in.')
    case 'guest':
      return (await memberOf(ctx, e, body, known)) ?? guestOf(ctx, e, body, known)
    default:
      return undefined
  }
}

/**
 * A confidential app, by its id and secret in the body or in an Authorization header (`client_secret_post`,
 * `client_secret_basic`). Refuses `client-unknown`; one answer for an unknown app and for a wrong secret.
 */
const appOf = async (ctx: Context, body: object, known: CallerSources): Promise<AppCaller> => {
  const { clientId, secret } = credentials(ctx, body)
  const app = await appById(known.ledger, clientId)
  const good = sameHash(known.outside.world.digest(secret), app?.secretHash ?? NOBODY)
  return good && app
    ? { kind: 'app', clientId, app }
    : refuse('client-unknown', 'client_id or client_secret is wrong. Compare them with the page of the app.')
}

/**
 * A confidential app in the same way; a public app, which has no secret, by its id alone: it proves itself by PKCE
 * (A-CLI-01).
 */
const anyAppOf = async (ctx: Context, body: object, known: CallerSources): Promise<AppCaller> => {
  const { clientId, secret } = credentials(ctx, body)
  const app = await appById(known.ledger, clientId)
  if (app?.confidential === false && secret === '') return { kind: 'app', clientId, app }
  return await appOf(ctx, body, known)
}

/** An app that is in use; what does not look like the id of one is not looked up. */
export const appById = async (ledger: Ledger, clientId: string): Promise<ClientApp | undefined> => {
  const app = CLIENT_ID.test(clientId) ? await ledger.clientApp.recent(clientId) : undefined
  return app?.status === 'active' ? app : undefined
}
const CLIENT_ID = /^app_[a-z2-7]{26}$/

/**
 * The id and the secret that an app sends; empty where it sends none. Refuses `invalid-request` when it sends them
 * twice.
 */
const credentials = (ctx: Context, body: object): { clientId: string; secret: string; basic: boolean } => {
  const fields = body as { client_id?: unknown; client_secret?: unknown }
  const inBody = { clientId: text(fields.client_id), secret: text(fields.client_secret) }
  const basic = /^basic ([a-z0-9+/=]+)$/i.exec(ctx.get('authorization'))?.[1]
  if (basic === undefined) return { ...inBody, basic: false }
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? []
  if (id === undefined || secret === undefined) return refuse('client-unknown', 'the Authorization header is malformed')
  const inHeader = { clientId: formDecoded(id), secret: formDecoded(secret) }
  if (inBody.secret !== '' || (inBody.clientId !== '' && inBody.clientId !== inHeader.clientId))
    return refuse(
      'invalid-request',
      'client_id: it is in the header Authorization and in the body, and differs. Send it in one of them.',
    )
  return { ...inHeader, basic: true }
}

const bearerOf = async (
  ctx: Context,
  e: Endpoint,
  body: object,
  { outside, rows, ledger }: CallerSources,
): Promise<BearerCaller> => {
  const { world } = outside
  const inHeader = /^bearer +([\w.~+/=-]+)$/i.exec(ctx.get('authorization'))?.[1]
  const inBody = ctx.method === 'POST' ? text((body as { access_token?: unknown }).access_token) : ''
  if (inHeader !== undefined && inBody !== '')
    return refuse(
      'invalid-request',
      'access_token: it is in the header Authorization and in the body. Send it in one of them.',
    )
  const token = inHeader ?? inBody
  ctx.state.tokenSent = token !== ''
  const grant = token === '' ? undefined : await rows.tokens.token(world.digest(token), world.now())
  if (!grant) return refuse('token-invalid', 'the access token is missing, unknown or expired')
  const [app, consent, user] = await Promise.all([
    ledger.clientApp.recent(grant.clientId),
    ledger.consent.recent(consentId(grant.sub, grant.clientId)),
    ledger.user.recent(grant.sub),
  ])
  // A revocation counts at once, also where the token's row has outlived it.
  const dead = consent.revocations > grant.revocations || !mayAct(user)
  if (dead || app.status !== 'active') return refuse('token-invalid', 'the access token was revoked')
  const scopes = new Set(grant.scope.split(' '))
  const needed = e.callers?.scope
  if (needed !== undefined && !scopes.has(needed)) return refuse('insufficient-scope', `this needs the scope ${needed}`)
  return { kind: 'bearer', sub: grant.sub, clientId: grant.clientId, app, scopes, sid: grant.sid }
}

const personOf = async (
  ctx: Context,
  e: Endpoint,
  body: object,
  { outside, rows, ledger }: CallerSources,
): Promise<PersonCaller | undefined> => {
  const { world, origins } = outside
  const secret = cookieOf(ctx.get('cookie'), cookieName(SESSION_COOKIE, origins.auth))
  const row = secret === undefined ? undefined : await rows.sessions.find(world.digest(secret), world.now())
  if (e.method === 'post') refuseForeign(ctx, origins.auth)
  if (!row || secret === undefined) return undefined
  const user = await ledger.user.recent(row.sub)
  if (!mayAct(user)) return undefined
  const csrf = csrfOf(secret)
  if (e.method === 'post') refuseStale(body, csrf)
  return { ...row, kind: 'person', csrf, languages: languagesOf(ctx) }
}

const NOBODY = '0'.repeat(64)

/** Compares two SHA-256 digests in a time that tells nothing of them. */
export const sameHash = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** RFC 6749 §2.3.1: the two halves are form-encoded before they are joined. */
const formDecoded = (value: string): string => {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '))
  } catch {
    return refuse('client-unknown', 'the Authorization header is malformed')
  }
}
