/** Addresses of Bitcoin and of chains that are made like it. */

import type { Network } from 'bitcoinjs-lib'
import type { NetworkChain } from '../../domain/kernel/networks.ts'
import { bitcoinCurve, bitcoinJs } from './bitcoin-library.ts'

/** The address rules of a chain, found by its CAIP-2 id; undefined for a chain that is not made like Bitcoin. */
export const addressRulesOf = ({ caip2 }: NetworkChain): Network | undefined => {
  rules ??= makeRules()
  return rules[caip2]
}

/** The canonical form; undefined for what is not surely payable there. */
export const canonicalBitcoin = (address: string, chain: NetworkChain): string | undefined => {
  const network = addressRulesOf(chain)
  return network && (canonicalSegwit(address, network) ?? canonicalBase58(address, network))
}

/**
 * The address that an output's script pays, in canonical form: P2PKH, P2SH, P2WPKH, P2WSH or P2TR. Undefined for any
 * other script, whoever it may belong to. The forms are told by length and frame; bitcoinjs tries each with an
 * exception, at nine times the cost per block.
 */
export const addressOfScript = (script: Uint8Array, network: Network): string | undefined => {
  const [first, second, third] = script
  switch (script.length) {
    case 22:
      return first === 0x00 && second === 20
        ? bitcoinJs().address.toBech32(script.subarray(2), 0, network.bech32)
        : undefined
    case 23:
      if (first !== 0xa9 || second !== 20 || script[22] !== 0x87) return undefined
      return bitcoinJs().address.toBase58Check(script.subarray(2, 22), network.scriptHash)
    case 25:
      if (first !== 0x76 || second !== 0xa9 || third !== 20 || script[23] !== 0x88 || script[24] !== 0xac)
        return undefined
      return bitcoinJs().address.toBase58Check(script.subarray(3, 23), network.pubKeyHash)
    case 34:
      if ((first !== 0x00 && first !== 0x51) || second !== 32) return undefined
      return bitcoinJs().address.toBech32(script.subarray(2), first === 0x00 ? 0 : 1, network.bech32)
    default:
      return undefined
  }
}

/** The script that pays an address in canonical form. */
export const scriptOfAddress = (address: string, network: Network): Uint8Array => {
  const segwit = attempt(() => bitcoinJs().address.fromBech32(address))
  if (segwit) return Uint8Array.of(segwit.version === 0 ? 0x00 : 0x51, segwit.data.length, ...segwit.data)
  const { version, hash } = bitcoinJs().address.fromBase58Check(address)
  return version === network.scriptHash
    ? Uint8Array.of(0xa9, 20, ...hash, 0x87)
    : Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac)
}

/** The addresses that one key is paid at: P2PKH, and for a compressed key P2WPKH and the same wrapped in P2SH. */
export const addressesOfKey = (key: Uint8Array, network: Network): readonly string[] => {
  const hash = bitcoinJs().crypto.hash160(key)
  const plain = bitcoinJs().address.toBase58Check(hash, network.pubKeyHash)
  if (key.length !== 33) return [plain]
  const wrapped = bitcoinJs().address.toBase58Check(
    bitcoinJs().crypto.hash160(Uint8Array.of(0x00, 20, ...hash)),
    network.scriptHash,
  )
  return [plain, bitcoinJs().address.toBech32(hash, 0, network.bech32), wrapped]
}

/** The part of an input that shows who spends; bitcoinjs-lib's own form has more. */
export type Spender = { readonly script: Uint8Array; readonly witness: readonly Uint8Array[] }

/**
 * The address whose key signed an input, where the input alone tells: P2WPKH, the same wrapped in P2SH, and P2PKH.
 * Undefined for other kinds, which need the transaction that is spent.
 */
export const addressOfSpender = ({ script, witness }: Spender, network: Network): string | undefined => {
  const [signature, key, ...more] = witness
  if (signature && key && more.length === 0 && isSignature(signature) && isKey(key)) {
    const hash = bitcoinJs().crypto.hash160(key)
    if (script.length === 0) return bitcoinJs().address.toBech32(hash, 0, network.bech32)
    const wrapped = Uint8Array.of(0x00, 20, ...hash)
    const isWrapped = script.length === 23 && Buffer.compare(script.subarray(1), wrapped) === 0
    return isWrapped
      ? bitcoinJs().address.toBase58Check(bitcoinJs().crypto.hash160(wrapped), network.scriptHash)
      : undefined
  }
  if (witness.length > 0) return undefined
  const pushed = script.subarray(1, 1 + (script[0] ?? 0))
  const last = script.subarray(1 + pushed.length)
  if (!isSignature(pushed) || last[0] !== last.length - 1 || !isKey(last.subarray(1))) return undefined
  return bitcoinJs().address.toBase58Check(bitcoinJs().crypto.hash160(last.subarray(1)), network.pubKeyHash)
}

/** DER with the byte of its hash type. */
const isSignature = (bytes: Uint8Array) => bytes[0] === 0x30 && bytes[1] === bytes.length - 3 && bytes.length <= 73

const isKey = (bytes: Uint8Array) =>
  (bytes.length === 33 && (bytes[0] === 2 || bytes[0] === 3)) || (bytes.length === 65 && bytes[0] === 4)

/**
 * Litecoin's older P2SH form, `3…`, is refused: it may as well have been meant for Bitcoin. The same script is `M…`.
 */
const makeRules = (): Readonly<Record<string, Network>> => {
  const { bitcoin: main, testnet, regtest } = bitcoinJs().networks
  const litecoin: Network = { ...main, bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32 }
  const litecoinTest: Network = { ...testnet, bech32: 'tltc', scriptHash: 0x3a }
  return {
    'bip122:000000000019d6689c085ae165831e93': main,
    'bip122:000000000933ea01ad0ee984209779ba': testnet,
    'bip122:00000000da84f2bafbbc53dee25a72ae': testnet,
    'bip122:00000008819873e925422c1ff0f99f7c': testnet,
    'bip122:0f9188f13cb7b2c71f2a335e3a4fc328': regtest,
    'bip122:12a765e31ffd4059bada1e25190f6e98': litecoin,
    'bip122:4966625a4b2851d9fdee139e56211a0d': litecoinTest,
    'bip122:530827f38f93b43ed12af0b3ad25a288': { ...litecoinTest, bech32: 'rltc' },
  }
}
let rules: Readonly<Record<string, Network>> | undefined

/**
 * Versions above 1 and lengths without a rule can be spent by anyone today, so they are refused although BIP-350 can
 * write them.
 */
const canonicalSegwit = (address: string, network: Network): string | undefined => {
  const decoded = attempt(() => bitcoinJs().address.fromBech32(address))
  if (decoded?.prefix !== network.bech32) return undefined
  const { version, data } = decoded
  const isV0 = version === 0 && (data.length === 20 || data.length === 32)
  const isTaproot = version === 1 && data.length === 32 && bitcoinCurve().isXOnlyPoint(data)
  return isV0 || isTaproot ? address.toLowerCase() : undefined
}

const canonicalBase58 = (address: string, { pubKeyHash, scriptHash }: Network): string | undefined => {
  const version = attempt(() => bitcoinJs().address.fromBase58Check(address))?.version
  return version === pubKeyHash || version === scriptHash ? address : undefined
}

/** The decoders say no by throwing. */
const attempt = <T>(decode: () => T): T | undefined => {
  try {
    return decode()
  } catch {
    return undefined
  }
}
