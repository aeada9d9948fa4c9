import { Agent, request } from 'node:http'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { BODY_MAX_BYTES, readForm, readJson } from '../../adapters/input/body.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { freshAddress, signUp } from '../support/seller.ts'
import { type Refused, refused } from './strict.ts'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('a JSON body is read as it stands, and an empty one has no fields', (t) => {
  t.deepEqual(readJson('{"a":1,"b":{"a":"\\u00e9"},"c":[{"a":1},{"a":2}]}'), {
    a: 1,
    b: { a: 'é' },
    c: [{ a: 1 }, { a: 2 }],
  })
  for (const empty of ['', ' ', '\r\n\t']) t.deepEqual(readJson(empty), {})
})

test('E-400-06 JSON that two readers could understand differently is refused', (t) => {
  for (const [what, text] of Object.entries(ambiguous))
    t.is(t.throws(() => readJson(text), { instanceOf: Refusal }, what)?.code, 'invalid-request', what)
})

test('nesting is refused from the 33rd level on, whether it can be seen in the value or not', (t) => {
  t.notThrows(() => readJson(nested(32)))
  t.notThrows(() => readJson(inObjects(32)))
  for (const depth of [33, 200, 100_000])
    for (const text of [nested(depth), inObjects(depth), `{"a":${nested(depth)},"a":1}`])
      t.is(t.throws(() => readJson(text), { instanceOf: Refusal })?.code, 'invalid-request', `${depth} levels`)
})

test('keys with a meaning in JavaScript are plain keys', (t) => {
  const body = readJson('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}')
  t.is(Object.getPrototypeOf(body), Object.prototype)
  t.false('admin' in {})
  const form = readForm('__proto__=x&constructor=y&hasOwnProperty=z&a=1')
  t.deepEqual([form.a, form.hasOwnProperty as unknown, 'x' in {}], ['1', 'z', false])
})

test('a form field stands once, and holds text that a database can keep', (t) => {
  t.deepEqual(readForm('a=1&b=%C3%A9+x&c='), { a: '1', b: 'é x', c: '' })
  for (const text of [
    'a=1&a=2',
    'a=1&a=1',
    'a=1&%61=2',
    'a=%00',
    '%00=a',
    'a=%ff',
    'a=%ED%A0%80',
    'hasOwnProperty=1&a=1&a=2',
    '__proto__=1&__proto__=1',
  ])
    t.is(t.throws(() => readForm(text), { instanceOf: Refusal }, text)?.code, 'invalid-request', text)
})

test('a form has at most 1,000 fields', (t) => {
  const form = (fields: number) => Array.from({ length: fields }, (_, n) => `f${n}=`).join('&')
  t.is(Object.keys(readForm(form(1_000))).length, 1_000)
  t.is(t.throws(() => readForm(form(1_001)), { instanceOf: Refusal })?.code, 'invalid-request')
})

test.serial('E-400-06 broken and ambiguous bodies are refused at the door and nothing is written', async (t) => {
  const { key } = await signUp(app)
  const target = { path: '/v1/wallets', key, status: 400, code: 'svc_invalid_request' }
  const ofLists = ['[]', '7', '"text"', 'null', 'true'].map((body) => ({ what: body, body, ...target }))
  const ofText = Object.entries(ambiguous).map(([what, body]) => ({ what, body, ...target }))
  const empty = ['', ' '].map((body) => ({ what: 'empty', body, ...target }))
  const deep = [nested(200), nested(100_000), inObjects(40_000)].map((body) => ({ what: 'deep', body, ...target }))
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
  ]
  const ofTypes = types.map((type) => ({ what: type, body: WALLET, headers: { 'content-type': type }, ...target }))
  await refused(t, app, [...ofLists, ...ofText, ...empty, ...deep, ...ofTypes])
})

test('a body is taken up to its limit and refused one byte above it, also without a declared length', async (t) => {
  const { key } = await signUp(app)
  const padded = (bytes: number) => WALLET + ' '.repeat(bytes - WALLET.length)
  t.is((await app.call('POST', '/v1/wallets', { key, body: padded(BODY_MAX_BYTES) })).status, 200)
  const target: Omit<Refused, 'what'> = { path: '/v1/wallets', key, status: 413, code: 'svc_body_too_large' }
  await refused(t, app, [
    { what: 'one byte more', body: padded(BODY_MAX_BYTES + 1), ...target },
    { what: 'two megabytes', body: padded(2_000_000), ...target },
    { what: 'two megabytes of one field', body: { asset: 'eth', address: 'x'.repeat(2_000_000) }, ...target },
  ])
  t.is((await send(key, streamOf(padded(2_000_000)), {})).status, 413)
  t.is((await send(key, streamOf(padded(1_000)), {})).status, 200)
})

