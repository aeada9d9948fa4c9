import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { newKeyPair } from '../../crypto/ed25519.ts'
import { type Checkpoint, checkpointIn } from './checkpoint.ts'
import { isKeyName, type VerifierKey } from './note.ts'
import type { WitnessHeads } from './witness.ts'

/**
 * The folder of a witness holds its key, and the newest head that it has signed of each log. Whoever puts an older copy
 * of the folder in its place makes the witness sign what it must not; then it needs a new folder and a new key.
 */

export type WitnessKey = {
  readonly key: VerifierKey
  /** Base64. */
  readonly privateKey: string
}

const KEY_FILE = 'witness.json'
const keyShape = z.strictObject({ name: z.string().refine(isKeyName), publicKey: z.string(), privateKey: z.string() })

/**
 * The key of a folder; with a name it is made where there is none yet. Throws with words when the folder has no key, or
 * another name.
 */
export const witnessKeyIn = (dir: string, name: string | undefined): WitnessKey => {
  const file = join(dir, KEY_FILE)
  if (!existsSync(file)) {
    if (name === undefined)
      throw new Error(`${dir} holds no key of a witness yet: daybook witness key --name … makes one`)
    if (!isKeyName(name)) throw new Error('the name of a witness has no spaces and no plus signs')
    mkdirSync(join(dir, HEADS), { recursive: true, mode: 0o700 })
    writeDurably(file, `${JSON.stringify({ name, ...newKeyPair() })}\n`)
  }
  const { data } = keyShape.safeParse(jsonIn(file))
  if (!data) throw new Error(`${file} is not the key of a witness`)
  if (name !== undefined && name !== data.name) throw new Error(`the witness in ${dir} has another name: ${data.name}`)
  const { privateKey, ...key } = data
  return { key: { ...key, kind: 'cosigner' }, privateKey }
}

const HEADS = 'heads'
const headShape = z.strictObject({
  origin: z.string(),
  size: z.int().nonnegative(),
  root: z.string(),
  note: z.string(),
})

/**
 * The heads in the folder of a witness. A file that cannot be read is an error: it must never count as a log without a
 * head.
 */
export const witnessHeadsIn = (dir: string): WitnessHeads => {
  const folder = join(dir, HEADS)
  if (!existsSync(folder))
    throw new Error(`${folder} is missing: without it this witness would sign what it has signed otherwise`)
  const known = new Map<string, Checkpoint>()
  // An origin may be any text, and the name of a file may not.
  const fileOf = (origin: string) => join(folder, `${createHash('sha256').update(origin).digest('hex')}.json`)
  return {
    read(origin) {
      const file = fileOf(origin)
      const head = known.get(origin) ?? (existsSync(file) ? headIn(file, origin) : undefined)
      if (head) known.set(origin, head)
      return head
    },
    async keep({ origin, size, root }, note) {
      writeDurably(fileOf(origin), `${JSON.stringify({ origin, size, root, note })}\n`)
      known.set(origin, { origin, size, root })
    },
  }
}

const headIn = (file: string, origin: string): Checkpoint => {
  const { data } = headShape.safeParse(jsonIn(file))
  const signed = data && checkpointIn(data.note)
  if (!data || data.origin !== origin || signed?.size !== data.size || signed.root !== data.root)
    throw new Error(`${file} is not the newest head of ${origin}`)
  return { origin, size: data.size, root: data.root }
}

const jsonIn = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Writes a file so that it holds all of the text or what it held before, also when the power fails. */
const writeDurably = (file: string, text: string): void => {
  const part = `${file}.new`
  const written = openSync(part, 'w', 0o600)
  try {
    writeSync(written, text)
    fsyncSync(written)
  } finally {
    closeSync(written)
  }
  chmodSync(part, 0o600)
  renameSync(part, file)
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
