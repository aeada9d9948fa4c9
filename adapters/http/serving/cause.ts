import type { Cause, Vault } from '../../../domain/kernel/ports.ts'
import type { SignInCaller } from '../core/caller.ts'
import type { Actor, CloudCaller } from '../core/endpoint.ts'
import { keyName, nameOf } from './caller-names.ts'

/** Whoever calls, as far as the service knows them. */
type KnownCaller = {
  readonly key: Actor | undefined
  readonly shop: CloudCaller | undefined
  readonly caller: SignInCaller | undefined
}

/** A call as its events tell of it. */
type Call = { readonly requestId: string; readonly network: string; readonly writes: boolean }

/**
 * The cause that the events of a call have: who calls, and, for what people and keys do in an account, from which
 * network, sealed for that account.
 */
export const causeOf = async (
  { key, shop, caller }: KnownCaller,
  { requestId, network, writes }: Call,
  vault: Vault,
): Promise<Cause> => {
  const actor = keyName(key) ?? shop?.accountId ?? nameOf(caller) ?? 'public'
  const accountId = key?.accountId ?? (caller?.kind === 'member' ? caller.accountId : undefined)
  // An account that was erased has no key any more to seal for. That refuses no call.
  const sealed =
    writes && accountId !== undefined ? await vault.seal(accountId, network).catch(() => undefined) : undefined
  return { actor, correlationId: requestId, ...(sealed !== undefined && { network: sealed }) }
}
