import type { World } from '../../kernel/ports.ts'

/**
 * What is kept of a key: only its hash can be checked, and the hint tells a person which one it is (X-HASH-01,
 * X-MASK-01).
 */
export type KeptKey = { keyId: string; keyHash: string; hint: string }

/**
 * A fresh `<prefix>_<lookup id>_<secret>`, to be shown once; the lookup id tells an unknown key from a wrong one
 * (Q-26).
 */
export const newApiKey = (
  world: World,
  prefix: 'sk_live' | 'sk_test' | 'pk_test' | 'sa' | 'st',
): { apiKey: string; kept: KeptKey } => {
  const keyId = world.secret(8)
  const apiKey = `${prefix}_${keyId}_${world.secret(32)}`
  return { apiKey, kept: { keyId, keyHash: world.digest(apiKey), hint: `${prefix}_…${apiKey.slice(-4)}` } }
}
