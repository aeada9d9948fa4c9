import type { Cause, SealedText, Vault } from '../../../domain/kernel/ports.ts'
import { type RecentMap, recentMap } from '../../../domain/kernel/recent-map.ts'
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
  const sealed = writes && accountId !== undefined ? await sealedNetwork(vault, accountId, network) : undefined
  return { actor, correlationId: requestId, ...(sealed !== undefined && { network: sealed }) }
}

/** Networks that are kept sealed, each for one account: most callers write from the same one again. */
const KEPT_MAX = 10_000

/** By the vault that has sealed them: what another one has sealed could not be opened. */
const keptBy = new WeakMap<Vault, RecentMap<SealedText>>()

/** Undefined for an account that was erased, which has no key any more to seal for. That refuses no call. */
const sealedNetwork = async (vault: Vault, accountId: string, network: string): Promise<SealedText | undefined> => {
  const kept = keptBy.get(vault) ?? recentMap<SealedText>(KEPT_MAX)
  keptBy.set(vault, kept)
  const name = `${accountId} ${network}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const sealed = await vault.seal(accountId, network).catch(() => undefined)
  if (sealed !== undefined) kept.set(name, sealed)
  return sealed
}
