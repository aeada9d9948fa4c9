import { connect } from 'node:net'
import test from 'ava'
import fc from 'fast-check'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { cases, HANG_MS, runs } from '../../support/depth.ts'
import { freshAddress, seller, signUp } from '../../support/seller.ts'
import { bodies, fields, formOf } from '../inputs.ts'
import { readLog } from '../log.ts'
import { conforms, type Refused, refused, strictly } from '../strict.ts'

const INVALID = { status: 400, code: 'svc_invalid_request' }
const MISSING = { status: 404, code: 'svc_not_found' }
const FUZZ = { numRuns: runs({ quick: 80, deep: 300 }), seed: 402 }
/** Longer than this is a hang. */
const FUZZ_TIME_MS = 5_000

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test.serial(
  'E-400-06 whatever is posted to any endpoint, the answer is well-formed, in time and never a 5xx',
  async (t) => {
    t.timeout(HANG_MS)
    const { key, resId } = await seller(app)
    const writes = surfaces().flatMap(({ name, endpoints }) =>
      endpoints.filter((e) => e.body).map((e) => ({ name, ...e })),
    )
    t.true(writes.length >= 9)
    const fuzz = fc.record({
      to: fc.constantFrom(...writes),
      body: bodies(resId),
      keyed: fc.boolean(),
      raw: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fuzz, async ({ to, body, keyed, raw }) => {
        const form = to.name === 'pay'
        const text = form ? `function=get-transaction&${formOf(body)}` : raw ? fc.stringify(body) : JSON.stringify(body)
        const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
        const path = to.method === 'put' ? `${to.path}?res_id=${resId}&asset=eth` : to.path
        const options = { body: text, headers: { 'content-type': type }, ...(keyed && { key }) }
        const started = Date.now()
        const answer = await app.call(to.method.toUpperCase(), path, options)
        if (answer.status >= 500) t.fail(`${to.path} answered ${answer.status} to ${text}`)
        if (Date.now() - started > FUZZ_TIME_MS) t.fail(`${to.path} took ${Date.now() - started} ms for ${text}`)
        conforms(t, to.method.toUpperCase(), path, form ? text : body, answer)
      }),
      FUZZ,
    )
    t.is((await app.call('GET', '/v1/me', { key })).status, 200)
  },
)

test.serial('E-400-06 what is refused for its form moves the log not one event', async (t) => {
  const { key } = await signUp(app)
  // The letter of the sign-up is sent meanwhile.
  const written = async () => (await readLog(app)).filter(({ type }) => type !== 'LetterSent').length
  const before = await written()
  for (const path of writePaths)
    for (const body of ['', '{', '[]', '{}', 'null', '{"a":1,"a":2}'])
      t.is((await app.call('POST', path, { key, body })).status, 400, `${path} ${body}`)
  t.is(await written(), before)
})

test('E-400-06 every field of every write refuses every other type', async (t) => {
  const { key } = await signUp(app)
  const others = { null: null, array: [], object: {}, text: 'x y', number: -7.5, true: true, nested: { a: { b: [1] } } }
  const calls = Object.entries(fields).flatMap(([target, list]) =>
    Object.entries(list).flatMap(([field, { good, takes }]) =>
      Object.entries(others)
        .filter(([type]) => !takes.includes(type))
        .map(([type, value]) => ({
          ...to(target, key),
          what: `${target} ${field} ${type}`,
          body: { ...good, [field]: value },
        })),
    ),
  )
  t.true(calls.length > 80)
  await refused(t, app, cases(calls, 3))
})

test('E-400-06 a NUL or half a character is refused in every field, in the path and in the query', async (t) => {
  const { key } = await signUp(app)
  const texts = Object.entries(fields).flatMap(([target, list]) =>
    Object.entries(list)
      .filter(([, { takes }]) => takes.includes('text'))
      .flatMap(([field, { good }]) =>
        ['a\0b', '\ud800', '\udc00a'].map((bad) => ({
          ...to(target, key),
          what: `${target} ${field}`,
          body: { ...good, [field]: bad },
        })),
      ),
  )
  const urls = [
    '/r/%00',
    '/checkout/a%00b',
    '/r/x?a=%00',
    '/r/x?%00=a',
    '/v1/resources?res_id=%00',
    '/v1/wallets?all=%ff',
  ]
  const reads = urls.map((path) => ({ what: path, method: 'GET', path, key, ...INVALID }))
  await refused(t, app, [...cases(texts, 3), ...reads])
})

