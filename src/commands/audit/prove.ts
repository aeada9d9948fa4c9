import { Readable } from 'node:stream'
import { consistencyProofOf, inconsistencyOf } from '../../../adapters/audit/consistency-proof.ts'
import { HASH_BYTES, hashesIn, leafOf } from '../../../adapters/audit/hash.ts'
import type { SignedHead } from '../../../adapters/audit/head.ts'
import type { TreeSource } from '../../../adapters/audit/paths.ts'
import { faultOf, proofOf } from '../../../adapters/audit/proof.ts'
import { SEALS_STREAM, type SealEvents } from '../../../domain/audit/seals.ts'
import type { EventStore } from '../../../domain/kernel/ports.ts'
import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { destinationOf } from '../exports/destination.ts'
import { readCheckpoint } from './checkpoint.ts'
import { mustBeWitnessed } from './witnessed-log.ts'

type Wish = {
  readonly out?: string
  /** The journal of heads. */
  readonly witness: string
}

/** Writes the proof that an event stands in the log under its newest head. */
export const prove = async (books: Books, out: Output, position: bigint, wish: Wish): Promise<void> => {
  const destination = await destinationOf(books, out, wish)
  const line = await lineAt(books, position)
  const { leaves, head, publicKey, source } = await sealedLeaves(books, wish.witness)
  const index = indexOf(leaves, leafOf(line))
  if (index === undefined)
    throw new CommandFailure(`the event at position ${position} is not sealed yet: daybook audit seal`)
  const proof = await proofOf(source, line, index, head)
  const fault = faultOf(proof, publicKey)
  if (fault) throw new CommandFailure(`the log is not what was sealed (daybook audit verify tells more): ${fault}`)
  const written = await destination.take(textOf(proof))
  if (written) await out.tell(written, `Wrote ${written.file}: event ${index} under the head of ${head.size} events.`)
}

/** Writes the proof that a later checkpoint, or else the newest head, goes on from an earlier checkpoint. */
export const proveConsistency = async (
  books: Books,
  out: Output,
  wish: Wish & { consistency: string; to?: string; key: readonly string[] },
): Promise<void> => {
  const destination = await destinationOf(books, out, wish)
  const { known: older } = readCheckpoint(wish.consistency, wish.key)
  const { head, source } = await sealedLeaves(books, wish.witness)
  const newer = wish.to === undefined ? head : readCheckpoint(wish.to, wish.key).known
  if (older.log !== head.log) throw new CommandFailure(`${older.source} is of another log: ${older.log}`)
  for (const { size } of [older, newer])
    if (size > head.size)
      throw new CommandFailure(`the log is sealed up to ${head.size} events, and the checkpoint covers ${size}`)
  if (older.size > newer.size)
    throw new CommandFailure(`the earlier checkpoint covers ${older.size} events, and the later one ${newer.size}`)
  const proof = await consistencyProofOf(source, older.size, newer.size)
  const fault = inconsistencyOf(older, newer, proof)
  if (fault)
    throw new CommandFailure(`the log does not contain both heads (daybook audit verify --from tells more): ${fault}`)
  const written = await destination.take(textOf(proof))
  if (written) await out.tell(written, `Wrote ${written.file}: from ${older.size} to ${newer.size} events.`)
}

const textOf = (proof: object): Readable => Readable.from(`${JSON.stringify(proof, null, 2)}\n`, { objectMode: false })

const lineAt = async (books: Books, position: bigint): Promise<string> => {
  await books.store()
  for await (const page of books.lines(books.seekable ? position - 1n : -1n, position))
    for (const line of page) if (line.position === position) return line.line
  throw new CommandFailure(`the log has no event at position ${position}`)
}

/**
 * The leaves that all seals list, which are the whole tree as far as it is sealed: 32 bytes for each event. Rejects
 * with CommandFailure when nothing is sealed.
 */
const sealedLeaves = async (books: Books, witness: string) => {
  await mustBeWitnessed(books, witness)
  const { leaves, head, publicKey } = await sealsIn(await books.store())
  if (!head)
    throw new CommandFailure('nothing in this log is sealed yet, so nothing of it can be proved: daybook audit seal')
  const source: TreeSource = {
    leaves: async (from, to) => hashesIn(leaves.subarray(from * HASH_BYTES, to * HASH_BYTES)),
    node: async () => undefined,
  }
  return { leaves, head, publicKey, source }
}

const sealsIn = async (store: EventStore) => {
  const lists: Buffer[] = []
  let head: SignedHead | undefined
  let publicKey = ''
  for await (const page of store.read(SEALS_STREAM))
    for (const { type, data } of page)
      if (type === 'SealKeyPublished') publicKey = (data as SealEvents['SealKeyPublished']).publicKey
      else {
        const { leaves, from: _, nodes: __, frontier: ___, ...signed } = data as SealEvents['LogSealed']
        lists.push(Buffer.from(leaves, 'base64'))
        head = signed
      }
  return { leaves: Buffer.concat(lists), head, publicKey }
}

const indexOf = (leaves: Buffer, leaf: string): number | undefined => {
  for (let at = leaves.indexOf(leaf, 0, 'latin1'); at >= 0; at = leaves.indexOf(leaf, at + 1, 'latin1'))
    if (at % HASH_BYTES === 0) return at / HASH_BYTES
  return undefined
}
