import { createRequire } from 'node:module'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { recentMap } from '../../domain/kernel/recent-map.ts'
import { eip55 } from '../crypto/eip55.ts'

/**
 * Signed transfers of a token (EIP-3009 over EIP-712): who signed one, and the call that carries it out. Own code
 * around a native curve, because a check that takes 2 ms, as a general library's does, would let anybody keep the
 * service busy (J-GAS-05 is public).
 */

/** The fields that a payer signs: addresses in EIP-55 form, integers as decimals, the nonce as lower-case hex. */
export type Eip3009Authorization = {
  readonly from: string
  readonly to: string
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: string
}

/** The token that a signature is bound to. */
export type TokenDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: string
}

/** Domain separators that are remembered; the tokens of the catalogue are a dozen. */
const DOMAINS_KEPT = 256
/** Order of secp256k1. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const library = createRequire(import.meta.url)
let curve: typeof import('secp256k1') | undefined

/** Loaded by the first signature that is checked, and at once: its callers decide in one go. */
const nativeCurve = () => {
  curve ??= library('secp256k1') as typeof import('secp256k1')
  return curve
}

/** EIP-55 address of the signer; undefined when the token's contract would not take the signature. */
export const recoverPayer = (
  authorization: Eip3009Authorization,
  domain: TokenDomain,
  signature: string,
): string | undefined => {
  const parts = signatureParts(signature)
  if (!parts) return undefined
  const { ecdsaRecover } = nativeCurve()
  try {
    const compact = fromHex(parts.r + parts.s)
    const key = ecdsaRecover(compact, parts.v - 27, authorizationDigest(authorization, domain), false)
    return eip55(`0x${toHex(keccak_256(key.subarray(1)).subarray(12))}`)
  } catch {
    // The curve refuses r or s out of range, or a point that is not there.
    return undefined
  }
}

/**
 * The one form of an EOA's signature that contracts take: 65 bytes with a low s and v of 27 or 28, as lower-case hex. A
 * high s and v of 0 or 1, which wallets and libraries make and verify but tokens revert on, are brought to it. Anything
 * else is undefined.
 */
export const canonicalSignature = (signature: string): string | undefined => {
  const parts = signatureParts(signature)
  return parts && `0x${parts.r}${parts.s}${parts.v.toString(16)}`
}

/** The EIP-712 hash that is signed. */
export const authorizationDigest = (authorization: Eip3009Authorization, domain: TokenDomain): Uint8Array => {
  const struct = fromHex(TRANSFER_TYPE_HASH + words(authorization))
  const bytes = new Uint8Array(66)
  bytes.set([0x19, 0x01])
  bytes.set(separatorOf(domain), 2)
  bytes.set(keccak_256(struct), 34)
  return keccak_256(bytes)
}

/**
 * Call data of `transferWithAuthorization(…, uint8 v, bytes32 r, bytes32 s)`, for a payer without code; undefined when
 * the signature is not that of an EOA.
 */
export const callWithParts = (authorization: Eip3009Authorization, signature: string): string | undefined => {
  const parts = signatureParts(signature)
  return parts && `0xe3ee160e${words(authorization)}${word(parts.v)}${parts.r}${parts.s}`
}

/**
 * Call data of `transferWithAuthorization(…, bytes signature)`, which lets a wallet that is a contract check its own
 * (EIP-1271).
 */
export const callWithBytes = (authorization: Eip3009Authorization, signature: string): string => {
  const bytes = signature.slice(2).toLowerCase()
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')
  return `0xcf092995${words(authorization)}${word(7 * 32)}${word(bytes.length / 2)}${padded}`
}

/**
 * keccak256 of `TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256
 * validBefore,bytes32 nonce)`.
 */
const TRANSFER_TYPE_HASH = '7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267'
/** keccak256 of `EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)`. */
const DOMAIN_TYPE_HASH = '8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f'

const separators = recentMap<Uint8Array>(DOMAINS_KEPT)

const separatorOf = ({ name, version, chainId, verifyingContract }: TokenDomain): Uint8Array => {
  const key = JSON.stringify([chainId, verifyingContract, name, version])
  const known = separators.get(key)
  if (known) return known
  const fields = textHash(name) + textHash(version) + word(chainId) + word(verifyingContract)
  const separator = keccak_256(fromHex(DOMAIN_TYPE_HASH + fields))
  separators.set(key, separator)
  return separator
}

/** The six fields as ABI words, in hex. */
const words = ({ from, to, value, validAfter, validBefore, nonce }: Eip3009Authorization): string =>
  word(from) + word(to) + word(value) + word(validAfter) + word(validBefore) + word(nonce)

/** A number, decimal or 0x-hex text of at most 256 bits as one ABI word. */
const word = (value: string | number): string => BigInt(value).toString(16).padStart(64, '0')

const textHash = (text: string): string => toHex(keccak_256(new TextEncoder().encode(text)))

/** The parts of a signature, r and s as hex without 0x; s is the low one of the two that are valid. */
const signatureParts = (signature: string): { r: string; s: string; v: 27 | 28 } | undefined => {
  const [, r, s, last] = /^0x([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{2})$/i.exec(signature.toLowerCase()) ?? []
  if (r === undefined || s === undefined || last === undefined) return undefined
  const tail = Number.parseInt(last, 16)
  const v = tail < 27 ? tail + 27 : tail
  if (v !== 27 && v !== 28) return undefined
  const number = BigInt(`0x${s}`)
  if (number <= N / 2n) return { r, s, v }
  if (number >= N) return undefined
  return { r, s: (N - number).toString(16).padStart(64, '0'), v: v === 27 ? 28 : 27 }
}

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
