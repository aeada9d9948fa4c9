import type { Cause, Vault } from '../../../domain/kernel/ports.ts'
import type { SignInCaller } from '../core/caller.ts'
import type { Actor, CloudCaller } from '../core/endpoint.ts'

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

/** The actor that the log names: the account, and which of its keys, where that is not the owner's. */
const keyName = (key: Actor | undefined): string | undefined =>
  key && (key.kind === 'sub-key' || key.kind === 'store' ? `${key.accountId}/${key.kind}/${key.keyId}` : key.accountId)

const nameOf = (caller: SignInCaller | undefined): string | undefined => {
  if (caller?.kind === 'member') return `${caller.accountId}/member/${caller.memberId}`
  if (caller === undefined || caller.kind === 'guest') return undefined
  return caller.kind === 'app' ? caller.clientId : caller.sub
}
