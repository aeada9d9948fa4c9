import { newApiKey } from '../../account/keys/api-key.ts'
import { type KeyLimitsChange, keyLimits } from '../../account/keys/key-limits.ts'
import { activeKey, isUseNoted, type SandboxKeyKind } from '../../account/sandbox-keys.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

/** A key that was just made: `apiKey` is never shown again (X-ONCE-01). */
export type FreshKey = { apiKey: string; number: number; kind: SandboxKeyKind; hint: string }

/** Makes a sandbox key. Refuses `rate-limited` above ten an hour, `too-many-keys`, an end that is over. */
export const issueSandboxKey = async (
  { ledger, world, vault }: UseCaseContext,
  accountId: string,
  { kind, label, ...limits }: { kind: SandboxKeyKind; label: string } & KeyLimitsChange,
): Promise<FreshKey> => {
  const { apiKey, kept } = newApiKey(world, prefixes[kind])
  const sealed = label === '' ? null : await vault.seal(accountId, label)
  const { state } = await ledger.sandboxKeys.issue(accountId, { ...kept, kind, label: sealed, ...keyLimits(limits) })
  const [number] = activeKey(state, kept.keyId) ?? []
  return { apiKey, number: Number(number), kind, hint: kept.hint }
}

/** Gives an active key a new secret; the old one stops at once (K-SBX-03). Refuses `sandbox-key-not-found`. */
export const rotateSandboxKey = async (
  { ledger, world }: UseCaseContext,
  accountId: string,
  number: number,
): Promise<FreshKey> => {
  const { active } = await ledger.sandboxKeys.read(accountId)
  const { kind } =
    active[number] ??
    refuse(
      'sandbox-key-not-found',
      'There is no such sandbox key, or it is revoked. Look for its number in GET /v1/sandbox-keys.',
    )
  const { apiKey, kept } = newApiKey(world, prefixes[kind])
  await ledger.sandboxKeys.rotate(accountId, { number, ...kept })
  return { apiKey, number, kind, hint: kept.hint }
}

/** Writes down that a sandbox key was used, unless that was done within the hour. */
export const noteSandboxKeyUse = async (
  { ledger, world }: UseCaseContext,
  accountId: string,
  keyId: string,
): Promise<void> => {
  const keys = await ledger.sandboxKeys.recent(accountId)
  if (!isUseNoted(keys, keyId, world.now().toISOString())) await ledger.sandboxKeys.noteUse(accountId, { keyId })
}

const prefixes = { secret: 'sk_test', publishable: 'pk_test' } as const
