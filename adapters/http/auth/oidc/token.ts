import { createHash } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { ClientApp } from '../../../../domain/signin/client-app.ts'
import { consentId } from '../../../../domain/signin/consent.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { signToken } from '../../../../domain/use-cases/signin/signing-keys.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import type { CodeRow } from '../../../postgres/sign-in/tokens.ts'
import type { AppCaller } from '../../core/caller.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { claimsOf } from './claims.ts'

/**
 * The token endpoint: a code for an access token and an ID token (A-OID-12 to A-OID-17). Errors come in this order:
 * invalid_request, invalid_client, unsupported_grant_type, invalid_grant, pkce_required, pkce_failed. A wrong verifier
 * does not use the code up.
 */

const ACCESS_TOKEN_SECONDS = 3_600
const ID_TOKEN_SECONDS = 600
const TEXT_MAX = 2_048

const text = () => z.string().max(TEXT_MAX).optional()

const body = z
  .object({
    grant_type: z.string().min(1).max(TEXT_MAX),
    code: text(),
    redirect_uri: text(),
    client_id: text(),
    client_secret: text(),
    code_verifier: text(),
  })
  .refine(({ grant_type, code }) => grant_type !== 'authorization_code' || code, {
    path: ['code'],
    error: 'is missing: send it',
  })
  .refine(({ grant_type, redirect_uri }) => grant_type !== 'authorization_code' || redirect_uri, {
    path: ['redirect_uri'],
    error: 'is missing: send it',
  })
  // Members that the one grant needs; another grant is refused before they are asked for.
  .meta({ required: ['grant_type', 'code', 'redirect_uri', 'client_id'] })

const returns = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    id_token: z.string(),
    scope: z.string(),
  })
  .meta({ id: 'Tokens' })

export const tokenEndpoint = () =>
  endpoint({
    method: 'post',
    path: '/oauth2',
    when: { op: 'token' },
    ignores: 'both',
    summary: 'A code is exchanged for an access token and an ID token',
    auth: 'app',
    callers: { crossOrigin: true },
    limits: { failures: 'tokenFailures' },
    waits: 'never',
    body,
    returns,
    refusals: ['client-unknown', 'grant-type-unsupported', 'grant-invalid', 'pkce-required', 'pkce-failed'],
    async answer({ body: given, actor, flow, signIn }) {
      if (given.grant_type !== 'authorization_code')
        return refuse('grant-type-unsupported', 'grant_type has to be authorization_code')
      const { code = '', redirect_uri = '', code_verifier } = given
      const granted = await redeemed(
        { flow, signIn, actor },
        { code, redirectUri: redirect_uri, verifier: code_verifier },
      )
      return new Reply(200, granted satisfies z.input<typeof returns>, NO_STORE)
    },
  })

/** The headers that RFC 6749 §5.1 asks for; `Pragma` is for caches that know only HTTP/1.0. */
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

type Caller = { readonly flow: UseCaseContext; readonly signIn: SignInRows; readonly actor: AppCaller }
type Offer = { readonly code: string; readonly redirectUri: string; readonly verifier: string | undefined }

const redeemed = async ({ flow, signIn, actor }: Caller, { code, redirectUri, verifier }: Offer) => {
  const { world } = flow
  const of = { clientId: actor.clientId, redirectUri, challenge: challengeShown(actor.app, verifier) }
  const codeHash = world.digest(code)
  const accessToken = world.secret(32)
  const now = world.now()
  const expiresAt = new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1_000)
  const token = { hash: world.digest(accessToken), expiresAt }
  const { status, row } = { row: undefined, ...(await signIn.tokens.redeem(codeHash, of, token, now)) }
  if (!row) {
    const usable = await signIn.tokens.usableCode(codeHash, of, now)
    if (usable) refusePkce(usable.challenge, verifier)
    return refuse('grant-invalid', WHY[status])
  }
  await refuseRevoked(flow, row)
  return {
    access_token: accessToken,
    token_type: 'Bearer' as const,
    expires_in: ACCESS_TOKEN_SECONDS,
    id_token: await idToken(flow, row, accessToken),
    scope: row.scope,
  }
}

const WHY: Readonly<Record<string, string>> = {
  used: 'the code was used before; the access token that was made from it is dead',
  expired: 'the code has expired',
}

/**
 * Refuses `grant-invalid` when the user has taken the app's access back since; the token that was made is dead then.
 */
const refuseRevoked = async ({ ledger }: UseCaseContext, { sub, clientId, revocations }: CodeRow): Promise<void> => {
  const consent = await ledger.consent.recent(consentId(sub, clientId))
  if (consent.revocations > revocations) refuse('grant-invalid', 'the user has revoked the access')
}

/**
 * The challenge with which the code must have been asked for: only the app that asked for it redeems it (RFC 7636,
 * S256). Only a confidential app of the operator's own may do without, and then only for a code that was asked for
 * without one (RFC 9700 §4.8.2).
 */
const challengeShown = (app: ClientApp, verifier: string | undefined): string | null => {
  if (!verifier) return app.confidential && app.firstParty ? null : NEVER
  return VERIFIER.test(verifier) ? createHash('sha256').update(verifier).digest('base64url') : NEVER
}
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
/** A challenge with which no code was ever asked for. */
const NEVER = ''

const refusePkce = (challenge: string | null, verifier: string | undefined): never => {
  if (!verifier) return refuse('pkce-required', 'code_verifier: is missing; send the one that the sign-in began with')
  if (challenge === null) return refuse('pkce-failed', 'the code was asked for without a code_challenge')
  if (!VERIFIER.test(verifier))
    return refuse('pkce-failed', 'code_verifier: has to have 43 to 128 characters of A–Z a–z 0–9 - . _ ~')
  return refuse('pkce-failed', 'code_verifier: is wrong; send the one that the sign-in began with')
}

/**
 * Says who has signed in, when and how, and what the app may know of them; some apps look nowhere else (A-OID-16,
 * A-OID-17).
 */
const idToken = async (flow: UseCaseContext, row: CodeRow, accessToken: string): Promise<string> => {
  const { sub, clientId, nonce, sid, authTime, amr, scope } = row
  const iat = Math.floor(flow.world.now().getTime() / 1_000)
  return await signToken(flow, 'JWT', {
    iss: flow.origins.auth,
    ...(await claimsOf(flow, sub, new Set(scope.split(' ')))),
    aud: clientId,
    azp: clientId,
    iat,
    exp: iat + ID_TOKEN_SECONDS,
    ...(nonce !== null && { nonce }),
    auth_time: Math.floor(Date.parse(authTime) / 1_000),
    amr,
    sid,
    at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
  })
}
