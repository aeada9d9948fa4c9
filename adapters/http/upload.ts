import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { Refusal } from '../../domain/refusal.ts'

/** One file that a form sends (`multipart/form-data`), read from the connection itself once it is known who sends it. */

/** What an operation takes: so many bytes, within so many milliseconds. */
export type UploadRule = { readonly maxBytes: number; readonly limitMs: number }

/** What stands around the file: boundaries and headers, in bytes. */
const AROUND_MAX_BYTES = 16 * 1_024
/** Lines of headers of one part. */
const HEADERS_MAX = 20

export type Incoming = Readable & { readonly headers: IncomingHttpHeaders }

/** The bytes of the one file there is, whatever its field is called. Refuses `body-too-large` and `invalid-request`. */
export const readUpload = async (request: Incoming, { maxBytes, limitMs }: UploadRule): Promise<Buffer> => {
  const tooLarge = new Refusal('body-too-large', `The file is larger than ${maxBytes} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + AROUND_MAX_BYTES) throw tooLarge
  const form = formReader(request.headers, maxBytes)
  const file: Buffer[] = []
  let files = 0
  let bytes = 0
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      request.unpipe(form).off('data', count)
      // What still comes is read and thrown away, so that the answer is not lost behind it.
      request.resume()
      settle()
    }
    const fail = (refusal: Refusal) => end(() => reject(refusal))
    const bad = (why: string) => fail(new Refusal('invalid-request', why))
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes + AROUND_MAX_BYTES) fail(tooLarge)
    }
    const timer = setTimeout(() => bad(`the file did not arrive within ${limitMs / 1_000} seconds`), limitMs)
    form.on('file', (_: string, stream: BusboyFileStream) => {
      files++
      stream.on('limit', () => fail(tooLarge))
      stream.on('data', (chunk: Buffer) => file.push(chunk))
    })
    form.on('field', () => bad('send the file alone: there are no other fields'))
    form.on('filesLimit', () => bad('send one file at a time'))
    form.on('error', () => bad('the body is no whole multipart/form-data'))
    form.on('finish', () => (files === 0 ? bad('there is no file in it') : end(() => resolve(Buffer.concat(file)))))
    request.on('close', () => {
      if (!request.readableEnded) bad('the file broke off')
    })
    request.on('data', count).pipe(form)
  })
}

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
