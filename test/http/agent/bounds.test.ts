import { connect } from 'node:net'
import test from 'ava'
import { MESSAGE_MAX_BYTES } from '../../../adapters/input/short-text.ts'
import type { CallOptions } from '../../../src/demo/client.ts'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleOk } from '../../support/console.ts'
import { cases, HANG_MS } from '../../support/depth.ts'
import { payInFull, shop, verify } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { readLog } from '../log.ts'

/** What one caller can cost everybody: much to read, much to write, and much to wait for. */

/** Bytes that a network of strangers may write here in an hour. */
const BUDGET = 60_000
const SLOW_MS = 60_000
const MANY = '1000000'
/** Names that every object has. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

let app: TestApp
test.before(async () => {
  const limits = Object.fromEntries(
    ['KEY', 'ADDRESS', 'VISITOR'].flatMap((name) => [
      [`${name}_RATE_BURST`, MANY],
      [`${name}_RATE_PER_SECOND`, MANY],
    ]),
  )
  app = await startApp({ env: { TRUST_PROXY: '1', STRANGER_BYTES_PER_HOUR: String(BUDGET), ...limits } })
})
test.after.always(() => app?.stop())

const from =
  (address: string) =>
  (method: string, path: string, { headers, ...options }: CallOptions = {}) =>
    app.call(method, path, { ...options, headers: { 'x-forwarded-for': address, ...headers } })

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('E-400-06 250 KB of wrong items, names or fields cost 2 KB of answer at every endpoint that takes a body', async (t) => {
  t.timeout(HANG_MS)
  const call = from('198.51.100.1')
  const list = Array.from({ length: 120_000 }, () => 1)
  const names = JSON.stringify(Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`name-${i}`, 1])))
  const fields = Array.from({ length: 25_000 }, (_, i) => `name${i}=1`).join('&')
  const takers = surfaces().flatMap(({ name, endpoints }) =>
    endpoints
      .filter((e) => e.body && e.method !== 'get' && !e.takes?.raw)
      .map((e) => ({ ...e, isForm: name !== 'agent' || e.page })),
  )
  t.true(takers.length > 100)
  for (const [i, { method, path, when = {}, isForm, body }] of cases(takers, 6).entries()) {
    const given = Object.entries(when).map(([name, value]) => [name, value === true ? '1' : value])
    const to = `${path.replaceAll(/:\w+/g, 'x')}?${new URLSearchParams(given)}`
    const wrong = Object.fromEntries(
      Object.keys((body as { shape?: object }).shape ?? { ids: 1 }).map((name) => [name, list]),
    )
    const flood = isForm ? fields : i % 3 === 0 ? names : JSON.stringify(wrong).slice(0, 250_000)
    const { status, text } = await call(method.toUpperCase(), to, { body: flood, headers: isForm ? FORM : {} })
    t.is(Math.floor(status / 100), 4, `${method} ${to} answered ${status}`)
    t.true(text.length < MESSAGE_MAX_BYTES + 1_000, `${method} ${to}: ${text.length} bytes`)
  }
})

test('E-400-06 a query with thousands of parameters is refused in few words', async (t) => {
  const call = from('198.51.100.2')
  for (const query of ['a=1&'.repeat(3_000), Array.from({ length: 1_500 }, (_, i) => `n${i}=`).join('&')])
    for (const path of ['/v1/market', '/r/x', '/oauth2', '/sign-in']) {
      const { status, text } = await call('GET', `${path}?${query}`)
      t.is(status, 400, path)
      t.true(text.length < MESSAGE_MAX_BYTES, path)
    }
})

test('L-JSN-12 a flood of carts from one network ends at its budget; another network, and who pays, go on', async (t) => {
  const flooder = from('198.51.100.3')
  const s = await shop(app)
  const { cloud_token: cloud } = await consoleOk(app, s.key, 'get-cloud-token')
  const sold = { line_items: [{ item: { id: s.resId } }] }
  const opened = await flooder('GET', `/r/${s.resId}`)
  t.is(opened.status, 402)
  const context = { note: 'x'.repeat(7_000) }
  const cart = (call: ReturnType<typeof from>) =>
    call('POST', `/checkout-sessions?cloud=${cloud}`, { body: { ...sold, context } })
  const answers = []
  for (let n = 0; n < 12; n++) answers.push(await cart(flooder))
  const made = answers.findIndex(({ status }) => status !== 200)
  t.true(made >= 3 && made <= 7, `${made} carts`)
  for (const { status, json, headers } of answers.slice(made)) {
    t.deepEqual([status, json.error_code], [429, 'svc_rate_limited'])
    t.regex(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
  const created = (await readLog(app)).filter(({ type }) => type === 'CheckoutSessionCreated')
  const written = created.filter(({ data }) => JSON.stringify(data).includes(s.resId))
  const bytes = written.map(({ data }) => JSON.stringify(data).length)
  t.is(written.length, made, 'what was refused is not in the log')
  t.true(bytes.reduce((sum, each) => sum + each, 0) <= BUDGET + Math.max(...bytes))
  t.is((await cart(from('198.51.100.4'))).status, 200)

  const other = await shop(app)
  t.is((await flooder('GET', `/r/${other.resId}`)).status, 429, 'nothing new is opened')
  const page = await flooder('GET', `/r/${other.resId}?asset=eth`, { headers: { accept: 'text/html' } })
  t.deepEqual([page.status, /^<!doctype html>/.test(page.text)], [429, true])
  t.is((await flooder('GET', `/r/${s.resId}`)).json.accepts[0].challengeId, opened.json.accepts[0].challengeId)
  t.is((await flooder('GET', '/v1/wallets', { key: s.key })).status, 200)
  const [offer] = opened.json.accepts
  const hash = await payInFull(app, offer)
  const body = { challengeId: offer.challengeId, hash }
  t.is((await ok(flooder('POST', '/v1/verify', { body }))).json.settled, true)
  t.is((await ok(verify(app, offer.challengeId, hash))).json.settled, true)
})

test('C-SES-01 what is said of a buyer is bounded by its bytes, whatever its characters are', async (t) => {
  const s = await shop(app, { webhook: false })
  const { cloud_token: cloud } = await consoleOk(app, s.key, 'get-cloud-token')
  const call = from('198.51.100.5')
  const said = (buyer: object) =>
    call('POST', `/checkout-sessions?cloud=${cloud}`, { body: { line_items: [{ item: { id: s.resId } }], buyer } })
  t.is((await said({ note: 'é'.repeat(4_000) })).status, 200)
  const { status, json } = await said({ note: '€'.repeat(4_000) })
  t.deepEqual([status, json.error_code], [400, 'svc_invalid_request'])
  t.regex(json.message, /^buyer: has to have at most 8192 bytes/)
})

test('X-ERR-01 two Host headers, or one that names no host, are refused with 400', async (t) => {
  const get = (...hosts: string[]) =>
    sent(`GET /v1/market HTTP/1.1\r\nConnection: close\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}\r\n`)
  for (const hosts of [['a', 'b'], ['a', 'a'], ['a, b'], ['a b'], ['[::1'], ['a:99999'], ['u@a'], ['a/b']])
    t.regex(await get(...hosts), /^HTTP\/1\.1 400 .*svc_invalid_request/s, hosts.join())
  for (const host of ['localhost', 'A.example:80', '[::1]:4020', '__proto__.localhost', ''])
    t.regex(await get(host), /^HTTP\/1\.1 200 /, host)
})

test('E-404-03 E-400-06 names that every object has are names like others, in a path, a query and a body', async (t) => {
  t.timeout(HANG_MS)
  const { key } = await shop(app, { webhook: false })
  const call = from('198.51.100.6')
  const all = surfaces().flatMap(({ name: surface, endpoints }) => endpoints.map((e) => ({ ...e, surface })))
  for (const [i, { surface, method, path, when = {}, page, produces = '', query, body }] of cases(all, 5).entries()) {
    if (produces.startsWith('text/event-stream')) continue
    const name = INHERITED[i % INHERITED.length] as string
    const isForm = surface !== 'agent' || page
    const inBody = surface === 'pay' && method === 'post'
    const picks = Object.fromEntries(Object.entries(when).map(([each, value]) => [each, value === true ? name : value]))
    const given = { ...named(query, name), ...(!inBody && picks), ...(!path.includes(':') && { [name]: name }) }
    const fields = { ...named(body, name), ...(inBody && picks) }
    const json = JSON.stringify({ ...fields, last: 1 }).replace('"last":1', `"${name}":{"${name}":1}`)
    const to = `${path.replaceAll(/:\w+/g, name)}?${new URLSearchParams(given)}`
    const { status } = await call(method.toUpperCase(), to, {
      key,
      headers: { ...(isForm && FORM), ...(page && { accept: 'text/html' }) },
      ...(method !== 'get' &&
        method !== 'delete' && { body: isForm ? `${new URLSearchParams(fields)}&${name}=1` : json }),
    })
    t.true(status < 500, `${method} ${to} answered ${status}`)
    if (path.startsWith('/v1/') && path.includes(':')) t.true([400, 403, 404].includes(status), `${to}: ${status}`)
  }
})

/** Every field of a shape, holding a name. */
const named = (shape: unknown, name: string): Record<string, string> =>
  Object.fromEntries(Object.keys((shape as { shape?: object } | undefined)?.shape ?? {}).map((each) => [each, name]))

