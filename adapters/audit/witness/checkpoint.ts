import { isSigned, signText } from '../../crypto/ed25519.ts'
import { fromBase64 } from '../hash.ts'
import { type Note, noteIn, signatureLine, signaturesBy, type VerifierKey } from './note.ts'

/**
 * Checkpoints (c2sp.org/tlog-checkpoint) are heads of a log as signed notes. A witness vouches for one by a cosignature
 * (c2sp.org/tlog-cosignature): a signature of the text and of the time at which this was the largest head that the
 * witness had seen.
 */
export type Checkpoint = {
  /** Name of the log, such as `shop.example/daybook/<id>`, without a scheme. */
  readonly origin: string
  /** Events covered. */
  readonly size: number
  /** Root of the Merkle tree over them (RFC 6962), base64. */
  readonly root: string
}

/** A checkpoint with the note that it stands in. */
export type CheckpointNote = Checkpoint & { readonly note: Note }

export const checkpointText = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${root}\n`

/**
 * Undefined unless the text is a note of a checkpoint. Further lines of it are signed as well, and mean nothing here.
 */
export const checkpointIn = (text: string): CheckpointNote | undefined => {
  const note = noteIn(text)
  if (!note) return undefined
  const [origin = '', size = '', root = '', ...more] = note.text.slice(0, -1).split('\n')
  const extensions = more.every((line) => line !== '')
  if (origin === '' || fromBase64(root) === undefined || !extensions) return undefined
  const events = sizeIn(size)
  return events === undefined ? undefined : { origin, size: events, root, note }
}

/** Reads a decimal without leading zeros that JavaScript can hold exactly. */
export const sizeIn = (text: string): number | undefined =>
  /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/** @param time Unix seconds */
export const cosignatureText = (text: string, time: number): string => `cosignature/v1\ntime ${time}\n${text}`

/**
 * The line by which a witness vouches for the text of a checkpoint.
 * @param privateKey base64, of the public key in `key`
 * @param time Unix seconds
 */
export const cosignatureLine = (key: VerifierKey, privateKey: string, text: string, time: number): string => {
  const bytes = Buffer.alloc(TIME_BYTES)
  bytes.writeBigUInt64BE(BigInt(time))
  const signature = Buffer.from(signText(privateKey, cosignatureText(text, time)), 'base64')
  return signatureLine(key, Buffer.concat([bytes, signature]))
}

/**
 * Time at which a witness says that it saw a checkpoint, in Unix seconds: that of its newest cosignature. Undefined
 * when there is none, or when one in its name is not valid.
 */
export const cosignedAt = (note: Note, witness: VerifierKey): number | undefined => {
  if (witness.kind !== 'cosigner') return undefined
  const times = signaturesBy(note, witness).map(({ bytes }) => {
    const time = bytes.length > TIME_BYTES ? bytes.readBigUInt64BE() : TIME_MAX
    const signature = bytes.subarray(TIME_BYTES).toString('base64')
    const holds = time < TIME_MAX && isSigned(witness.publicKey, cosignatureText(note.text, Number(time)), signature)
    return holds ? Number(time) : undefined
  })
  return times.every((time) => time !== undefined) && times.length > 0 ? Math.max(...times) : undefined
}

const TIME_BYTES = 8
/** Times below this are exact as a number. */
const TIME_MAX = 2n ** 53n
