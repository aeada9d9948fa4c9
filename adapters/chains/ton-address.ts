/** The two ways to write a TON address (TEP-2): raw, and friendly with flags and a checksum. */

import { base64url } from '@scure/base'

/** First byte of a friendly address: bounceable or not, and a flag for what is meant for test networks only. */
const BOUNCEABLE = 0x11
const NON_BOUNCEABLE = 0x51
const TEST_ONLY = 0x80
/** Basechain and masterchain. */
const WORKCHAINS = [0, -1]

/**
 * One form for every way to write an address: friendly, not bounceable, in the URL alphabet (`UQ…`), which wallets take
 * as it is. Undefined for what is no address, and for an address for test networks where the chain is not a test
 * network.
 */
export const canonicalTon = (address: string, { test } = { test: false }): string | undefined => {
  const place = rawPlace(address) ?? friendlyPlace(address, test)
  if (!place || !WORKCHAINS.includes(place.workchain) || place.hash.every((byte) => byte === 0)) return undefined
  const body = Uint8Array.of(NON_BOUNCEABLE, place.workchain & 0xff, ...place.hash)
  return base64url.encode(Uint8Array.of(...body, ...checksum(body)))
}

type Place = { workchain: number; hash: Uint8Array }

const rawPlace = (address: string): Place | undefined => {
  const [, workchain, hash] = /^(0|-1):([0-9a-fA-F]{64})$/.exec(address) ?? []
  return hash ? { workchain: Number(workchain), hash: Buffer.from(hash, 'hex') } : undefined
}

const friendlyPlace = (address: string, isTest: boolean): Place | undefined => {
  // Either alphabet, never a mixture: 48 characters are 36 bytes without padding.
  if (!/^(?:[A-Za-z0-9_-]{48}|[A-Za-z0-9+/]{48})$/.test(address)) return undefined
  const bytes = base64url.decode(address.replaceAll('+', '-').replaceAll('/', '_'))
  const [flags = 0, workchain = 0] = bytes
  const [high, low] = checksum(bytes.subarray(0, 34))
  const kind = isTest ? flags & ~TEST_ONLY : flags
  if (bytes[34] !== high || bytes[35] !== low || (kind !== BOUNCEABLE && kind !== NON_BOUNCEABLE)) return undefined
  return { workchain: (workchain << 24) >> 24, hash: bytes.subarray(2, 34) }
}

/** CRC-16/XMODEM, the high byte first. */
const checksum = (bytes: Uint8Array): [number, number] => {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return [crc >> 8, crc & 0xff]
}
