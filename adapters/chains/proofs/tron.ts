/** Signatures of Tron addresses: TIP-191. */

import { verifyMessage } from 'tronweb/utils'
import type { SignedAddress } from '../../../domain/account/address-proof.ts'

/** tronweb recovers the address, and takes no signature that was made from another one. */
export const isSignedOnTron = ({ address, text, signature }: SignedAddress): boolean => {
  if (typeof signature !== 'string' || !/^0x[0-9a-fA-F]{130}$/.test(signature)) return false
  try {
    return verifyMessage(text, signature) === address
  } catch {
    return false
  }
}
