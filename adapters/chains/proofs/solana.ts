/** Signatures of Solana addresses: Ed25519 over the text's bytes. */

import { base58, base64 } from '@scure/base'
import nacl from 'tweetnacl'
import type { SignedAddress } from '../../../domain/account/address-proof.ts'

/**
 * The order of the curve's base point: a signature whose second half is not below it was made from another by somebody
 * without the key.
 */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

export const isSignedOnSolana = ({ address, text, signature }: SignedAddress): boolean => {
  if (typeof signature !== 'string') return false
  const bytes = bytesOf(signature)
  return bytes !== undefined && isEd25519(Buffer.from(text), bytes, base58.decode(address))
}

/** RFC 8032 as it is, without the freedom that tweetnacl leaves. */
export const isEd25519 = (message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean => {
  if (signature.length !== 64 || key.length !== 32) return false
  const second = BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString('hex')}`)
  return second < ORDER && nacl.sign.detached.verify(message, signature, key)
}

/** 64 bytes are 86 to 88 characters of base58, and 88 of base64. */
const bytesOf = (text: string): Uint8Array | undefined => {
  if (text.length > 90) return undefined
  for (const decode of [base58.decode, base64.decode]) {
    try {
      const bytes = decode(text)
      if (bytes.length === 64) return bytes
    } catch {}
  }
  return undefined
}
