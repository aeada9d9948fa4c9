import { createHash } from 'node:crypto'
import { isPublicKey, isSigned } from '../../crypto/ed25519.ts'

/**
 * Signed notes (C2SP, c2sp.org/signed-note): a text of whole lines, an empty line, and one line for each signature. A
 * verifier key (vkey) is the text `<name>+<key hash in hex>+<base64 of algorithm and public key>`.
 */

/**
 * `key`: Ed25519 over the text of a note. `cosigner`: the timestamped Ed25519 of a witness (c2sp.org/tlog-cosignature).
 */
type VerifierKind = keyof typeof ALGORITHMS

export type VerifierKey = {
  readonly name: string
  readonly kind: VerifierKind
  /** Ed25519, 32 bytes, base64. */
  readonly publicKey: string
}

export type NoteSignature = {
  readonly name: string
  /** 8 hex digits. */
  readonly keyHash: string
  /** The bytes after the key hash; an algorithm of another kind may have any length. */
  readonly bytes: Buffer
}

export type Note = {
  /** The text that is signed; it ends with a line feed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

const ALGORITHMS = { key: 0x01, cosigner: 0x04 } as const
const KEY_HASH_BYTES = 4
const PUBLIC_KEY_BYTES = 32
/** A verifier has to take 16 (c2sp.org/signed-note); there may be signatures of kinds that we do not know. */
const SIGNATURES_MAX = 64
const NAME_MAX = 256

/** A name stands between spaces and plus signs, so it has none itself. */
export const isKeyName = (name: string): boolean => name.length <= NAME_MAX && /^[^\s+\p{Cc}\p{Z}]+$/u.test(name)

const keyHashOf = ({ name, kind, publicKey }: VerifierKey): string =>
  createHash('sha256')
    .update(`${name}\n`)
    .update(keyMaterial(kind, publicKey))
    .digest('hex')
    .slice(0, 2 * KEY_HASH_BYTES)

export const vkeyOf = (key: VerifierKey): string =>
  `${key.name}+${keyHashOf(key)}+${keyMaterial(key.kind, key.publicKey).toString('base64')}`

/** Undefined unless the text is a verifier key of a kind that we know, whose key hash is its own. */
export const vkeyIn = (text: string): VerifierKey | undefined => {
  const [name = '', , ...rest] = text.split('+')
  // The base64 behind the second plus sign may have further ones.
  const bytes = bytesIn(rest.join('+'))
  const kind = (Object.keys(ALGORITHMS) as VerifierKind[]).find((each) => ALGORITHMS[each] === bytes?.[0])
  if (!bytes || !kind || bytes.length !== 1 + PUBLIC_KEY_BYTES || !isKeyName(name)) return undefined
  const key = { name, kind, publicKey: bytes.subarray(1).toString('base64') }
  return isPublicKey(key.publicKey) && vkeyOf(key) === text ? key : undefined
}

/** One signature line, with its line feed. */
export const signatureLine = (key: VerifierKey, bytes: Uint8Array): string =>
  `— ${key.name} ${Buffer.concat([Buffer.from(keyHashOf(key), 'hex'), bytes]).toString('base64')}\n`

/** @param lines signature lines, each with its line feed */
export const noteOf = (text: string, lines: readonly string[]): string => `${text}\n${lines.join('')}`

/** Undefined unless it is a note with at least one signature line; who signed is not checked yet. */
export const noteIn = (note: string): Note | undefined => {
  const at = note.lastIndexOf('\n\n')
  if (at < 0 || !note.endsWith('\n') || hasControls(note)) return undefined
  const signatures = signaturesIn(note.slice(at + 2))
  return signatures && signatures.length > 0 ? { text: note.slice(0, at + 1), signatures } : undefined
}

/** Undefined when a line is no signature line, or when there are too many. */
export const signaturesIn = (lines: string): readonly NoteSignature[] | undefined => {
  const each = lines.split('\n')
  if (each.pop() !== '' || each.length > SIGNATURES_MAX) return undefined
  const found = each.map(signatureIn)
  return found.every((signature) => signature !== undefined) ? found : undefined
}

/** The signatures that name a key. Others may share its name or its hash, and count for nothing. */
export const signaturesBy = (note: Pick<Note, 'signatures'>, key: VerifierKey): readonly NoteSignature[] => {
  const hash = keyHashOf(key)
  return note.signatures.filter(({ name, keyHash }) => name === key.name && keyHash === hash)
}

/** Whether a note is signed by a key of the kind `key`. One bad signature in its name spoils the others. */
export const isNoteSignedBy = (note: Note, key: VerifierKey): boolean => {
  const own = signaturesBy(note, key)
  return (
    key.kind === 'key' &&
    own.length > 0 &&
    own.every(({ bytes }) => isSigned(key.publicKey, note.text, bytes.toString('base64')))
  )
}

const keyMaterial = (kind: VerifierKind, publicKey: string): Buffer =>
  Buffer.concat([Buffer.of(ALGORITHMS[kind]), Buffer.from(publicKey, 'base64')])

const signatureIn = (line: string): NoteSignature | undefined => {
  const [, name = '', text = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? []
  const bytes = bytesIn(text)
  if (!isKeyName(name) || !bytes || bytes.length <= KEY_HASH_BYTES) return undefined
  const keyHash = bytes.subarray(0, KEY_HASH_BYTES).toString('hex')
  return { name, keyHash, bytes: bytes.subarray(KEY_HASH_BYTES) }
}

/** Undefined unless the text is canonical base64. */
const bytesIn = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Other control characters than the line feed have no place in a note. */
const hasControls = (note: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are looked for.
  /[\u0000-\u0009\u000b-\u001f]/.test(note)
