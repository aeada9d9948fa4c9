import type { Context } from 'koa'
import { isRefusal, Refusal } from '../../../domain/kernel/refusal.ts'
import type { OutsidePorts } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { SignInRows } from '../../postgres/sign-in/rows.ts'
import { actorOf, allow, mustNotBeBearer } from '../core/actor.ts'
import type { ByteBuckets, CallBuckets } from '../core/bounds/shared-buckets.ts'
import type { SignInCaller } from '../core/caller.ts'
import { type CallerSources, callerOf } from '../core/callers.ts'
import type { Actor, Endpoint, SignInLimit } from '../core/endpoint.ts'
import { networkName, networkOf } from '../core/network-of.ts'

/**
 * How often callers may call, counted over all processes (N-113): a key, an address where calling costs more than
 * looking, an address that shows no good key (N-09), and an app; `signIn` has the finer limits of sign-ups and of the
 * sign-in service (L-AUT-11). Addresses are counted as networks.
 */
export type CallLimits = {
  readonly key: CallBuckets
  readonly address: CallBuckets
  readonly visitor: CallBuckets
  readonly client: CallBuckets
  /** Bytes that a network without a key or a session may make the log grow by. */
  readonly strangerBytes: ByteBuckets
  readonly signIn: Readonly<Record<SignInLimit, CallBuckets>>
}

type Rows = {
  readonly queries: Queries
  readonly limits: CallLimits
  readonly outside: Pick<OutsidePorts, 'world' | 'vault'>
  readonly signIn: Pick<SignInRows, 'ownerKeys'>
  current(): Promise<boolean>
}

/**
 * Finds out who calls an endpoint, and that they may: a good key where one is needed, within its limit, of a kind that
 * the endpoint is for. `credential` is what was sent, or empty.
 */
export const admitCaller = async (
  ctx: Context,
  e: Endpoint,
  credential: string,
  rows: Rows,
): Promise<Actor | undefined> => {
  if (credential === '' && (e.auth === 'key' || e.auth === 'offered')) mustNotBeBearer(ctx.get('authorization'))
  const keyed = e.auth === 'key' || (e.auth === 'offered' && credential !== '')
  if (!keyed) {
    const from = networkOf(ctx.ip)
    if (e.limits?.address) await rows.limits.signIn[e.limits.address].take(from)
    const { address, visitor } = rows.limits
    const keyless = e.limits?.keyless
    const isCostly = keyless === true || sendsAny(ctx, keyless)
    if (isCostly) await address.take(from)
    else await visitor.take(from)
    if (e.limits?.perTarget) await address.take(`${from} ${ctx.path}`)
    return undefined
  }
  const actor = await actorOf(rows, credential, ctx.ip, (caller) => {
    ctx.state.caller = caller
  }).catch(async (error: unknown) => {
    // Only a caller who shows no good key is held up by what others show from the same address (L-JSN-12).
    if (isRefusal(error, ...NO_GOOD_KEY)) await rows.limits.visitor.take(networkOf(ctx.ip))
    throw error
  })
  // A key is known to be good before it costs its owner anything.
  await rows.limits.key.take(actor.keyId)
  if (actor.kind === 'owner') await noteOwnerKey(actor, networkOf(ctx.ip), rows)
  const sandbox = e.callers?.sandbox
  if (actor.testOnly && !sandbox)
    throw new Refusal('sandbox-key-rejected', 'A sandbox key may not do this. Use a live key.')
  if (actor.kind === 'publishable' && sandbox !== 'publishable')
    throw new Refusal('publishable-key-rejected', 'A publishable key may not do this. Use a secret one.')
  allow(actor, e)
  return actor
}

const NO_GOOD_KEY = ['key-missing', 'key-invalid', 'key-ended', 'network-refused'] as const

/** A call is not refused because the use of its key could not be written down. */
const noteOwnerKey = async (
  { accountId, keyId }: Actor,
  network: string,
  { outside: { world, vault }, signIn }: Rows,
): Promise<void> => {
  const use = { accountId, keyId, network: networkName(network), at: world.now() }
  await signIn.ownerKeys.noteUse(use, (name) => vault.seal(accountId, name)).catch(() => {})
}

/**
 * Counts a call within the limits of its address on the sign-in service (A-AUT-02): they bound everybody, before
 * anything is looked up.
 */
export const admitAddress = async (ctx: Context, e: Endpoint, limits: CallLimits): Promise<void> => {
  const from = networkOf(ctx.ip)
  await limits.address.take(from)
  if (e.limits?.address) await limits.signIn[e.limits.address].take(from)
}

/** The caller of the sign-in service, within the limits of the app and of the token. */
export const admittedToSignIn = async (
  ctx: Context,
  e: Endpoint,
  body: object,
  { limits, ...known }: CallerSources & { readonly limits: CallLimits },
): Promise<SignInCaller | undefined> => {
  const caller = await callerOf(ctx, e, body, known)
  if (!caller || (caller.kind !== 'app' && caller.kind !== 'bearer')) return caller
  await limits.client.take(caller.clientId)
  if (e.limits?.client) await limits.signIn[e.limits.client].take(caller.clientId)
  if (caller.kind === 'bearer' && e.limits?.token)
    await limits.signIn[e.limits.token].take(`${caller.sid} ${caller.clientId}`)
  return caller
}

/**
 * Counts what fails for the caller's own fault, where that is bounded; what does not fail costs nothing and always
 * passes, so that nobody is locked out (A-AUT-02).
 */
export const failuresOf = (ctx: Context, { limits: own }: Endpoint, limits: CallLimits) => {
  const buckets = own?.failures && limits.signIn[own.failures]
  return {
    async counted<T>(work: Promise<T>): Promise<T> {
      try {
        return await work
      } catch (error) {
        if (buckets && isRefusal(error, ...GUESSES)) await buckets.take(networkOf(ctx.ip))
        throw error
      }
    },
  }
}

/** The refusals of a wrong guess at a secret. */
const GUESSES = ['client-unknown', 'grant-invalid', 'pkce-failed', 'pkce-required'] as const

/** Whether a call has one of these headers. */
export const sendsAny = (ctx: Context, headers: readonly string[] = []): boolean =>
  headers.some((name) => ctx.get(name) !== '')
