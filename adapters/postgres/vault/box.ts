import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
export const IV_BYTES = 12
export const TAG_BYTES = 16

/**
 * Encrypts into iv, ciphertext and tag, in that order. The subject is authenticated with them, so that a value cannot
 * pass for another subject's.
 */
export const encrypt = (key: KeyObject, subject: string, plain: Buffer): Buffer => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(subject))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Throws when the bytes were altered, or encrypted with another key or for another subject. */
export const decrypt = (key: KeyObject, subject: string, bytes: Buffer): Buffer => {
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(subject)).setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    throw new Error(`What was sealed for ${subject} was altered or belongs to another key`)
  }
}
