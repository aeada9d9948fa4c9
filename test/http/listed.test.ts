import { connect } from 'node:net'
import test from 'ava'
import { isShared, NO_OPERATION } from '../../adapters/http/serving/methods.ts'
import { safeHeaders } from '../../adapters/http/serving/safe-headers.ts'
import { refusalWords } from '../../domain/kernel/refusals/refusal-words.ts'
import type { Answer } from '../../src/demo/client.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { beyond } from './listed/beyond.ts'
import { lackingIn, missingOf } from './listed/compare.ts'
import { type Document, plain } from './listed/document.ts'
import { type Listed, listed, MAY_LACK } from './listed/endpoints.ts'

/** The service beside the documents' own list of endpoints, all 187 of it: test/golden/endpoints.json. */

let app: TestApp
let document: Document
test.before(async () => {
  app = await startApp()
  document = (await app.call('GET', '/openapi.json')).json
})
test.after.always(() => app?.stop())

test('J-GEN-08 the served OpenAPI 3.1 document has every endpoint of the list, with its fields and its errors', (t) => {
  t.like(document, { openapi: '3.1.0' })
  t.is(listed.length, 187)
  t.deepEqual(
    listed.flatMap((e) => missingOf(document, e).map((what) => `${e.id} ${e.method} ${e.path} lacks ${what}`)),
    [],
  )
})

test('J-GEN-08 each field that the list names is in every answer, but where the documents say that it may be missing', (t) => {
  const lacking = listed.flatMap((e) => lackingIn(document, e).map((field) => `${e.id} ${field}`))
  t.deepEqual(
    lacking.filter((field) => !MAY_LACK.some(([fields]) => fields.test(field))),
    [],
  )
  for (const [fields, why] of MAY_LACK)
    t.true(
      lacking.some((field) => fields.test(field)),
      why,
    )
})

test('J-GEN-08 its paths are those of the list, and beyond it those that are ours, for a reason each', (t) => {
  const ours = Object.keys(document.paths).map(plain)
  const theirs = new Set(listed.map(({ path }) => plain(path)))
  t.deepEqual(
    [...theirs].filter((path) => !ours.includes(path)),
    [],
  )
  const more = ours.filter((path) => !theirs.has(path))
  t.deepEqual(
    more.filter((path) => beyond.filter(([paths]) => paths.test(path)).length !== 1),
    [],
    'each has one reason',
  )
  for (const [paths, why] of beyond)
    t.true(
      more.some((path) => paths.test(path)),
      why,
    )
})

test('J-GEN-08 each reference in the document leads to a schema that says something', (t) => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  t.true(references.length > 50)
  for (const [, name = ''] of references) {
    const schema = document.components.schemas[name]
    t.true(schema !== undefined && schema.$ref === undefined, name)
  }
})

test('J-GEN-01 every path of the list is answered by an operation of its surface', async (t) => {
  const unknown: string[] = []
  for (const e of listed) {
    const answer = await called(e)
    const isOperation = answer.status !== 405 && !NO_ROUTE.has(answer.json?.message ?? answer.json?.error_description)
    if (!isOperation) unknown.push(`${e.id} ${e.method} ${e.path}: ${answer.status} ${answer.text}`)
  }
  t.deepEqual(unknown, [])
})

/** What the service says where nothing answers a path, or nothing what picks on it. */
const NO_ROUTE: ReadonlySet<unknown> = new Set([refusalWords['route-not-found'], NO_OPERATION])

/** Asked with what picks it and nothing else, by nobody. */
const called = ({ method, path, query, requestFields, surface, variant }: Listed): Promise<Answer> => {
  const picks = query.flatMap(({ name, notes = 'x' }) =>
    /^[\w ]+$/.test(name) ? [[name, notes.split(/[, ]/)[0] ?? 'x']] : [],
  )
  const search = new URLSearchParams(picks.filter(([name]) => !/ /.test(name ?? '')) as [string, string][])
  const at = `${path.replace(/\{\w+\}/g, 'x')}?${search}`
  const verb = method === 'not shown' ? 'POST' : method
  if (verb === 'GET' || verb === 'DELETE') return app.call(verb, at)
  const acts = requestFields.some(({ name }) => name === 'action') && { action: variant }
  if (surface === 'json') return app.call(verb, at, { body: { ...acts } })
  const name = variant === 'surface' ? 'get-cloud-token' : (variant ?? '')
  const form =
    surface === 'merchant' ? new URLSearchParams({ function: functionOn(path, name) }) : new URLSearchParams()
  return app.call(verb, at, { headers: FORM, body: form.toString() })
}

