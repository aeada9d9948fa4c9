import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Books } from '../../books/books.ts'
import { BrokenPipe } from '../../console/failures.ts'
import { isBrokenPipe, type Output } from '../../console/output.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

type WrittenFile = { readonly file: string; readonly bytes: number; readonly sha256: string }

/** The place that an export goes to. A file is there whole or not at all, and replaces an older one only then. */
export type Destination = {
  readonly file: string | undefined
  /** The file that its head is written to; undefined when none was named. */
  readonly head: string | undefined
  /** Writes the export; answers undefined when it went to stdout. */
  take(content: Readable): Promise<WrittenFile | undefined>
}

/** The files that the options `--out` and `--head` name. */
export type DestinationWish = { readonly out?: string; readonly head?: string }

/** The destination: stdout, unless a file is named. Throws BadSetting before anything is opened. */
export const destinationOf = async (books: Books, out: Output, wish: DestinationWish): Promise<Destination> => {
  const file = wish.out === undefined || wish.out === '-' ? undefined : resolve(wish.out)
  const head = wish.head === undefined ? undefined : resolve(wish.head)
  if (out.json && !file) throw new BadSetting('--json needs --out: the export itself would be on stdout')
  if (file) await mustBeReplaceable(file, '--out')
  if (head) await mustBeReplaceable(head, '--head')
  return {
    file,
    head,
    take: (content) => (file ? toFile(books, file, content) : toStdout(out, content)),
  }
}

const toStdout = async ({ stdout = process.stdout }: Output, content: Readable): Promise<undefined> => {
  await pipeline(content, stdout, { end: false }).catch((error: unknown) => {
    throw isBrokenPipe(error) ? new BrokenPipe() : error
  })
}

const toFile = async (books: Books, file: string, content: Readable): Promise<WrittenFile> => {
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  books.onClose(() => rm(part, { force: true }))
  const sum = createHash('sha256')
  let bytes = 0
  const counting = new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length
      sum.update(piece)
      done(null, piece)
    },
  })
  await pipeline(content, counting, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
  await rename(part, file)
  return { file, bytes, sha256: sum.digest('hex') }
}

/** Throws BadSetting for what is not a file: a rename would replace a device, or fail on a folder. */
const mustBeReplaceable = async (file: string, option: string) => {
  const found = await stat(file).catch(() => undefined)
  if (found && !found.isFile()) throw new BadSetting(`${option} is not a file: ${file}`)
}
