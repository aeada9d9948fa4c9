/** Signatures of EVM addresses: EIP-191 by a key, EIP-1271 by a contract. */

import { type Hex, hashMessage, isHex, parseSignature, size, verifyMessage } from 'viem'
import type { SignedAddress } from '../../../domain/account/address-proof.ts'
import type { Chain } from '../../../domain/kernel/ports.ts'

/** Bytes of a signature that a contract is asked about. */
const SIGNATURE_MAX_BYTES = 4_096
/**
 * Half of the order of secp256k1: anybody can make a second signature from one, so the larger of the two is refused.
 */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** `says` asks a contract whether it agrees with a signature. */
export const isSignedOnEvm = async (
  { address, text, signature }: SignedAddress,
  says: Chain['isSignedByContract'],
): Promise<boolean> => {
  if (!isHex(signature, { strict: true }) || size(signature) > SIGNATURE_MAX_BYTES) return false
  if (await isByKey(address as Hex, text, signature)) return true
  return (await says?.(address, hashMessage(text), signature)) ?? false
}

const isByKey = async (address: Hex, message: string, signature: Hex): Promise<boolean> => {
  if (size(signature) !== 65) return false
  try {
    if (BigInt(parseSignature(signature).s) > HALF_ORDER) return false
    return await verifyMessage({ address, message, signature })
  } catch {
    return false
  }
}
