import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { hashBytes, hashesIn, joinedHashes, toBase64 } from '../../../adapters/audit/hash.ts'
import { isSealedBy } from '../../../adapters/audit/head.ts'
import type { KnownHead } from '../../../adapters/audit/known-heads.ts'
import { headShape } from '../../../adapters/audit/proof.ts'
import { growingTree } from '../../../adapters/audit/tree.ts'
import type { Edge } from '../../../adapters/audit/verify.ts'
import { checkpointIn } from '../../../adapters/audit/witness/checkpoint.ts'
import { logIn, logKeyOf } from '../../../adapters/audit/witness/log-note.ts'
import { isNoteSignedBy } from '../../../adapters/audit/witness/note.ts'
import { CommandFailure } from '../../console/failures.ts'

/**
 * What an auditor keeps of a look at the log, which every later log has to contain: the head, the right edge of its
 * tree, the trusted keys.
 */
type AuditorCheckpoint = { readonly edge: Edge; readonly keys: readonly string[] }

const FORMAT = 'daybook-checkpoint/1'

const shape = z.strictObject({
  format: z.literal(FORMAT),
  head: headShape,
  frontier: z.string(),
  keys: z.array(z.string()).min(1),
})

export const writeCheckpoint = (file: string, { edge, keys }: AuditorCheckpoint): void => {
  const frontier = joinedHashes(edge.frontier).toString('base64')
  writeFileSync(`${file}.new`, `${JSON.stringify({ format: FORMAT, head: edge.head, frontier, keys }, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}

/** A checkpoint that was read, also as the head that a log has to contain. */
type KnownCheckpoint = AuditorCheckpoint & { readonly known: KnownHead }

/**
 * Reads a checkpoint. Throws CommandFailure unless a trusted key has signed its head: one that was brought along, or
 * else one of its own.
 */
export const readCheckpoint = (file: string, brought: readonly string[]): KnownCheckpoint => {
  const found = jsonIn(file)
  if (found === undefined) throw new CommandFailure(`${file} is not JSON`)
  const { data } = shape.safeParse(found)
  const frontier = data && hashBytes(data.frontier)
  if (!data || !frontier) throw new CommandFailure(`${file} is not a checkpoint`)
  const { head } = data
  const edge = { head, frontier: hashesIn(frontier) }
  const keys = brought.length > 0 ? brought : data.keys
  if (!keys.some((key) => isSealedBy(key, head)))
    throw new CommandFailure(`the head in ${file} is not signed by a trusted key`)
  if (rootOf(edge) !== head.root) throw new CommandFailure(`the frontier in ${file} is not that of its head`)
  const { log, size, root } = head
  return { edge, keys, known: { log, size, root, frontier: edge.frontier, source: `the checkpoint ${file}` } }
}

/**
 * A head that a log has to contain, and the public keys that are trusted: from a checkpoint, or from the note of one
 * (`/audit/checkpoint`, C2SP tlog-checkpoint), which has no keys in it.
 * @param brought the public keys that were brought along, base64
 * @param own those that this installation has witnessed: they count for a note when none was brought along
 * @throws CommandFailure when the file is neither, or when no trusted key has signed it
 */
export const readTrustedHead = (
  file: string,
  brought: readonly string[],
  own: readonly string[] = [],
): Pick<KnownCheckpoint, 'keys' | 'known'> => {
  const checkpoint = checkpointIn(readFileSync(file, 'utf8'))
  if (!checkpoint) return readCheckpoint(file, brought)
  const { origin, size, root, note } = checkpoint
  const log = logIn(origin)
  if (log === undefined) throw new CommandFailure(`${file} is the note of ${origin}, which is no log of Daybook`)
  const keys = brought.length > 0 ? brought : own
  if (keys.length === 0) throw new CommandFailure(`${file} is a note, which has no keys in it: name one with --key`)
  if (!keys.some((publicKey) => isNoteSignedBy(note, logKeyOf({ origin, publicKey }))))
    throw new CommandFailure(`the note in ${file} is not signed by a trusted key`)
  return { keys, known: { log, size, root, source: `the note ${file}` } }
}

const rootOf = ({ head, frontier }: Edge): string | undefined => {
  try {
    return toBase64(growingTree(head.size, frontier).root())
  } catch {
    return undefined
  }
}

/** What a file that somebody brought along holds; undefined when that is not JSON. */
export const jsonIn = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