test('a compressed body is inflated up to the limit and no further', async (t) => {
  const { key } = await signUp(app)
  const wallet = JSON.stringify({ asset: 'eth', address: freshAddress() })
  const bomb = Buffer.alloc(50_000_000, ' ')
  for (const [encoding, compress] of Object.entries(COMPRESSORS)) {
    const headers = { 'content-encoding': encoding }
    t.is((await send(key, compress(wallet), headers)).status, 200, encoding)
    const before = process.memoryUsage().arrayBuffers
    const { status, code } = await send(key, compress(bomb), headers)
    t.deepEqual([status, code], [413, 'svc_body_too_large'], encoding)
    t.true(process.memoryUsage().arrayBuffers - before < bomb.length, 'it was not inflated whole')
    for (const broken of [Buffer.from(wallet), compress(wallet).subarray(0, -6)])
      t.deepEqual(await send(key, broken, headers), { status: 400, code: 'svc_invalid_request' }, `broken ${encoding}`)
  }
  t.deepEqual(await send(key, wallet, { 'content-encoding': 'zstd' }), { status: 400, code: 'svc_invalid_request' })
})

test('a connection goes on after a body that was refused half way', async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const bomb = { body: gzipSync(Buffer.alloc(50_000_000, ' ')), headers: { 'content-encoding': 'gzip' } }
  const long = { body: Buffer.alloc(BODY_MAX_BYTES + 100_000, ' '), headers: { 'transfer-encoding': 'chunked' } }
  for (const { body, headers } of [bomb, long]) {
    t.is(await overOne(agent, body, headers), 413)
    t.is(await overOne(agent, Buffer.from('{}'), {}), 400)
  }
})

test('bytes that are no UTF-8 are refused, so that two of them never look the same', async (t) => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    const password = Buffer.concat([Buffer.from('long enough '), Buffer.from(bytes)])
    const body = Buffer.concat([Buffer.from('{"email":"bytes@x.test","password":"'), password, Buffer.from('"}')])
    t.deepEqual(await post('/v1/signup', body, {}), { status: 400, code: 'svc_invalid_request' })
  }
})

const brotliSync = (bytes: Buffer | string) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
const COMPRESSORS = { gzip: gzipSync, deflate: deflateSync, br: brotliSync }

const WALLET = JSON.stringify({ asset: 'eth', address: freshAddress() })

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
const inObjects = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`

const ambiguous: Readonly<Record<string, string>> = {
  'a duplicate key': '{"asset":"eth","asset":"btc"}',
  'a duplicate key, written differently': '{"asset":"eth","\\u0061sset":"btc"}',
  'a duplicate key further down': '{"a":[{"b":{"c":1,"d":2,"c":3}}]}',
  'a duplicate __proto__': '{"__proto__":1,"__proto__":2}',
  'a duplicate key with the same value': '{"a":1,"a":1}',
  'an escaped NUL': '{"asset":"eth\\u0000"}',
  'an escaped NUL in a key': '{"as\\u0000set":1}',
  'a raw NUL': '{"asset":"eth\0"}',
  'a raw NUL outside': '{"asset":"eth"}\0',
  'half a surrogate pair': '{"asset":"\\ud83d"}',
  'the other half': '{"asset":"\\ude00x"}',
  'half a pair in a key': '{"a":[{"\\ud83d":1}]}',
  'a replacement character': '{"asset":"\ufffd"}',
  'a comment': '{"asset":"eth"} // hello',
  'a trailing comma': '{"asset":"eth",}',
  'single quotes': "{'asset':'eth'}",
  'two values': '{"a":1}{"a":2}',
  'an open end': '{"asset":"eth"',
  'no JSON': 'asset=eth',
  NaN: '{"amount":NaN}',
}

const send = (key: string, body: BodyInit, headers: Record<string, string>) =>
  post('/v1/wallets', body, { 'x-api-key': key, ...headers })

const post = async (path: string, body: BodyInit, headers: Record<string, string>) => {
  const response = await fetch(new URL(path, app.served().origin), {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit)
  const { error_code: code } = (await response.json()) as { error_code?: string }
  return { status: response.status, ...(code !== undefined && { code }) }
}

/** The status of a sign-up over the one connection of the agent. */
const overOne = (agent: Agent, body: Buffer, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const url = new URL('/v1/signup', app.served().origin)
    const options = {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      timeout: 10_000,
    }
    const sent = request(url, options, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer')))
    sent.on('error', reject)
    sent.end(body)
  })

/** Sent in pieces, so that its length is not known beforehand. */
const streamOf = (text: string) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < text.length; at += 50_000) controller.enqueue(Buffer.from(text.slice(at, at + 50_000)))
      controller.close()
    },
  })
