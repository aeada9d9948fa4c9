import { createReadStream, readFileSync } from 'node:fs'
import { EMPTY_ROOT, leafOf, toBase64 } from '../../../adapters/audit/hash.ts'
import { growingTree } from '../../../adapters/audit/tree.ts'
import { type CheckpointNote, checkpointIn, cosignedAt } from '../../../adapters/audit/witness/checkpoint.ts'
import { isNoteSignedBy, type VerifierKey } from '../../../adapters/audit/witness/note.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { textLines } from './text-lines.ts'

export type CheckpointWish = {
  /** The log's own keys: one of them has to have signed. */
  readonly log: readonly VerifierKey[]
  readonly witness: readonly VerifierKey[]
  /** How many of the witnesses have to have signed; all of them unless given. */
  readonly atLeast?: number
  /** An exported log, which then has to contain the head. */
  readonly file?: string
}

/**
 * Checks the note of a checkpoint with nothing but keys: that the log has signed it, that witnesses have, and that an
 * exported log is the one that they signed. Answers whether all of it holds.
 */
export const checkCheckpoint = async (out: Output, noteFile: string, wish: CheckpointWish): Promise<boolean> => {
  const checkpoint = checkpointIn(readFileSync(noteFile, 'utf8'))
  if (!checkpoint) {
    const fault = `${noteFile} is not the note of a checkpoint`
    await out.tell({ holds: false, fault }, `The checkpoint does not hold: ${fault}.`)
    return false
  }
  const { origin, size, root } = checkpoint
  const witnesses = wish.witness.map((key) => ({ key, time: cosignedAt(checkpoint.note, key) }))
  const contained = wish.file === undefined ? undefined : await contains(wish.file, checkpoint)
  const fault = faultOf(checkpoint, wish, witnesses, contained)
  const shown = witnesses.map(({ key: { name }, time }) => ({
    witness: name,
    cosigned_at: time === undefined ? null : new Date(time * 1_000).toISOString(),
  }))
  await out.tell(
    {
      holds: fault === undefined,
      fault: fault ?? null,
      origin,
      size,
      root,
      contained: contained ?? null,
      witnesses: shown,
    },
    [
      fault ? `The checkpoint does not hold: ${fault}.` : 'The checkpoint holds.',
      `${origin}: ${countText(size, 'event')}, root ${root}`,
      ...shown.map(({ witness, cosigned_at }) => `${witness}: ${cosigned_at ? `signed ${cosigned_at}` : 'NOT SIGNED'}`),
      contained === undefined
        ? 'No log was held against it: --file does.'
        : `The log in ${wish.file} ${contained ? 'begins with what was signed.' : 'is ANOTHER ONE.'}`,
    ].join('\n'),
  )
  return fault === undefined
}

type WitnessSignature = { readonly key: VerifierKey; readonly time: number | undefined }

const faultOf = (
  { origin, note }: CheckpointNote,
  { log, atLeast, witness }: CheckpointWish,
  witnesses: readonly WitnessSignature[],
  contained: boolean | undefined,
): string | undefined => {
  const own = log.filter(({ name }) => name === origin)
  if (own.length === 0) return `it is a head of ${origin}, and none of the keys is of that log`
  if (!own.some((key) => isNoteSignedBy(note, key))) return 'it is not signed by that key of the log'
  const signed = witnesses.filter(({ time }) => time !== undefined).length
  const needed = atLeast ?? witness.length
  if (signed < needed) return `${signed} of the witnesses have signed it, and ${needed} have to`
  return contained === false ? 'the log does not contain it: what was signed is not what it begins with' : undefined
}

/** Whether the first lines of an exported log are what a head covers. */
const contains = async (file: string, { size, root }: CheckpointNote): Promise<boolean> => {
  const tree = growingTree()
  for await (const line of textLines(createReadStream(file))) {
    if (tree.size() === size) break
    tree.add(leafOf(line))
  }
  return tree.size() === size && toBase64(size === 0 ? EMPTY_ROOT : tree.root()) === root
}
