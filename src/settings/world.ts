import { createHmac, hash as digestOf, randomFillSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../../domain/kernel/ports.ts'

/** The real world: this machine's clock and randomness. */
export const world: World = {
  now: () => new Date(),
  id: (prefix) => `${prefix}_${base32(chance(17)).slice(0, 26)}`,
  idFrom: (prefix, ...parts) => `${prefix}_${base32(hash(parts)).slice(0, 26)}`,
  uuidFrom: (...parts) => uuid(digestOf('sha256', unlike(parts))),
  // 52 bits, so that the number is exact in JSON; the top bit is set, so that all have the same length.
  numberFrom: (...parts) => Number((hash(parts).readBigUInt64BE() >> 12n) | (1n << 51n)),
  secret: (bytes) => chance(bytes).toString('hex'),
  digest: (secret) => digestOf('sha256', secret),
  mac: (key, message) => createHmac('sha256', Buffer.from(key, 'hex')).update(message).digest('hex'),
  pause: (ms) => pause(ms, undefined, { ref: false }),
}

const hash = (parts: readonly string[]): Buffer => digestOf('sha256', unlike(parts), 'buffer')

/** Parts are told apart by their length, so that ('ab','c') and ('a','bc') differ. */
const unlike = (parts: readonly string[]): string => parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('')

const POOL_BYTES = 8_192
let pool = Buffer.alloc(0)

/** Random bytes, each handed out once; the system is asked for many at a time, because every request needs a few. */
const chance = (bytes: number): Buffer => {
  if (bytes > POOL_BYTES) throw new RangeError(`at most ${POOL_BYTES} random bytes at once`)
  if (pool.length < bytes) pool = randomFillSync(Buffer.allocUnsafeSlow(POOL_BYTES))
  const taken = pool.subarray(0, bytes)
  pool = pool.subarray(bytes)
  return taken
}

/** RFC 4648 base32 in lower case, without padding; what is left of the last five bits is dropped. */
const base32 = (bytes: Buffer): string => {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(held >>> (bits - 5)) & 31]
    held &= (1 << bits) - 1
  }
  return text
}
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * RFC 9562 version 8: a UUID of one's own making. `hex` has at least 32 digits, of which six bits give way to version
 * and variant.
 */
const uuid = (hex: string): string => {
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
const VARIANTS = '89ab'
