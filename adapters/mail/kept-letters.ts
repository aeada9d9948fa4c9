import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { InboxMessage, KeptLetters } from './dev-inbox.ts'

const LETTERS_MAX = 50
const TEXT_BYTES_MAX = 256 * 1024

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const FILE_MODE = 0o600

/**
 * Keeps the newest letters in one file, sealed under a key of this installation, because they name people and open
 * accounts. `secret` is any text that nobody outside knows; the same one reads the file again.
 */
export const keepLetters = (file: string, secret: string): KeptLetters => {
  const key = createHash('sha256').update(secret).digest()
  return {
    read() {
      try {
        const bytes = readFileSync(file)
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
        const plain = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]
        return JSON.parse(Buffer.concat(plain).toString('utf8')) as InboxMessage[]
      } catch {
        return []
      }
    },
    write(messages) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
      const text = JSON.stringify(newest(messages))
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      try {
        writeFileSync(`${file}.new`, sealed, { mode: FILE_MODE })
        renameSync(`${file}.new`, file)
      } catch {
        // They are still shown until this process ends.
      }
    },
  }
}

const newest = (messages: readonly InboxMessage[]): readonly InboxMessage[] => {
  let bytes = 0
  const kept: InboxMessage[] = []
  for (const message of messages.slice(0, LETTERS_MAX)) {
    bytes += Buffer.byteLength(message.text) + Buffer.byteLength(message.subject)
    if (bytes > TEXT_BYTES_MAX) break
    kept.push(message)
  }
  return kept
}