test('X-ERR-01 a body that never comes is answered 408 in its time, and its connection ends', async (t) => {
  t.timeout(HANG_MS)
  const head = (path: string, type = 'application/json') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n{`
  const [still, trickled, form, unread] = await Promise.all([
    sent(head('/v1/signup')),
    sent(head('/v1/signup'), 'a'),
    sent(head('/sign-in', FORM['content-type']), 'a'),
    sent(head('/nothing'), 'a'),
  ])
  for (const answer of [still, trickled]) t.regex(answer, /^HTTP\/1\.1 408 .*\nConnection: close.*svc_request_timeout/s)
  t.regex(form, /^HTTP\/1\.1 408 .*\nConnection: close.*<html/s)
  t.regex(unread, /^HTTP\/1\.1 404 .*\nConnection: close/s)
  for (const answer of [still, trickled, form, unread]) t.regex(answer, /\(closed\)$/)
  t.is((await app.call('GET', '/healthz')).status, 200)
})

/**
 * What came back until the service closed the connection, or the time was up; `trickle` is sent twice a second
 * meanwhile.
 */
const sent = (text: string, trickle = ''): Promise<string> =>
  new Promise((resolve) => {
    let answer = ''
    let more: NodeJS.Timeout | undefined
    // On a busy machine a connection takes a while, and what is written before that comes first.
    const socket = connect(Number(new URL(app.served().origin).port), 'localhost', () => {
      socket.write(text)
      if (trickle) more = setInterval(() => socket.writable && socket.write(trickle), 500)
    })
    const end = setTimeout(() => socket.destroy(), SLOW_MS)
    let closed = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('end', () => {
      closed = '(closed)'
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(more)
      clearTimeout(end)
      resolve(answer + closed)
    })
  })
