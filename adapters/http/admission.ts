import type { Context } from 'koa'
import { Refusal } from '../../domain/refusal.ts'
import type { Queries } from '../../projections/index.ts'
import { actorOf, allow } from './actor.ts'
import type { SignInCaller } from './auth/caller.ts'
import { callerOf, type Known } from './auth/callers.ts'
import type { Actor, Endpoint } from './endpoint.ts'
import type { Buckets } from './token-buckets.ts'

/** How often a key may call, an address where no key is needed (N-09), and an app (L-AUT-11). */
export type Limits = { readonly key: Buckets; readonly address: Buckets; readonly client: Buckets }

type Rows = { readonly queries: Queries; readonly limits: Limits; current(): Promise<void> }

/**
 * Who calls an endpoint, and that they may: a good key where one is needed, within its limit, of a kind that the endpoint is for.
 * `credential` is what was sent, or empty.
 */
export const admitted = async (
  ctx: Context,
  e: Endpoint,
  credential: string,
  rows: Rows,
): Promise<Actor | undefined> => {
  const keyed = e.auth === 'key' || (e.auth === 'offered' && credential !== '')
  if (!keyed) {
    if (e.perAddress === true || sendsAny(ctx, e.perAddress)) rows.limits.address.take(ctx.ip)
    return undefined
  }
  const actor = await actorOf(rows, credential)
  // A key is known to be good before it costs its owner anything.
  rows.limits.key.take(actor.keyId)
  if (actor.testOnly && !e.sandbox)
    throw new Refusal('sandbox-key-rejected', 'A sandbox key may not do this. Use a live key.')
  if (actor.kind === 'publishable' && e.sandbox !== 'publishable')
    throw new Refusal('publishable-key-rejected', 'A publishable key may not do this. Use a secret one.')
  allow(actor, e)
  return actor
}

/** Who calls the sign-in service, within the limits of the address and of the app (A-AUT-02). */
export const admittedToSignIn = async (
  ctx: Context,
  e: Endpoint,
  body: object,
  { limits, ...known }: Known & { readonly limits: Limits },
): Promise<SignInCaller | undefined> => {
  limits.address.take(ctx.ip)
  const caller = await callerOf(ctx, e, body, known)
  if (caller && caller.kind !== 'person') limits.client.take(caller.clientId)
  return caller
}

/** Whether a call has one of these headers. */
export const sendsAny = (ctx: Context, headers: readonly string[] = []): boolean =>
  headers.some((name) => ctx.get(name) !== '')