/** Each further API of the console answers some of the functions. */
const functionOn = (path: string, name: string): string => (path === '/payment/api.php' ? 'get-transaction' : name)

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('N-70 N-72 A-GEN-02 every answer is sealed off from other sites, and only what the documents share is shared with them', async (t) => {
  const wrong: string[] = []
  for (const surface of surfaces())
    for (const e of surface.endpoints)
      for (const method of isShared(e) ? [e.method.toUpperCase(), 'OPTIONS'] : [e.method.toUpperCase()]) {
        const search = new URLSearchParams(
          Object.entries(e.when ?? {}).map(([name, value]) => [name, value === true ? 'x' : value]),
        )
        const path = `${e.path.replace(/:\w+/g, 'x')}?${search}`
        const { status, headers } = await app.call(method, path, {
          headers: { ...ELSEWHERE, ...ACCEPT[e.page ? 'page' : 'data'] },
        })
        const faults = faultsOf(headers, isShared(e), e.auth === 'none' || e.auth === 'shop')
        wrong.push(...faults.map((fault) => `${surface.name} ${method} ${path} ${status}: ${fault}`))
      }
  for (const path of [
    '/',
    '/nothing',
    '/v1/wallets',
    '/oauth2',
    '/api.php',
    '/openapi.json',
    '/healthz',
    '/assets/pay.js',
    '/dev/inbox',
  ])
    for (const method of ['GET', 'PUT', 'TRACE', 'OPTIONS']) {
      const { headers } = await raw(method, path)
      wrong.push(...faultsOf(headers, false, true).map((fault) => `${method} ${path}: ${fault}`))
    }
  t.deepEqual(wrong, [])
})

test('N-72 what is no HTTP at all is answered by nothing that a browser could take for a page', async (t) => {
  for (const [sent, status] of [
    ['GET / nonsense\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 431],
  ] as const) {
    const answer = await said(sent)
    t.regex(answer, new RegExp(`^HTTP/1.1 ${status} `))
    t.deepEqual(faultsOf(new Headers(headersOf(answer)), false, false), [])
  }
})

test('N-72 a service behind TLS has browsers come back over TLS alone', async (t) => {
  for (const [base, said] of [
    ['https://pay.example', true],
    ['http://localhost:4020', false],
  ] as const) {
    const given: Record<string, string> = {}
    await safeHeaders(base)({ set: (headers: object) => Object.assign(given, headers) } as never, async () => {})
    t.is('Strict-Transport-Security' in given, said, base)
  }
})

const ELSEWHERE = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' }
const ACCEPT = { page: { accept: 'text/html' }, data: { accept: 'application/json' } } as const

/** What is wrong with the headers of an answer. */
const faultsOf = (headers: Headers, isShared: boolean, mayBeKept: boolean): string[] => {
  const policy = headers.get('content-security-policy') ?? ''
  const shared = headers.get('access-control-allow-origin')
  const rules: readonly (readonly [what: string, holds: boolean])[] = [
    ['nosniff', headers.get('x-content-type-options') === 'nosniff'],
    ['no referrer', headers.get('referrer-policy') === 'no-referrer'],
    ['nothing but what is named', /default-src 'none'/.test(policy) && !/unsafe|\*/.test(policy)],
    ['no frame', /frame-ancestors 'none'|sandbox/.test(policy) && headers.get('x-frame-options') === 'DENY'],
    ['no devices', /camera=\(\)/.test(headers.get('permissions-policy') ?? '')],
    ['its own', /^(same|cross)-origin$/.test(headers.get('cross-origin-resource-policy') ?? '')],
    [
      'kept by nobody',
      mayBeKept ? headers.has('cache-control') : /no-store|no-cache/.test(headers.get('cache-control') ?? ''),
    ],
    ['shared as declared', isShared ? shared === '*' : shared === null],
    ['no cookies from elsewhere', headers.get('access-control-allow-credentials') === null],
    ['no promise of TLS without it', !headers.has('strict-transport-security')],
  ]
  return rules.filter(([, holds]) => !holds).map(([what]) => what)
}

/** A call with any method, which `fetch` would not make. */
const raw = async (method: string, path: string): Promise<{ headers: Headers }> => {
  const answer = await said(
    `${method} ${path} HTTP/1.1\r\nHost: any\r\nOrigin: ${ELSEWHERE.origin}\r\nConnection: close\r\n\r\n`,
  )
  return { headers: new Headers(headersOf(answer)) }
}

const said = async (text: string): Promise<string> => {
  const socket = connect(Number(new URL(app.served().origin).port), 'localhost')
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

const headersOf = (answer: string): [string, string][] =>
  (answer.split('\r\n\r\n')[0] ?? '')
    .split('\r\n')
    .slice(1)
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
