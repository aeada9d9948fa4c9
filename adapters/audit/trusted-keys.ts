import { isPublicKey, isSigned, keyIdOf } from '../crypto/ed25519.ts'
import { endorsementText, isSealedBy, type SignedHead } from './head.ts'
import type { FoundKey } from './seal-lines.ts'

/** The keys whose seals count: those that the auditor brought along, and those that one of them has endorsed. */
export type TrustedKeys = {
  /** Takes a key as the log publishes it; answers whether it may be trusted. */
  published(key: FoundKey): boolean
  /** Whether a head is signed by a trusted key that no later key has replaced. */
  sealed(head: SignedHead): boolean
  list(): readonly TrustedKey[]
}

/** `pinned`: given by the auditor; another key was taken from the log, or endorsed by the key before it. */
type TrustedKey = { readonly keyId: string; readonly publicKey: string; readonly pinned: boolean }

/**
 * @param pins public keys in base64; with none the first key that the log publishes is trusted
 * @param sealing id of the pinned key that seals where the reading begins, when that is not at the first event
 */
export const trustedKeys = (pins: readonly string[], sealing?: string): TrustedKeys => {
  const trusted = new Map<string, TrustedKey>()
  for (const publicKey of pins) trusted.set(keyIdOf(publicKey), { keyId: keyIdOf(publicKey), publicKey, pinned: true })
  const retired = new Set<string>()
  let newest: TrustedKey | undefined = sealing === undefined ? undefined : trusted.get(sealing)

  const mayBeTrusted = ({ publicKey, previous, endorsement }: FoundKey) => {
    if (trusted.has(keyIdOf(publicKey))) return true
    if (newest) return endorsement !== null && isSigned(newest.publicKey, endorsementText(publicKey), endorsement)
    return pins.length === 0 && previous === null
  }
  return {
    published(key) {
      const { keyId, publicKey } = key
      if (!isPublicKey(publicKey) || keyId !== keyIdOf(publicKey) || !mayBeTrusted(key)) return false
      const known = trusted.get(keyId) ?? { keyId, publicKey, pinned: false }
      trusted.set(keyId, known)
      if (newest && newest.keyId !== keyId) retired.add(newest.keyId)
      newest = known
      return true
    },
    sealed(head) {
      const key = trusted.get(head.keyId)
      return key !== undefined && !retired.has(head.keyId) && isSealedBy(key.publicKey, head)
    },
    list: () => [...trusted.values()],
  }
}
