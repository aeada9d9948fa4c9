import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { Refusal, refuse } from '../../../domain/kernel/refusal.ts'
import { createTurns } from '../../turns.ts'

/**
 * One file that a form sends (`multipart/form-data`), read from the connection itself once it is known who sends it.
 */

/** What an operation takes: so many bytes, within so many milliseconds. */
export type UploadRule = { readonly maxBytes: number; readonly limitMs: number }

/** What stands around the file: boundaries and headers, in bytes. */
const AROUND_MAX_BYTES = 16 * 1_024
/** Bytes beyond what may come that are read and thrown away, so that whoever is still sending them hears the answer. */
const BEYOND_MAX_BYTES = 8 * 1_024 * 1_024
/** Lines of headers of one part. */
const HEADERS_MAX = 20

/** Files that are on their way at once, each in memory. */
const AT_ONCE_MAX = 32

export type UploadRequest = Readable & { readonly headers: IncomingHttpHeaders }

/**
 * The bytes of the one file there is, whatever its field is called. Refuses `body-too-large`, `body-too-slow`,
 * `invalid-request` and `busy`.
 */
export const readUpload = async (request: UploadRequest, rule: UploadRule): Promise<Buffer> =>
  (await turns(() => read(request, rule))) ?? refuse('busy', 'Very many files come at once. Try again in a moment.')

const turns = createTurns(AT_ONCE_MAX, 0)

const read = async (request: UploadRequest, { maxBytes, limitMs }: UploadRule): Promise<Buffer> => {
  const tooLarge = new Refusal('body-too-large', `The file is larger than ${maxBytes} bytes. Send a smaller one.`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + BEYOND_MAX_BYTES) throw tooLarge
  const form = formReader(request.headers, maxBytes)
  const file: Buffer[] = []
  let files = 0
  let bytes = 0
  let refusal: Refusal | undefined
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer)
      if (refusal) reject(refusal)
      else resolve(Buffer.concat(file))
    }
    const refuseIt = (why: Refusal) => {
      refusal ??= why
      if (request.readableEnded) settle()
    }
    const bad = (why: string) => refuseIt(new Refusal('invalid-request', why))
    const giveUp = (why: string) => {
      bad(why)
      settle()
    }
    const timer = setTimeout(() => {
      refuseIt(
        new Refusal(
          'body-too-slow',
          `The file did not arrive within ${limitMs / 1_000} seconds. Send it again over a better connection.`,
        ),
      )
      settle()
    }, limitMs)
    form.on('file', (_: string, stream: BusboyFileStream) => {
      files++
      stream.on('limit', () => refuseIt(tooLarge))
      stream.on('error', () => bad(NOT_WHOLE))
      stream.on('data', (chunk: Buffer) => file.push(chunk))
    })
    form.on('field', () => bad('send the file alone: there are no other fields'))
    form.on('filesLimit', () => bad('send one file at a time'))
    form.on('error', () => bad(NOT_WHOLE))
    form.on('finish', () => (files === 0 ? giveUp('the form has no file: send one in it') : settle()))
    request.on('end', () => (refusal ? settle() : form.end()))
    request.on('close', () => request.readableEnded || giveUp('the file broke off: send it again'))
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes + AROUND_MAX_BYTES) refuseIt(tooLarge)
      if (bytes > maxBytes + BEYOND_MAX_BYTES) settle()
      if (!refusal) form.write(chunk)
    })
  })
}

const NOT_WHOLE = 'the body has to be a whole multipart/form-data'

const formReader = (headers: IncomingHttpHeaders, maxBytes: number) => {
  const type = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new Refusal('invalid-request', 'send the file as multipart/form-data')
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { files: 1, fileSize: maxBytes, fieldSize: 1_024, headerPairs: HEADERS_MAX },
      isPartAFile: (_, contentType, fileName) => fileName !== undefined || !/^text\/plain/i.test(contentType ?? ''),
    })
  } catch {
    throw new Refusal('invalid-request', 'send the file as multipart/form-data, with a boundary')
  }
}
