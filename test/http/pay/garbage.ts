/** Bodies that no form of the console is, and how they are sent. */
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { ExecutionContext } from 'ava'
import type { TestApp } from '../../support/app.ts'
import { readLog } from '../log.ts'

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Bad = {
  what: string
  body: string | Uint8Array
  type?: string
  /** Added to the path. */
  query?: string
  status: number
  code: string
}

/** Longer than this is a hang, on however busy a machine. */
export const ANSWER_MS = 25_000

const INVALID = { status: 400, code: 'svc_invalid_request' }
const TOO_LARGE = { status: 413, code: 'svc_body_too_large' }
const UNKNOWN = { status: 404, code: 'svc_unknown_function' }
const MEGABYTE = 1_048_576
const FIELDS = 10_000

/** Whatever the function is, it does not come to be called. */
export const badFor = (name: string): Bad[] => {
  const form = `function=${name}`
  const boundary = '----daybook'
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="function"\r\n\r\n${name}\r\n--${boundary}--\r\n`
  const odd: [what: string, more: string | Uint8Array][] = [
    ['a NUL', '&a=%00'],
    ['a name with a NUL', '&%00=a'],
    ['no UTF-8', '&a=%ff%fe'],
    ['half a character', '&a=%ed%a0%80'],
    ['bytes that are no text', bytes(name)],
    ['a field twice', '&a=1&a=1'],
    ['a field of JavaScript twice', '&__proto__=1&__proto__=2'],
    ['the function twice', `&${form}`],
    ['ten thousand fields', Array.from({ length: FIELDS }, (_, n) => `&f${n}=`).join('')],
  ]
  return [
    { what: 'JSON', body: JSON.stringify({ function: name }), type: 'application/json', ...INVALID },
    { what: 'a form as JSON', body: form, type: 'application/json', ...INVALID },
    { what: 'several parts', body: part, type: `multipart/form-data; boundary=${boundary}`, ...INVALID },
    { what: 'text', body: form, type: 'text/plain', ...INVALID },
    { what: 'no type', body: form, type: '', ...INVALID },
    ...odd.map(([what, more]) => ({ what, body: joined(form, more), ...INVALID })),
    { what: 'a megabyte', body: `${form}&a=${'x'.repeat(MEGABYTE)}`, ...TOO_LARGE },
    { what: 'the function in the address too', body: form, query: form, ...INVALID },
    { what: 'another function in the address', body: form, query: 'function=delete-transaction', ...INVALID },
  ]
}

/** What names no function at all. */
export const nameless: readonly Bad[] = [
  '',
  'function=',
  'function',
  'a=1',
  '=',
  '&&&',
  '%',
  'function=%zz',
  '{',
  '<xml/>',
  `${'x'.repeat(200_000)}=1`,
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'nope', 'GET-SETTINGS', 'get-settings ', 'é'].flatMap(
    (name) => [`function=${encodeURIComponent(name)}`, `${encodeURIComponent(name)}=get-settings`],
  ),
  'function[]=get-settings',
  'function%5B%5D=get-settings',
  'function.x=get-settings',
  'Function=get-settings',
  `function=${'x'.repeat(200_000)}`,
].map((body) => ({ what: body.slice(0, 60), body, ...UNKNOWN }))

/** What stands in a field that there is; it may be good for some of them. */
export const VALUES = [
  '',
  '-1',
  '1e3',
  'NaN',
  '1'.repeat(40),
  '٣',
  '9007199254740993',
  'x'.repeat(100_000),
  '😀'.repeat(500),
  'null',
  '[]',
  '{',
  '{"__proto__":{"a":1},"constructor":1}',
  '['.repeat(5_000),
  "'; drop table transactions; --",
  '../../etc/passwd',
  '\u202etxet',
]

/** Sends each as it is; each is refused as it says, in the envelope, and none leaves a trace in the log. */
export const refusesBytes = async (
  t: ExecutionContext,
  app: TestApp,
  key: string,
  calls: readonly (Bad & { path: string })[],
) => {
  const ids = new Map<string, string>()
  for (const { path, what, body, type, query = '', status, code } of calls) {
    const requestId = `test-${randomUUID()}`
    const headers = {
      ...FORM,
      'x-api-key': key,
      'x-request-id': requestId,
      ...(type !== undefined && { 'content-type': type }),
    }
    const answer = await sendBytes(app, `${path}${query && '?'}${query}`, body, headers)
    const json = JSON.parse(answer.text)
    t.deepEqual(
      [answer.status, json.error_code],
      [status, code],
      `${path} ${what} ${Buffer.from(body).toString().slice(0, 60)}`,
    )
    t.deepEqual(Object.keys(json), ['success', 'error_code', 'message'])
    t.is(json.success, false)
    ids.set(requestId, what)
  }
  await wroteNothing(t, app, ids)
}

/** None of these calls, by the id of each, has left a trace in the log. */
export const wroteNothing = async (t: ExecutionContext, app: TestApp, ids: ReadonlyMap<string, string>) => {
  const written = (await readLog(app)).map(({ cause, type }) => [ids.get(cause.correlationId), type])
  t.deepEqual(
    written.filter(([what]) => what !== undefined),
    [],
  )
}

/** Sends bytes as they are. Unlike `fetch`, it reads an answer that comes before the body has gone. */
const sendBytes = (
  app: TestApp,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, signal: AbortSignal.timeout(ANSWER_MS) }
    const call = request(new URL(path, app.served().origin), options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
      })
    })
    call.on('error', reject)
    call.end(body)
  })

/** Bytes that are no UTF-8, others for every seed. */
const bytes = (seed: string): Uint8Array => {
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7)
  const noise = Array.from({ length: 2_000 }, () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state >>> 24
  })
  return Uint8Array.from([...Buffer.from('&a='), 0xff, ...noise])
}

const joined = (form: string, more: string | Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(form), Buffer.from(more)])
