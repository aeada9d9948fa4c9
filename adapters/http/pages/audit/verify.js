/*
 * Checks a sealed log with nothing but WebCrypto: that an event stands in the log (RFC 6962 inclusion), that a later
 * log only grew out of an earlier one (RFC 6962 consistency), and that a head was signed with a key (Ed25519). It
 * trusts nothing that it is given: what does not have the exact form it should have is refused as much as what does not
 * fit. It runs in browsers and in Node.
 */

/** Why something was not accepted, in words for the auditor. */
export class NotProved extends Error {
  name = 'NotProved'
}

/** The browser cannot check what was signed with Ed25519. */
export class NoEd25519 extends Error {
  name = 'NoEd25519'
}

const HASH_BYTES = 32
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** Hashes of a path: more than any path through a tree of 2^53 leaves has. */
const PATH_MAX = 110
const LEAF = 0
const NODE = 1

/** SHA-256(0x00 ‖ line): the hash of one event, from its line as text. */
export const leafHash = (line) => sha256(LEAF, new TextEncoder().encode(line))

const nodeHash = (left, right) => sha256(NODE, left, right)

/** The root that a leaf and its path lead to, in a tree of so many leaves (RFC 9162, 2.1.3.2). */
export const rootOf = async (leaf, index, size, path) => {
  if (!isSize(size) || !isCount(index) || index >= size)
    throw new NotProved('The event does not stand within the head.')
  let [fn, sn, root] = [index, size - 1, leaf]
  for (const text of hashesOf(path)) {
    if (sn === 0) throw new NotProved('The path is too long for the size of the log.')
    if (fn % 2 === 1 || fn === sn) {
      root = await nodeHash(text, root)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else root = await nodeHash(root, text)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  if (sn !== 0) throw new NotProved('The path is too short for the size of the log.')
  return root
}

/** Throws unless the event of this line stands at this place under the head. */
export const checkInclusion = async (line, index, head, path) => {
  const root = await rootOf(await leafHash(line), index, head.size, path)
  if (!same(root, hashOf(head.root))) throw new NotProved('The event is not the one that the head was made over.')
}

/** Throws unless the log of the newer head begins with the whole log of the older one (RFC 9162, 2.1.4.2). */
export const checkConsistency = async (older, newer, path) => {
  if (older.log !== newer.log) throw new NotProved('The two heads are of different logs.')
  if (!isSize(older.size) || !isSize(newer.size) || older.size > newer.size)
    throw new NotProved(`The log has ${newer.size} events and had ${older.size} before.`)
  const [first, second, hashes] = [hashOf(older.root), hashOf(newer.root), hashesOf(path)]
  if (older.size === newer.size) {
    if (hashes.length > 0 || !same(first, second)) throw forked(older, newer)
    return
  }
  if (isPowerOfTwo(older.size)) hashes.unshift(first)
  if (hashes.length === 0) throw forked(older, newer)
  let [fn, sn] = [older.size - 1, newer.size - 1]
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)]
  let [fr, sr] = [hashes[0], hashes[0]]
  for (const hash of hashes.slice(1)) {
    if (sn === 0) throw forked(older, newer)
    if (fn % 2 === 1 || fn === sn) {
      fr = await nodeHash(hash, fr)
      sr = await nodeHash(hash, sr)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else sr = await nodeHash(sr, hash)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  if (sn !== 0 || !same(fr, first) || !same(sr, second)) throw forked(older, newer)
}

const forked = (older, newer) =>
  new NotProved(
    `The log of ${newer.size} events does not begin with the one of ${older.size} events: history was rewritten.`,
  )

/** The text that is signed: seven lines, each of a form that holds no line break. */
export const signedText = ({ log, size, order, root, chain, sealedAt }) => {
  const isGood =
    isText(log, /^[\w-]{1,64}$/) &&
    isSize(size) &&
    isText(order, /^\d{1,19}$/) &&
    isText(sealedAt, /^\d{4}-\d\d-\d\dT[\d:.]{8,15}Z$/)
  if (!isGood) throw new NotProved('The head does not have the form of a head.')
  hashOf(root)
  hashOf(chain)
  return `daybook-seal/1\n${log}\n${size}\n${order}\n${root}\n${chain}\n${sealedAt}\n`
}

/** Throws unless the head was signed with this public key (base64 of 32 bytes). */
export const checkHead = async (head, publicKey) => checkSigned(signedText(head), publicKey, head.signature)

/** Throws unless the key before it signed that this one takes its place. */
export const checkEndorsed = async ({ publicKey, endorsement }, before) =>
  checkSigned(`daybook-seal-key/1\n${textOfKey(publicKey)}\n`, before, endorsement)

const textOfKey = (publicKey) => {
  bytesOf(publicKey, KEY_BYTES)
  return publicKey
}

/**
 * Throws unless this is an Ed25519 signature (RFC 8032) in canonical form, by a key of the whole group: browsers differ
 * in what they accept beyond that.
 */
const checkSigned = async (text, publicKey, signature) => {
  const [key, bytes] = [bytesOf(publicKey, KEY_BYTES), bytesOf(signature, SIGNATURE_BYTES)]
  if (isWeakPoint(key) || isWeakPoint(bytes.subarray(0, KEY_BYTES)))
    throw new NotProved('The key or the signature is one that fits any text.')
  if (numberOf(bytes.subarray(KEY_BYTES)) >= GROUP_ORDER)
    throw new NotProved('The signature is not in its one true form.')
  let isSigned
  try {
    const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
    isSigned = await crypto.subtle.verify('Ed25519', imported, bytes, new TextEncoder().encode(text))
  } catch (error) {
    if (error.name === 'NotSupportedError') throw new NoEd25519()
    // The key is no point of the curve.
    isSigned = false
  }
  if (!isSigned) throw new NotProved('The signature is not by this key.')
}

/** The fingerprint by which a person compares a key: the first 16 bytes of its SHA-256, in groups of four digits. */
export const fingerprint = async (publicKey) => {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(publicKey, KEY_BYTES)))
  const hex = [...hash.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.match(/.{4}/g).join(' ')
}

/**
 * The order of the group, below which the second half of a signature has to be (RFC 8032, 5.1.7), and the prime of the
 * field.
 */
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const FIELD = 2n ** 255n - 19n

/**
 * The y coordinates of the eight points of small order; a key that is one of them accepts signatures that nobody made.
 */
const WEAK = new Set([
  0n,
  1n,
  FIELD - 1n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd83d3d706a17c7n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
])

/** Whether a point is of small order, or is not written in canonical form. */
const isWeakPoint = (point) => {
  const y = numberOf(point) & (2n ** 255n - 1n)
  return y >= FIELD || WEAK.has(y)
}

/** The number that bytes write, the lowest first. */
const numberOf = (bytes) => bytes.reduceRight((sum, byte) => (sum << 8n) + BigInt(byte), 0n)

const sha256 = async (prefix, ...parts) => {
  const bytes = new Uint8Array(1 + parts.reduce((sum, { length }) => sum + length, 0))
  bytes[0] = prefix
  let at = 1
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

const hashesOf = (path) => {
  if (!Array.isArray(path) || path.length > PATH_MAX) throw new NotProved('The path does not have the form of a path.')
  return path.map(hashOf)
}

const hashOf = (text) => bytesOf(text, HASH_BYTES)

/** The bytes of a text in canonical base64, exactly `length` of them. */
const bytesOf = (text, length) => {
  let binary
  try {
    binary = typeof text === 'string' ? atob(text) : ''
  } catch {
    binary = ''
  }
  if (binary.length !== length || btoa(binary) !== text)
    throw new NotProved(`What should be ${length} bytes in base64 is not.`)
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

const isText = (value, form) => typeof value === 'string' && form.test(value)
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
const isSize = (value) => isCount(value) && value > 0
const isPowerOfTwo = (size) => {
  let left = size
  while (left % 2 === 0) left /= 2
  return left === 1
}
/** Half of a size, rounded down: sizes may be above 2^31, where bit shifts give wrong results. */
const half = (value) => Math.floor(value / 2)
const same = (one, other) => one.length === other.length && one.every((byte, n) => byte === other[n])
