import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import { Refusal, refuse } from '../../../domain/kernel/refusal.ts'
import { within } from '../../timing/time-limit.ts'
import { createTurns } from '../../timing/turns.ts'

/**
 * One file that a form sends (`multipart/form-data`), read from the connection itself once it is known who sends it.
 */

/** What an operation takes: so many bytes, within so many milliseconds. */
export type UploadRule = {
  readonly maxBytes: number
  readonly limitMs: number
  /** The media type of a file that may also be the whole body, without a form around it. */
  readonly plain?: string
  /** The form may have fields beside the file, or in its place; all together are no larger. */
  readonly fields?: true
}

/** What a form sends: its fields, and its file if there is one. */
export type UploadedForm = { readonly fields: Readonly<Record<string, string>>; readonly file: Buffer | undefined }

/** What stands around the file: boundaries and headers, in bytes. */
const AROUND_MAX_BYTES = 16 * 1_024
/** Bytes beyond what may come that are read and thrown away, so that whoever is still sending them hears the answer. */
const BEYOND_MAX_BYTES = 8 * 1_024 * 1_024
/** Lines of headers of one part. */
const HEADERS_MAX = 20
/** Fields beside a file. */
const FIELDS_MAX = 20

/** Files that are on their way at once, each in memory. */
const AT_ONCE_MAX = 32

export type UploadRequest = Readable & { readonly headers: IncomingHttpHeaders }

/**
 * The bytes of the one file there is, whatever its field is called. Refuses `body-too-large`, `body-too-slow`,
 * `invalid-request` and `busy`.
 */
export const readUpload = async (request: UploadRequest, rule: UploadRule): Promise<Buffer> =>
  (await readUploadForm(request, rule)).file ?? refuse('invalid-request', NO_FILE)

/** The fields and the file of a form; both are nothing where it is sent in another form. Refuses as `readUpload`. */
export const readUploadForm = async (request: UploadRequest, rule: UploadRule): Promise<UploadedForm> =>
  (await turns(() => (rule.plain !== undefined && isOf(request, rule.plain) ? readPlain : read)(request, rule))) ??
  refuse('busy', 'Very many files come at once. Try again in a moment.')

/** Whether a browser sends a form that may have a file. */
export const isUploadForm = (request: UploadRequest): boolean => isOf(request, 'multipart/form-data')

const isOf = ({ headers }: UploadRequest, type: string): boolean =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() === type

const NO_FILE = 'the form has no file: send one in it'

const turns = createTurns(AT_ONCE_MAX, 0)

const read = async (
  request: UploadRequest,
  { maxBytes, limitMs, fields: hasFields }: UploadRule,
): Promise<UploadedForm> => {
  const tooLarge = tooLargeFor(maxBytes)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + BEYOND_MAX_BYTES) throw tooLarge
  const form = formReader(request.headers, maxBytes)
  const file: Buffer[] = []
  const fields = new Map<string, string>()
  let files = 0
  let bytes = 0
  let refusal: Refusal | undefined
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer)
      if (refusal) reject(refusal)
      else resolve({ fields: Object.fromEntries(fields), file: files === 0 ? undefined : Buffer.concat(file) })
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
      refuseIt(tooSlowFor(limitMs))
      settle()
    }, limitMs)
    form.on('file', (_: string, stream: BusboyFileStream) => {
      files++
      stream.on('limit', () => refuseIt(tooLarge))
      stream.on('error', () => bad(NOT_WHOLE))
      stream.on('data', (chunk: Buffer) => file.push(chunk))
    })
    form.on('field', (name: string, value: string, isNameCut: boolean, isCut: boolean) => {
      if (!hasFields) bad('send the file alone: there are no other fields')
      else if (isNameCut || isCut) refuseIt(tooLarge)
      else if (fields.has(name)) bad('a field stands twice in the form: send it once')
      else fields.set(name, value)
    })
    form.on('fieldsLimit', () => bad(`the form has to have at most ${FIELDS_MAX} fields`))
    form.on('filesLimit', () => bad('send one file at a time'))
    form.on('error', () => bad(NOT_WHOLE))
    form.on('finish', () => (files === 0 && !hasFields ? giveUp(NO_FILE) : settle()))
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

/** The whole body as the file. */
const readPlain = async (request: UploadRequest, { maxBytes, limitMs }: UploadRule): Promise<UploadedForm> => {
  const file = await within(limitMs, wholeOf(request, maxBytes), () => tooSlowFor(limitMs))
  return { fields: {}, file: file ?? refuse('invalid-request', 'the file broke off: send it again') }
}

/** Undefined for what broke off. What is too large is read on for a while, so that its sender hears the answer. */
const wholeOf = async (request: UploadRequest, maxBytes: number): Promise<Buffer | undefined> => {
  const file: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes <= maxBytes) file.push(chunk)
      if (bytes > maxBytes + BEYOND_MAX_BYTES) break
    }
  } catch {
    return undefined
  }
  if (bytes > maxBytes) throw tooLargeFor(maxBytes)
  return Buffer.concat(file)
}

const tooLargeFor = (maxBytes: number): Refusal =>
  new Refusal('body-too-large', `The file is larger than ${maxBytes} bytes. Send a smaller one.`)

const tooSlowFor = (limitMs: number): Refusal =>
  new Refusal(
    'body-too-slow',
    `The file did not arrive within ${limitMs / 1_000} seconds. Send it again over a better connection.`,
  )

const NOT_WHOLE = 'the body has to be a whole multipart/form-data'

const formReader = (headers: IncomingHttpHeaders, maxBytes: number) => {
  const type = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new Refusal('invalid-request', 'send the file as multipart/form-data')
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { files: 1, fileSize: maxBytes, fields: FIELDS_MAX, fieldSize: maxBytes, headerPairs: HEADERS_MAX },
      isPartAFile: (_, contentType, fileName) => fileName !== undefined || !/^text\/plain/i.test(contentType ?? ''),
    })
  } catch {
    throw new Refusal('invalid-request', 'send the file as multipart/form-data, with a boundary')
  }
}
