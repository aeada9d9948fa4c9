/**
 * Decides which addresses a seller may be paid at. A wrong yes loses money for good, so whatever is not surely payable
 * is refused.
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import type { Addresses } from '../../domain/account/addresses.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { type AddressFamily, type NetworkChain, networkOf } from '../../domain/kernel/networks.ts'
import { eip55 } from '../crypto/eip55.ts'
import { canonicalBitcoin } from './bitcoin-address.ts'
import { canonicalTon } from './ton-address.ts'
import { unpayableOn } from './unpayable.ts'

/** Characters; no supported form is longer (BIP-173 ends at 90), and longer input is refused before any decoding. */
export const ADDRESS_MAX_LENGTH = 90

/**
 * The canonical form of a receive address or a token's contract, undefined when it is not valid on its network, or when
 * the asset or network is unknown (J-WAL-05, J-WAL-06). Nothing is trimmed. EVM: EIP-55; Bitcoin and Litecoin: P2PKH,
 * P2SH, P2WPKH, P2WSH, P2TR (BIP-173, BIP-350), bech32 in lower case; Solana: 32 bytes of base58; Tron: base58check
 * with the prefix 0x41; TON: `UQ…`, whichever form was given. `chosen` is the chain of each network whose rules apply;
 * its main one unless given.
 */
export const createAddresses = (chosen: ReadonlyMap<string, NetworkChain> = new Map()): Addresses => {
  const canonicalOn: Addresses['canonicalOn'] = (name, address) => {
    const network = networkOf(name)
    if (!network || address.length === 0 || address.length > ADDRESS_MAX_LENGTH) return undefined
    return canonicalIn[network.family](address, chosen.get(name) ?? network.chains[0])
  }
  return {
    canonicalOn,
    canonical: (asset, address) => canonicalOn(assetOf(asset)?.network ?? '', address),
    unpayable(name, address) {
      const chain = chosen.get(name) ?? networkOf(name)?.chains[0]
      return chain && unpayableOn(name, address, chain)
    },
  }
}

/** The address rules of the main chains. */
export const addresses = createAddresses()

type Canonical = (address: string, chain: NetworkChain) => string | undefined

/** Nobody's: it stands for no address at all. */
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const canonicalIn: Readonly<Record<AddressFamily, Canonical>> = {
  evm: canonicalEvm,
  bitcoin: canonicalBitcoin,
  solana: canonicalSolana,
  tron: canonicalTron,
  ton: canonicalTon,
}

/**
 * EIP-55: one letter case throughout carries no checksum and is taken as it is; mixed case must carry the right one.
 */
function canonicalEvm(address: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return undefined
  const digits = address.slice(2)
  const checksummed = eip55(address)
  if (checksummed === ZERO_ADDRESS) return undefined
  const hasOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return hasOneCase || address === checksummed ? checksummed : undefined
}

/**
 * An address off the curve is allowed: wallets of several signers are program-derived and have no private key. A bech32
 * address of another chain may happen to be 32 bytes of base58 as well; its checksum tells.
 */
function canonicalSolana(address: string): string | undefined {
  if (bech32.decodeUnsafe(address) || bech32m.decodeUnsafe(address)) return undefined
  return attempt(() => base58.decode(address))?.length === 32 ? address : undefined
}

const TRON_PREFIX = 0x41
const tronBase58 = createBase58check(sha256)

function canonicalTron(address: string): string | undefined {
  const bytes = attempt(() => tronBase58.decode(address))
  if (bytes?.length !== 21 || bytes[0] !== TRON_PREFIX) return undefined
  return bytes.subarray(1).some((byte) => byte !== 0) ? address : undefined
}

/** The decoders say no by throwing. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