test('E-404-03 E-400-06 broken percent signs, long and odd URLs are the caller’s fault and never ours', async (t) => {
  const { key } = await signUp(app)
  const get = { method: 'GET', key }
  const notFound = [
    '/r/%zz',
    '/r/%',
    '/r/%ff',
    '/r/%C3',
    '/r/..%2f..',
    `/r/${'x'.repeat(9_000)}`,
    '/v1/resources?res_id=%zz',
  ]
  const invalid = ['/v1/resources?res_id=%ff', '/v1/transactions?limit=1e3', '/v1/transactions?limit=-1']
  await refused(t, app, [
    ...notFound.map((path) => ({ what: path, path, ...get, ...MISSING })),
    ...invalid.map((path) => ({ what: path, path, ...get, ...INVALID })),
    ...['501', '٣', ' 1', '9'.repeat(30)].map((limit) => ({
      what: limit,
      path: `/v1/transactions?limit=${encodeURIComponent(limit)}`,
      ...get,
      ...INVALID,
    })),
  ])
  t.is((await app.call('GET', `/r/${'x'.repeat(60_000)}`)).status, 431)
})

test('E-400-06 a parameter that stands twice is refused on every operation, known to it or not', async (t) => {
  const { key } = await signUp(app)
  const paths = [
    'res_id=a&res_id=a',
    'download=1&download=1',
    'x=1&x=2',
    'all=1&all=1',
    'transaction_id=1&transaction_id=2',
  ]
  const reads = ['/v1/resources', '/v1/transactions', '/v1/wallets', '/v1/me', '/r/x', '/verify-email'].flatMap((at) =>
    paths.map((query) => ({ what: `${at} ${query}`, method: 'GET', path: `${at}?${query}`, key, ...INVALID })),
  )
  const put = { method: 'PUT', path: '/v1/wallets?asset=eth&asset=btc', key, body: { active: false }, ...INVALID }
  await refused(t, app, [...reads, { what: 'put', ...put }])
})

test('X-ERR-01 a method that a path does not answer is refused with the ones that it does', async (t) => {
  const call = strictly(t, app)
  const allowed = {
    '/v1/signup': 'POST',
    '/v1/me': 'HEAD, GET, POST',
    '/v1/account': 'HEAD, GET',
    '/v1/agent': 'HEAD, GET, POST',
    '/r/x': 'HEAD, GET, OPTIONS, POST',
  }
  for (const [path, allow] of Object.entries(allowed))
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, headers, json } = await call(method, path)
      t.deepEqual([status, json.error_code], [405, 'svc_method_not_allowed'], `${method} ${path}`)
      t.deepEqual(headers.get('allow')?.split(', ').sort(), allow.split(', ').sort())
    }
})

test('N-77 unknown fields are refused, with whatever names', async (t) => {
  const { key } = await signUp(app)
  const address = freshAddress()
  const body = `{"asset":"eth","address":"${address}","__proto__":{"asset":"btc"},"constructor":{"prototype":{"x":1}},"extra":[1]}`
  const answer = await strictly(t, app)('POST', '/v1/wallets', { key, body, headers: {} })
  t.like(answer, { status: 400, json: { error_code: 'svc_invalid_request' } })
  t.regex(answer.json.message, /^__proto__: this name is not known .*; constructor: .*; extra: this name is not known/)
  const wallets = await app.call('GET', '/v1/wallets', { key })
  t.deepEqual(wallets.json, { wallets: {} }, 'nothing of it is done')
  t.false('asset' in {} || 'x' in {})
})

test('broken connections, half bodies and requests that are no HTTP do not stop the service', async (t) => {
  const head = 'POST /v1/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const halves = [
    `${head}Content-Length: 100\r\n\r\n{"email":`,
    `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"ema`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   `,
    'GET // HTTP/1.1\r\nHost: x\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://other.example/v1/me HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /v1/me HTTP/1.1\r\n\r\n',
    '\x16\x03\x01\x02\x00',
  ]
  const answers = await Promise.all(halves.map(halfway))
  for (const [i, text] of answers.entries()) t.notRegex(text, /^HTTP\/1\.1 5/, halves[i])
  t.is((await app.call('GET', '/healthz')).status, 200)
  const signUps = (await readLog(app)).filter(({ type }) => type === 'AccountSignedUp')
  t.true(signUps.every(({ data }) => 'email' in data))
})

const writePaths = [
  'signup',
  'wallets',
  'custom-tokens',
  'resources',
  'webhook',
  'agent',
  'challenge',
  'verify',
  'simulate-payment',
].map((at) => `/v1/${at}`)

const to = (target: string, key: string): Omit<Refused, 'what'> => {
  const [method = '', path = ''] = target.split(' ')
  return { method, path, key, ...INVALID }
}

/** Sends a piece, waits a little, and hangs up; answers what came back until then. */
const halfway = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(new URL(app.served().origin).port), 'localhost', () => socket.write(text))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    setTimeout(() => socket.destroy(), 500)
  })
