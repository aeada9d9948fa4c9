import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { VIEW } from '../../domain/reading/books/entry.ts'

/**
 * The head of an export ties it to the log: it names the head of the log, the place up to which the export goes, and
 * the hash of the export's own lines. It stands in the export where the format has comments, and in a file beside it
 * where it has none.
 */

const FORMAT = 'daybook-export/3'
/** The forms of former releases, whose exports lack what was added to them since. */
const FORMER_FORMATS = { 'daybook-export/1': 1, 'daybook-export/2': 2 } as const
type FormerFormat = keyof typeof FORMER_FORMATS

const EXPORT_KINDS = ['csv', 'hledger', 'beancount', 'jsonl', 'transactions', 'log'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

const namedHead = z.strictObject({ log: z.string(), size: z.int().positive(), order: z.string(), root: z.string() })

/**
 * The newest head of the log when the export was written: `root` is base64, `order` is that of the last covered event.
 */
export type NamedHead = z.infer<typeof namedHead>

/** The head as it is written: in the export, beside it, or as an answer. */
export const exportHeadShape = z.strictObject({
  format: z.enum([FORMAT, ...(Object.keys(FORMER_FORMATS) as FormerFormat[])]),
  export: z.enum(EXPORT_KINDS),
  /** Whose books are exported; absent for the common journal. */
  view: z.string().regex(VIEW).optional(),
  /** The time that counts: when coins were mined; absent for when events were recorded. */
  by: z.literal('mined').optional(),
  /** The time zone whose days and times it has; absent for UTC. */
  zone: z.string().max(64).optional(),
  /** The account holder whose entries are in the export; null for those of all. */
  account: z.string().nullable(),
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  /**
   * The ledger's own order up to which events are in the export; null when it is not known, because the rows changed
   * while they were read, or because there was none.
   */
  position: z
    .string()
    .regex(/^\d{1,19}$/)
    .nullable(),
  head: namedHead.nullable(),
  /** Which transactions are in the export. Absent: both kinds, as an older release wrote them, or another export. */
  records: z.enum(['live', 'test']).optional(),
  /** Line feeds in the export, without what stands in this object. */
  lines: z.int().nonnegative(),
  /** SHA-256 of its bytes, without what stands in this object; hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

export type ExportHead = z.infer<typeof exportHeadShape>

/** The number of the former release whose lines an export has, which say less; undefined for one of today's. */
export const formerRelease = ({ format }: ExportHead): 1 | 2 | undefined =>
  format === FORMAT ? undefined : FORMER_FORMATS[format]

/** The facts that the lines themselves do not tell. */
export type ExportFacts = Omit<ExportHead, 'format' | 'lines' | 'sha256'>

/** Whether a format takes a line that begins with `;` as a comment. */
export const hasComments = (kind: ExportKind): boolean => kind === 'hledger' || kind === 'beancount'

const MARK = '; daybook-export: '

/** The last line of an export with comments, after an empty one. */
const headLine = (head: ExportHead): string => `\n${MARK}${JSON.stringify(head)}\n`

/**
 * The head in the end of a text, and how many bytes it takes there; undefined when the text does not end with one.
 * @param end the last bytes of the text: all of it, or more than a head takes
 */
export const headAtEnd = (end: Buffer): { head: ExportHead; bytes: number } | undefined => {
  const at = end.lastIndexOf(`\n${MARK}`)
  const head = at < 0 ? undefined : headIn(end.toString('utf8', at + 1 + MARK.length))
  return head && { head, bytes: end.length - at }
}

/** Undefined unless the text is the JSON of a head and nothing else. */
export const headIn = (text: string): ExportHead | undefined => {
  try {
    return exportHeadShape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/**
 * Passes the content on and hashes it; `ended` gets the head at the end, which in a format with comments also stands
 * there.
 * @param facts asked for when the content has ended, so that the head of the log is as new as can be
 */
export const tied = (
  content: Readable,
  facts: () => Promise<ExportFacts>,
  ended: (head: ExportHead) => void = () => {},
): Readable => Readable.from(tiedPieces(content, facts, ended), { objectMode: false })

async function* tiedPieces(
  content: Readable,
  facts: () => Promise<ExportFacts>,
  ended: (head: ExportHead) => void,
): AsyncGenerator<Buffer> {
  const sum = createHash('sha256')
  let lines = 0
  for await (const each of content) {
    const piece = typeof each === 'string' ? Buffer.from(each) : (each as Buffer)
    sum.update(piece)
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) lines++
    yield piece
  }
  const known = await facts()
  const head: ExportHead = { format: FORMAT, ...known, lines, sha256: sum.digest('hex') }
  ended(head)
  if (hasComments(known.export)) yield Buffer.from(headLine(head))
}
