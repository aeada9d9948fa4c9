import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { mayAct, type User } from '../../../../domain/signin/user.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Profile } from '../../../../domain/use-cases/signin/register-user.ts'
import { endpoint } from '../../core/endpoint.ts'

/** What an app learns of a user, by scope (A-OID-17). What a user has not given is left out. */

type ClaimsContext = Pick<UseCaseContext, 'ledger' | 'vault'>

/** The claims of each scope, in the order in which they are told. */
export const CLAIMS = {
  email: ['email', 'email_verified'],
  profile: ['name', 'preferred_username', 'picture', 'locale'],
} as const

/** Refuses `grant-invalid` when the user no longer exists. */
export const claimsOf = async (known: ClaimsContext, sub: string, scopes: ReadonlySet<string>): Promise<Claims> => {
  const user = await userOf(known, sub)
  return {
    sub,
    ...(scopes.has('email') && {
      email: await opened(known, user.email),
      email_verified: user.status === 'verified',
    }),
    ...(scopes.has('profile') && profileOf(await opened(known, user.profile))),
  }
}
type Claims = { readonly sub: string; readonly [claim: string]: string | boolean }

/** The address that a user signs in with. */
export const emailOf = async (known: ClaimsContext, sub: string): Promise<string> =>
  await opened(known, (await userOf(known, sub)).email)

const userOf = async ({ ledger }: ClaimsContext, sub: string): Promise<User> => {
  const user = await ledger.user.recent(sub)
  return mayAct(user) ? user : refuse('grant-invalid', 'the user is no more, or is suspended')
}

const opened = async ({ vault }: ClaimsContext, sealed: string): Promise<string> =>
  (await vault.open(sealed)) ?? refuse('grant-invalid', 'the user is no more')

const profileOf = (json: string): Profile => {
  const profile = JSON.parse(json) as Profile
  return Object.fromEntries(CLAIMS.profile.flatMap((name) => (profile[name] ? [[name, profile[name]]] : [])))
}

/**
 * What an access token lets an app know of its user (A-OID-18); a POST may bring the token in its body (RFC 6750 §2.2).
 */
export const userinfoEndpoints = () => [userinfo('get'), userinfo('post')]

const userinfo = (method: 'get' | 'post') =>
  endpoint({
    method,
    path: '/oauth2',
    when: { op: 'userinfo' },
    ignores: 'both',
    summary: 'Claims of the user, for the scopes that were granted',
    auth: 'bearer',
    callers: { scope: 'openid', crossOrigin: true },
    limits: { token: 'userinfo' },
    waits: 'never',
    ...(method === 'post' && { body: z.object({ access_token: z.string().max(200).optional() }) }),
    returns,
    refusals: ['token-invalid', 'insufficient-scope'],
    answer: async ({ actor: { sub, scopes }, flow }) => await claimsOf(flow, sub, scopes),
  })

const returns = z
  .object({
    sub: z.string(),
    email: z.string().optional(),
    email_verified: z.boolean().optional(),
    name: z.string().optional(),
    preferred_username: z.string().optional(),
    picture: z.string().optional(),
    locale: z.string().optional(),
  })
  .meta({ id: 'UserClaims' })
