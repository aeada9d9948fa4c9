import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stampedBytes } from '../../../adapters/audit/stamp/ask-stamp.ts'
import { COSIGNATURES_STREAM, type CosignatureEvents } from '../../../domain/audit/cosignatures.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import { columns, type Output } from '../../console/output.ts'

/**
 * Lists the time stamps of the log's heads (RFC 3161), and with a folder writes each there as two files for `openssl ts
 * -verify`: the note that was stamped, and the answer of the authority.
 */
export const listStamps = async (books: Books, out: Output, { dir }: { dir?: string }): Promise<void> => {
  if (dir !== undefined) mkdirSync(dir, { recursive: true })
  const stamps: { size: number; root: string; stamped_at: string; note: string | null; response: string | null }[] = []
  for await (const page of (await books.store()).read(COSIGNATURES_STREAM))
    for (const { type, data } of page) {
      if (type !== 'HeadStamped') continue
      const { checkpoint, stampedAt, response } = data as CosignatureEvents['HeadStamped']
      const { size, root } = checkpoint
      const files = dir === undefined ? undefined : filesOf(dir, size)
      if (files) {
        writeFileSync(files.note, stampedBytes(checkpoint))
        writeFileSync(files.response, Buffer.from(response, 'base64'))
      }
      stamps.push({ size, root, stamped_at: stampedAt, note: files?.note ?? null, response: files?.response ?? null })
    }
  const table = [['Events', 'Stamped', 'Root'], ...stamps.map((s) => [String(s.size), s.stamped_at, s.root])]
  await out.tell(
    stamps,
    stamps.length === 0
      ? 'No head is stamped yet (TIMESTAMP_URL).'
      : [
          columns(table, [0]),
          ...(dir === undefined
            ? []
            : [
                `Wrote ${countText(stamps.length, 'stamp')} to ${dir}. Check one:`,
                `openssl ts -verify -data <events>.checkpoint -in <events>.tsr -CAfile <the authority's certificates>`,
              ]),
        ].join('\n'),
  )
}

const filesOf = (dir: string, size: number) => ({
  note: join(dir, `${size}.checkpoint`),
  response: join(dir, `${size}.tsr`),
})
