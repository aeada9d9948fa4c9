import { createTurns } from '../../timing/turns.ts'
import { EMPTY_ROOT, fromBase64, type Hash, toBase64 } from '../hash.ts'
import { isConsistent } from '../paths.ts'
import { type AddCheckpoint, addCheckpointIn, SIZE_TYPE } from './add-checkpoint.ts'
import { type Checkpoint, type CheckpointNote, checkpointIn, cosignatureLine } from './checkpoint.ts'
import { isNoteSignedBy, type VerifierKey } from './note.ts'

/**
 * A witness of somebody else's log (c2sp.org/tlog-witness): it signs a head only when that goes on from the newest one
 * that it has signed. So it never signs two roots of one size, and never a smaller size.
 */
export type Witness = {
  /** Answers one submission; what comes meanwhile waits for its turn. Rejects when the head could not be kept. */
  addCheckpoint(body: string): Promise<WitnessAnswer>
}

export type WitnessAnswer = { readonly status: number; readonly type: string; readonly body: string }

/** The newest head of each log, by its origin. */
export type WitnessHeads = {
  /** Undefined when no head of the log was signed yet. */
  read(origin: string): Checkpoint | undefined
  /** Resolves once the head outlives a loss of power. */
  keep(head: Checkpoint, note: string): Promise<void>
}

export type WitnessParts = {
  readonly key: VerifierKey
  /** Base64. */
  readonly privateKey: string
  /** The keys of the logs; several may be of one log, as after a change of its key. */
  readonly logs: readonly VerifierKey[]
  readonly heads: WitnessHeads
  readonly now: () => Date
  /**
   * Called with a signed head that does not go on from the one before it: the note is the proof that its log has two
   * histories.
   */
  parted(note: string, head: Checkpoint): void
}

/** Submissions that wait; further ones are asked to come again. */
const WAITING_MAX = 64

export const createWitness = (parts: WitnessParts): Witness => {
  const turns = createTurns(1, WAITING_MAX)
  return {
    async addCheckpoint(body) {
      const answered = await turns(() => answer(parts, body))
      return answered ?? said(503, 'too many submissions are waiting; try again later')
    },
  }
}

const answer = async (parts: WitnessParts, body: string): Promise<WitnessAnswer> => {
  const sent = addCheckpointIn(body)
  const checkpoint = sent && checkpointIn(sent.note)
  if (!sent || !checkpoint) return said(400, 'the body is not an old size, a proof and a checkpoint')
  const keys = parts.logs.filter(({ name }) => name === checkpoint.origin)
  if (keys.length === 0) return said(404, 'this witness does not know that origin')
  if (!keys.some((key) => isNoteSignedBy(checkpoint.note, key)))
    return said(403, 'the checkpoint is not signed by a key that this witness knows for its origin')
  if (sent.old > checkpoint.size) return said(400, 'the old size is larger than that of the checkpoint')
  const before = parts.heads.read(checkpoint.origin) ?? { origin: checkpoint.origin, size: 0, root: EMPTY }
  if (sent.old !== before.size) return sizeOf(before)
  const refused = refusalOf(sent, checkpoint, before)
  if (refused) {
    parts.parted(sent.note, before)
    return refused
  }
  const { origin, size, root, note } = checkpoint
  await parts.heads.keep({ origin, size, root }, sent.note)
  const seconds = Math.floor(parts.now().getTime() / 1_000)
  return { status: 200, type: TEXT, body: cosignatureLine(parts.key, parts.privateKey, note.text, seconds) }
}

/** Undefined when the checkpoint goes on from the head before it. */
const refusalOf = (
  { old, proof }: AddCheckpoint,
  { size, root }: CheckpointNote,
  before: Checkpoint,
): WitnessAnswer | undefined => {
  const bad = said(422, 'the proof does not lead from the old size to the checkpoint')
  if (old === size && root !== before.root) return sizeOf(before)
  // Every tree goes on from an empty one, so a proof would say nothing.
  if (old === 0) return proof.length === 0 ? undefined : bad
  const [older, newer] = [hashOf(before.root), hashOf(root)]
  return isConsistent({ size: old, root: older }, { size, root: newer }, proof) ? undefined : bad
}

const EMPTY = toBase64(EMPTY_ROOT)

/** The roots were checked before they came here. */
const hashOf = (root: string): Hash => fromBase64(root) ?? ''

const TEXT = 'text/plain; charset=utf-8'

const said = (status: number, why: string): WitnessAnswer => ({ status, type: TEXT, body: `${why}\n` })

const sizeOf = ({ size }: Checkpoint): WitnessAnswer => ({ status: 409, type: SIZE_TYPE, body: `${size}\n` })
