import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { WitnessedHead } from '../../adapters/audit/containment.ts'
import { isSealedBy, type SignedHead } from '../../adapters/audit/head.ts'
import { headShape } from '../../adapters/audit/proof.ts'

/**
 * The heads of the log that this installation has signed, kept beside the log in a journal that only grows: so that a
 * log that was cut short, put back, or sealed anew does not pass, neither with `audit verify` nor at a start. One head
 * is one line of JSON. A head that an earlier version wrote down has no edge and no number of seals.
 */
export type SealWitness = WitnessedHead & { readonly head: SignedHead }

/** The path of the journal under DATA_DIR. */
export const sealWitnessIn = (dataDir: string): string => join(dataDir, 'heads.jsonl')

/**
 * Appends a head to the journal and returns once it is on the disk. A line that a crash has left half written is closed
 * first and stays where it is. The file of an earlier version is taken over before.
 */
export const writeSealWitness = (file: string, witness: SealWitness): void => {
  takeOverSealWitness(file)
  append(file, witness)
}

/**
 * Earlier versions kept the newest head alone, in `seal-witness.json`. It becomes a line of the journal, and the file
 * goes away.
 */
export const takeOverSealWitness = (file: string): void => {
  const old = formerFile(file)
  const former = readFormer(file)
  if (!former) return
  if (former.head.size > (newestIn(file)?.head.size ?? 0)) append(file, former)
  rmSync(old)
}

/**
 * The newest head. Reads the end of the journal only, however long that is.
 * @returns undefined before the first seal. Throws when the file holds no head of ours, or when its newest one is not
 * signed by its keys.
 */
export const readSealWitness = (file: string): SealWitness | undefined => {
  const [former, newest] = [readFormer(file), newestIn(file)]
  const witness = former && former.head.size > (newest?.head.size ?? 0) ? former : newest
  if (witness && !witness.publicKeys.some((key) => isSealedBy(key, witness.head)))
    throw new Error(`the newest head in ${file} is not signed by the keys beside it: the file was edited`)
  return witness
}

/**
 * Every head of the journal, the oldest first, with the memory of one piece of the file. Lines that are no heads are
 * passed over.
 */
export function* sealWitnessesIn(file: string): Generator<SealWitness> {
  const former = readFormer(file)
  let largest = 0
  for (const line of linesOf(file)) {
    const witness = headIn(line)
    if (!witness) continue
    largest = Math.max(largest, witness.head.size)
    yield witness
  }
  if (former && former.head.size > largest) yield former
}

const shape = z.object({
  head: headShape,
  publicKeys: z.array(z.string()),
  frontier: z.string().optional(),
  seals: z.int().nonnegative().optional(),
})

/** The head in a line of the journal; undefined when the line is none. */
export const headIn = (line: string): SealWitness | undefined => {
  try {
    return shape.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const formerFile = (file: string): string => join(dirname(file), 'seal-witness.json')

const readFormer = (file: string): SealWitness | undefined => {
  const old = formerFile(file)
  if (!existsSync(old)) return undefined
  const witness = headIn(readFileSync(old, 'utf8'))
  if (!witness) throw new Error(`${old} is not a head of the log`)
  return witness
}

const LINE_FEED = 0x0a

const append = (file: string, witness: SealWitness): void => {
  const isNew = !existsSync(file)
  const journal = openSync(file, 'a+', 0o600)
  try {
    const { size } = fstatSync(journal)
    const last = Buffer.alloc(1)
    if (size > 0) readSync(journal, last, 0, 1, size - 1)
    const isOpenLine = size > 0 && last[0] !== LINE_FEED
    const line = Buffer.from(`${isOpenLine ? '\n' : ''}${JSON.stringify(witness)}\n`)
    // One call, so that two processes never mix their lines.
    if (writeSync(journal, line) < line.length) throw new Error(`${file} could not be written: the disk is full`)
    fsyncSync(journal)
  } finally {
    closeSync(journal)
  }
  if (isNew) syncDirectory(dirname(file))
}

/** Makes the name of a new file durable, too. */
const syncDirectory = (directory: string): void => {
  const opened = openSync(directory, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

const PIECE_BYTES = 65_536
/**
 * A line is some 700 bytes, and at most 13 KB with the keys of twenty years. A file without a head in this many bytes
 * at its end is not ours.
 */
const END_BYTES_MAX = 1_048_576

const newestIn = (file: string): SealWitness | undefined => {
  if (!existsSync(file)) return undefined
  const journal = openSync(file, 'r')
  try {
    const { size } = fstatSync(journal)
    for (let bytes = Math.min(size, PIECE_BYTES); bytes > 0; bytes = Math.min(size, bytes * 4)) {
      const piece = Buffer.alloc(bytes)
      readSync(journal, piece, 0, bytes, size - bytes)
      const lines = piece.toString('utf8').split('\n')
      // The piece begins within a line, unless it is the whole file.
      const whole = bytes === size ? lines : lines.slice(1)
      for (const line of whole.toReversed()) {
        const witness = headIn(line)
        if (witness) return witness
      }
      if (bytes === size && lines.every((line) => line === '')) return undefined
      if (bytes === size || bytes >= END_BYTES_MAX) break
    }
    if (size === 0) return undefined
    throw new Error(`${file} ends with what is no head of the log`)
  } finally {
    closeSync(journal)
  }
}

function* linesOf(file: string): Generator<string> {
  if (!existsSync(file)) return
  const journal = openSync(file, 'r')
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    let rest = ''
    for (let read = readSync(journal, piece); read > 0; read = readSync(journal, piece)) {
      // A line is ASCII: base64, digits, ids and times.
      const lines = `${rest}${piece.toString('latin1', 0, read)}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    yield rest
  } finally {
    closeSync(journal)
  }
}
