import { fromBase64, type Hash, toBase64 } from '../hash.ts'
import { sizeIn } from './checkpoint.ts'

/**
 * A submission to a witness (c2sp.org/tlog-witness): the size that it saw last, the proof that goes on from there, and
 * the note of a checkpoint.
 */
export type AddCheckpoint = {
  /** The size that the witness has seen last; 0 when it has seen none. */
  readonly old: number
  /** Consistency proof (RFC 6962 §2.1.2) from the old size to that of the checkpoint; empty when the old size is 0. */
  readonly proof: readonly Hash[]
  readonly note: string
}

/** Lines that a proof has at most. */
const PROOF_LINES_MAX = 63

/** The media type of the answer that tells which size a witness has. */
export const SIZE_TYPE = 'text/x.tlog.size'

export const addCheckpointBody = ({ old, proof, note }: AddCheckpoint): string =>
  `old ${old}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${note}`

/** Undefined when the body is of another form. */
export const addCheckpointIn = (body: string): AddCheckpoint | undefined => {
  const end = body.indexOf('\n\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = body.slice(0, end).split('\n')
  const old = first.startsWith('old ') ? sizeIn(first.slice('old '.length)) : undefined
  const proof = lines.map(fromBase64)
  if (old === undefined || lines.length > PROOF_LINES_MAX || !proof.every((hash) => hash !== undefined))
    return undefined
  return { old, proof, note: body.slice(end + 2) }
}
