import { renameSync, writeFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { hashBytes, hashesIn, toBase64 } from '../../../adapters/audit/hash.ts'
import { growingTree } from '../../../adapters/audit/tree.ts'
import {
  type ExportFacts,
  type ExportHead,
  hasComments,
  type NamedHead,
  tied,
} from '../../../adapters/journal-export/export-head.ts'
import { SEALS } from '../../../domain/audit/seals.ts'
import type { Books } from '../../books/books.ts'
import { operatorLedger } from '../../books/operator-ledger.ts'
import type { Destination } from './destination.ts'

/** The file for the head of an export whose format has no comments. */
export const headFileOf = (file: string): string => `${file}.head.json`

export type TiedFile = {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly head: ExportHead
  /** The file with the head; undefined where the head stands in the export itself. */
  readonly headFile: string | undefined
}

/**
 * Writes an export with the head that ties it to the log; undefined when it went to stdout, where an export without
 * comments has a head only when a file was named for it.
 */
export const takeTied = async (
  books: Books,
  destination: Destination,
  content: Readable,
  facts: () => Promise<Omit<ExportFacts, 'head'>>,
): Promise<TiedFile | undefined> => {
  let head: ExportHead | undefined
  const whole = async () => ({ ...(await facts()), head: await newestHead(books) })
  const written = await destination.take(tied(content, whole, (known) => (head = known)))
  if (!head) return undefined
  const headFile = destination.head ?? (written && !hasComments(head.export) ? headFileOf(written.file) : undefined)
  if (headFile !== undefined) {
    writeFileSync(`${headFile}.new`, `${JSON.stringify(head, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${headFile}.new`, headFile)
  }
  return written && { ...written, head, headFile }
}

/** The facts of a tied file as a report shows them. */
export const tiedReport = ({ file, bytes, sha256, head: { head, position }, headFile }: TiedFile) => ({
  file,
  bytes,
  sha256,
  head_file: headFile ?? null,
  head,
  position,
})

/** One line on what the export is tied to. */
export const tiedText = ({ head: { head }, headFile }: TiedFile): string => {
  const where = headFile === undefined ? 'Its last line' : headFile
  return head
    ? `${where} ties it to the head of ${head.size} events: daybook audit verify-export.`
    : `${where} names no head: the log is not sealed yet.`
}

/** The newest seal, as the log has it. */
const newestHead = async (books: Books): Promise<NamedHead | null> => {
  const { head } = await operatorLedger(await books.store()).seals.read(SEALS)
  if (!head) return null
  const { log, size, order, frontier } = head
  const edge = hashesIn(hashBytes(frontier) ?? Buffer.alloc(0))
  return { log, size, order, root: toBase64(growingTree(size, edge).root()) }
}
