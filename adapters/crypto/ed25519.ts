import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/**
 * Ed25519 (RFC 8032) as seals use it, by node:crypto. A signature counts only in its one canonical form, and only by a
 * key of the whole group. Keys and signatures are base64.
 */
export type KeyPair = { readonly publicKey: string; readonly privateKey: string }

/** A key pair from fresh randomness; the private key is the seed of 32 bytes. */
export const newKeyPair = (): KeyPair => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { publicKey: base64(Buffer.from(x, 'base64url')), privateKey: base64(Buffer.from(d, 'base64url')) }
}

export const signText = (privateKey: string, text: string): string =>
  base64(sign(null, Buffer.from(text), signerOf(privateKey)))

/** Whether the text is signed by the key. Never throws, whatever the signature is. */
export const isSigned = (publicKey: string, text: string, signature: string): boolean => {
  const bytes = bytesOf(signature, SIGNATURE_BYTES)
  if (!bytes || !isPublicKey(publicKey) || littleEndian(bytes.subarray(KEY_BYTES)) >= GROUP_ORDER) return false
  try {
    return verify(null, Buffer.from(text), verifierOf(publicKey), bytes)
  } catch {
    return false
  }
}

/** Whether a text is a key that can be trusted at all: anybody can sign for a key of small order. */
export const isPublicKey = (publicKey: string): boolean => {
  const bytes = bytesOf(publicKey, KEY_BYTES)
  return bytes !== undefined && !isSmallOrder(bytes)
}

/** A short name for a public key: the first 16 hex digits of its SHA-256. */
export const keyIdOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, 16)

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** L: with S + L for S the same signature would count in a second form (RFC 8032 §5.1.7). */
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const FIELD_PRIME = 2n ** 255n - 19n
/** The y of the points of order 8 is this or its negative; those of order 1, 2 and 4 have 1, -1 and 0. */
const ORDER_EIGHT = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n

const isSmallOrder = (key: Uint8Array): boolean => {
  const y = (littleEndian(key) & (2n ** 255n - 1n)) % FIELD_PRIME
  return [0n, 1n, FIELD_PRIME - 1n, ORDER_EIGHT, FIELD_PRIME - ORDER_EIGHT].includes(y)
}

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Undefined unless the text is the canonical base64 of `length` bytes. */
const bytesOf = (text: string, length: number): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined
}

/** Keys that were used last, ready for use: making one costs as much as a signature, or as a check. */
const readyKeys = (make: (text: string) => KeyObject): ((text: string) => KeyObject) => {
  const ready = new Map<string, KeyObject>()
  return (text) => {
    const known = ready.get(text)
    if (known) return known
    const key = make(text)
    if (ready.size >= READY_MAX) ready.clear()
    ready.set(text, key)
    return key
  }
}
const READY_MAX = 16

/** What stands before the seed in the PKCS #8 form of a private key (RFC 8410 §7). */
const SEED_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const signerOf = readyKeys((privateKey) => {
  const key = Buffer.concat([SEED_PREFIX, Buffer.from(privateKey, 'base64')])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
})

const verifierOf = readyKeys((publicKey) => {
  const x = Buffer.from(publicKey, 'base64').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
})
