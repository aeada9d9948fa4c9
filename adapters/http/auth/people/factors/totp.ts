import { createHmac } from 'node:crypto'

/**
 * One-time codes by the clock (RFC 6238): SHA-1, six digits, a new one every 30 seconds, as every authenticator app has
 * them.
 */

const STEP_S = 30
const DIGITS = 6
/** Clocks may be one step apart. */
const DRIFT_STEPS = 1

export const totpCode = (secret: Buffer, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The time step that a code belongs to, at most one step from now; undefined when it belongs to none. */
export const totpStep = (secret: Buffer, code: string, now: Date): number | undefined => {
  const present = Math.floor(now.getTime() / 1_000 / STEP_S)
  const steps = Array.from({ length: 2 * DRIFT_STEPS + 1 }, (_, i) => present - DRIFT_STEPS + i)
  return steps.find((step) => totpCode(secret, step) === code)
}

/** What a QR code tells an authenticator app. */
export const totpUri = (secret: Buffer, account: string): string => {
  const label = `Daybook:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${totpText(secret)}&issuer=Daybook&algorithm=SHA1&digits=${DIGITS}&period=${STEP_S}`
}

/** The secret as people type it: base32 in upper case. */
export const totpText = (secret: Buffer): string => {
  let bits = ''
  for (const byte of secret) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('')
}
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
