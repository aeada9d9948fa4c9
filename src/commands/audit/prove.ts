import { Readable } from 'node:stream'
import { HASH_BYTES, hashesIn, leafOf } from '../../../adapters/audit/hash.ts'
import type { SignedHead } from '../../../adapters/audit/head.ts'
import { faultOf, proofOf } from '../../../adapters/audit/proof.ts'
import { SEALS_STREAM, type SealEvents } from '../../../domain/log/seals.ts'
import type { EventStore } from '../../../domain/ports.ts'
import type { Books } from '../../books.ts'
import { destinationOf } from '../exports/destination.ts'
import { Failed } from '../failures.ts'
import type { Output } from '../output.ts'

/** Writes the proof that an event stands in the log under its newest head. */
export const prove = async (books: Books, out: Output, position: bigint, options: { out?: string }): Promise<void> => {
  const destination = await destinationOf(books, out, options.out)
  const line = await lineAt(books, position)
  const { leaves, head, publicKey } = await sealedLeaves(await books.store())
  const index = indexOf(leaves, leafOf(line))
  if (!head || index === undefined)
    throw new Failed(`the event at position ${position} is not sealed yet: daybook audit seal`)
  const source = {
    leaves: async (from: number, to: number) => hashesIn(leaves.subarray(from * HASH_BYTES, to * HASH_BYTES)),
    node: async () => undefined,
  }
  const proof = await proofOf(source, line, index, head)
  const fault = faultOf(proof, publicKey)
  if (fault) throw new Failed(`the log is not what was sealed (daybook audit verify tells more): ${fault}`)
  const written = await destination.take(Readable.from(`${JSON.stringify(proof, null, 2)}\n`, { objectMode: false }))
  if (written) await out.tell(written, `Wrote ${written.file}: event ${index} under the head of ${head.size} events.`)
}

const lineAt = async (books: Books, position: bigint): Promise<string> => {
  await books.store()
  for await (const page of books.lines(books.seekable ? position - 1n : -1n, position))
    for (const line of page) if (line.position === position) return line.line
  throw new Failed(`the log has no event at position ${position}`)
}

/** What all seals list together is the whole tree as far as it is sealed: 32 bytes an event. */
const sealedLeaves = async (store: EventStore) => {
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
