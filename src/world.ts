import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../domain/ports.ts'

/** The real world: this machine's clock and randomness. */
export const world: World = {
  now: () => new Date(),
  id: (prefix) => `${prefix}_${base32(randomBytes(17)).slice(0, 26)}`,
  idFrom: (prefix, ...parts) => `${prefix}_${base32(hash(parts)).slice(0, 26)}`,
  uuidFrom: (...parts) => uuid(hash(parts)),
  // 52 bits, so that the number is exact in JSON; the top bit is set, so that all have the same length.
  numberFrom: (...parts) => Number((hash(parts).readBigUInt64BE() >> 12n) | (1n << 51n)),
  secret: (bytes) => randomBytes(bytes).toString('hex'),
  digest: (secret) => createHash('sha256').update(secret).digest('hex'),
  pause: (ms) => pause(ms, undefined, { ref: false }),
}

/** Parts are told apart by their length, so that ('ab','c') and ('a','bc') differ. */
const hash = (parts: readonly string[]): Buffer => {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(`${Buffer.byteLength(part)}:`).update(part)
  return sum.digest()
}

/** RFC 4648 base32 in lower case, without padding. */
const base32 = (bytes: Buffer): string => {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  const length = Math.floor((bytes.length * 8) / 5)
  bits >>= BigInt(bytes.length * 8 - length * 5)
  return bits
    .toString(32)
    .padStart(length, '0')
    .replace(/./g, (digit) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(digit, 32)] ?? '')
}

/** RFC 9562 version 8: a UUID of one's own making. */
const uuid = (bytes: Buffer): string => {
  const b = Buffer.from(bytes.subarray(0, 16))
  b.writeUInt8((b.readUInt8(6) & 0x0f) | 0x80, 6)
  b.writeUInt8((b.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = b.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
