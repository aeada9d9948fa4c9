import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { type ExportHead, hasComments, headAtEnd, headIn } from '../../../adapters/journal-export/export-head.ts'
import { CommandFailure } from '../../console/failures.ts'
import { headFileOf } from '../exports/tied-file.ts'

/** An export as somebody has it, with the head that came with it. */
export type ExportFile = {
  readonly head: ExportHead
  /** The export's own bytes, without its head. */
  content(): AsyncIterable<Buffer>
}

/** Bytes at the end of an export in which its head is looked for; no head takes as many. */
const END_BYTES = 16_384

/** Opens an export. Throws CommandFailure when no head is there. */
export const openExportFile = async (file: string): Promise<ExportFile> => {
  const beside = headFileOf(file)
  if (existsSync(beside)) {
    const head = headIn(readFileSync(beside, 'utf8'))
    if (!head || hasComments(head.export)) throw new CommandFailure(`${beside} is not the head of this export`)
    return { head, content: () => createReadStream(file) }
  }
  const { end, size } = await endOf(file)
  const found = headAtEnd(end)
  if (!found || !hasComments(found.head.export))
    throw new CommandFailure(`nothing ties ${file} to a log: neither its last line nor ${beside} names a head`)
  const bytes = size - found.bytes
  return {
    head: found.head,
    content: () => (bytes === 0 ? nothing() : createReadStream(file, { end: bytes - 1 })),
  }
}

/** The hash of the bytes, hex, and the line feeds in them. */
export const measureContent = async (content: AsyncIterable<Buffer>): Promise<{ sha256: string; lines: number }> => {
  const sum = createHash('sha256')
  let lines = 0
  for await (const piece of content) {
    sum.update(piece)
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) lines++
  }
  return { sha256: sum.digest('hex'), lines }
}

const endOf = async (file: string) => {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const end = Buffer.alloc(Math.min(size, END_BYTES))
    await handle.read(end, 0, end.length, size - end.length)
    return { end, size }
  } finally {
    await handle.close()
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}
