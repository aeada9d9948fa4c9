import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import test from 'ava'
import { connect } from '../../../adapters/postgres/connect.ts'
import { eventStoreDb } from '../../../adapters/store/client/eventstoredb.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { openapiDocument, surfaces } from '../../../src/runtime/openapi.ts'
import { newEvent } from '../../store/events.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { cases, DEEP, HANG_MS, runs } from '../../support/depth.ts'
import { freshEmail, signUp } from '../../support/seller.ts'

const FLOOD = runs({ quick: 60, deep: 150 })
const METHODS = ['get', 'post', 'put', 'delete', 'patch']

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test.serial(
  `X-ERR-01 of ${FLOOD} sign-ups at once each is answered or asked to wait, and those that were answered can be used`,
  async (t) => {
    t.timeout(HANG_MS)
    const flood = Array.from({ length: FLOOD }, () => app.call('POST', '/v1/signup', { body: newcomer() }))
    const answers = await Promise.all(flood)
    const refusals = answers.filter(({ status }) => status !== 200)
    for (const { status, json, headers } of refusals) {
      t.deepEqual([status, json.error_code], [429, 'svc_rate_limited'])
      t.regex(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    }
    t.true(answers.length - refusals.length >= (2 * FLOOD) / 3, `${answers.length - refusals.length} got through`)
    const keys = answers.flatMap(({ json }) => json.api_key ?? [])
    t.is(new Set(keys).size, FLOOD - refusals.length)
    await eventually('the read models', async () => (await app.call('GET', '/readyz')).status === 200)
    for (const key of [keys[0], keys.at(-1)]) t.is((await app.call('GET', '/v1/wallets', { key })).status, 200)
    t.is((await app.call('POST', '/v1/signup', { body: newcomer() })).status, 200, 'and then it goes on')
  },
)

test('the document is valid OpenAPI 3.1, and the one in docs', async (t) => {
  const { status, headers, json } = await app.call('GET', '/openapi.json')
  t.deepEqual([status, headers.get('content-type')], [200, 'application/json; charset=utf-8'])
  t.true(json.openapi.startsWith('3.1.'))
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(json))
  t.true(valid, JSON.stringify(errors, undefined, 1)?.slice(0, 2_000))
  t.deepEqual(json, JSON.parse(JSON.stringify(openapiDocument())))
  t.deepEqual(JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')), json)
})

const same = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)

const security = {
  none: [{}],
  key: [{ apiKey: [] }],
  offered: [{}, { apiKey: [] }],
  cloud: [{ cloud: [] }],
  client: [{ client: [] }],
  app: [{}, { client: [] }],
  bearer: [{ bearer: [] }],
  person: [{ session: [] }],
  visitor: [{}, { session: [] }],
  member: [{ member: [] }],
  guest: [{}, { member: [] }],
  shop: [{}, { cloud: [] }],
}

test('the document lists exactly the operations that there are, with their key and their parameters', async (t) => {
  const { paths } = (await app.call('GET', '/openapi.json')).json as {
    paths: Record<string, Record<string, Operation>>
  }
  const listed = Object.entries(paths).flatMap(([path, at]) => Object.keys(at).map((method) => `${method} ${path}`))
  const endpoints = surfaces().flatMap((surface) => surface.endpoints)
  const declared = endpoints.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  t.deepEqual(listed.toSorted(), [...new Set(declared)].sort())
  for (const { method, path, auth } of endpoints) {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method] as Operation
    const ways = (operation.security as object[] | undefined) ?? [{}]
    for (const way of security[auth])
      t.true(
        ways.some((each) => same(each, way)),
        path,
      )
    const placed = operation.parameters.filter((p) => p.in === 'path').map(({ name }) => name)
    t.deepEqual(
      placed,
      [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string),
    )
    for (const status of Object.keys(operation.responses)) t.regex(status, /^[2345]\d\d$/)
  }
})

test('every listed path answers its methods and no other', async (t) => {
  const { paths } = (await app.call('GET', '/openapi.json')).json
  for (const [path, operations] of cases(Object.entries(paths as Record<string, object>), 5))
    for (const method of METHODS) {
      // A GET of the console without its parameter was meant as the form that is posted there.
      const at = method === 'get' && path === '/api.php' ? `${path}?cron` : path.replace(/\{\w+\}/g, 'x')
      const { status } = await app.call(method.toUpperCase(), at)
      t.is(status !== 405, method in operations, `${method} ${path} answered ${status}`)
    }
})

test('the origin tells a machine where to begin, and each of its links is answered', async (t) => {
  const { status, json } = await app.call('GET', '/')
  t.is(status, 200)
  t.deepEqual(
    json.begin.map(({ method, url }: Record<string, string>) => `${method} ${new URL(url ?? '').pathname}`),
    ['POST /v1/signup', 'POST /v1/wallets', 'POST /v1/resources'],
  )
  for (const [name, link] of Object.entries<string>(json.links)) {
    const answer = await app.call('GET', new URL(link).pathname)
    t.true(answer.status < 400, `${name} ${answer.status}`)
  }
  for (const { method, url } of json.begin) {
    const answer = await app.call(method, new URL(url).pathname, { body: {} })
    t.true([400, 401].includes(answer.status), `${url} ${answer.status}`)
  }
})

test('the origin shows a browser a page with the same links, and no script at all', async (t) => {
  const { json } = await app.call('GET', '/')
  const { status, headers, text } = await app.call('GET', '/', { headers: { accept: 'text/html' } })
  t.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  t.regex(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  t.notRegex(headers.get('content-security-policy') ?? '', /script-src/)
  t.notRegex(text, /<script|<form|style=|javascript:/)
  for (const link of Object.values<string>(json.links)) t.true(text.includes(`href="${link}"`), link)
  for (const { method, url } of json.begin) t.true(text.includes(`${method} ${new URL(url).pathname}<`), url)
  t.true(text.includes('curl '))
  for (const path of ['/dashboard/sign-up', '/dashboard', '/readyz']) {
    t.true(text.includes(`href="${app.served().origin}${path}"`), path)
    t.true((await app.call('GET', path)).status < 400, path)
  }
})

test('N-92 the page at the origin speaks the language of the browser, and says that it depends on it', async (t) => {
  const spoken = async (languages: string) =>
    await app.call('GET', '/', { headers: { accept: 'text/html', 'accept-language': languages } })
  const german = await spoken('de-AT,en;q=0.5')
  t.regex(german.text, /<html lang="de">.*Jetzt verkaufen/s)
  t.regex(german.headers.get('vary') ?? '', /Accept-Language/)
  t.regex((await spoken('fr')).text, /<html lang="en">.*Start selling/s)
})

test('a request keeps the name that it brings, if it is a plain one, and gets one otherwise', async (t) => {
  const named = async (id?: string) => {
    const { headers } = await app.call('GET', '/healthz', id === undefined ? {} : { headers: { 'x-request-id': id } })
    return headers.get('x-request-id') ?? ''
  }
  for (const id of ['abcdefgh', 'order-17.retry_2', 'x'.repeat(64)]) t.is(await named(id), id)
  const odd = [
    '',
    'short',
    'x'.repeat(65),
    'with space in it',
    'semi;colon=1',
    '<script>alert</script>',
    'caf\u00e9-caf\u00e9',
  ]
  const made = [await named(), ...(await Promise.all(odd.map(named)))]
  for (const id of made) t.regex(id, /^req_[a-z2-7]{26}$/)
  t.is(new Set(made).size, made.length)
  const refused = await app.call('GET', '/nope', { headers: { 'x-request-id': 'refused-too' } })
  t.is(refused.headers.get('x-request-id'), 'refused-too')
})

test.serial(
  'the embedded log takes no event of another program, and none that the ledger could not read',
  async (t) => {
    const own = DEEP ? await startApp({ store: 'embedded' }) : app
    if (own !== app) t.teardown(() => own.stop())
    // A try that times out leaves open what became of it, and this process is busy with both of its ends.
    const other = eventStoreDb(own.served().eventStoreUrl, {
      limits: { appendTryMs: HANG_MS, appendMs: HANG_MS },
    })
    t.teardown(() => other.close())
    await t.throwsAsync(other.append('orders-1', -1n, [newEvent('OrderPlaced')]), { message: /no stream of Daybook's/ })
    await t.throwsAsync(other.append('account-acc_no', -1n, [newEvent('AccountSignedUp')]), {
      message: /it has no email/,
    })
  },
)

test('it says that it is alive, and what it is ready for', async (t) => {
  t.timeout(HANG_MS)
  const alive = await app.call('GET', '/healthz')
  t.deepEqual([alive.status, alive.json], [200, { alive: true }])
  // A chain that another file left behind has not seen a block for as long as that took.
  await app.anvil.mine(1)
  // A part may take longer than one call waits, and a process that hung takes its turn to follow the log again.
  const ready = await eventually('all that it looks at', async () => {
    const answer = await app.call('GET', '/readyz')
    const { parts, heads, chains, followers } = answer.json.checks
    const known = ![parts.status, heads.status].includes('unknown')
    return known && followers.turn === 'runs' && answer.json.status === 'ok' && chains.eth.status === 'ok' && answer
  })
  const { chains, relayers, proxy, parts, followers, processes, ...checks } = ready.json.checks
  t.deepEqual([ready.status, ready.json.ready, ready.json.status], [200, true, 'ok'])
  t.deepEqual(checks, {
    event_store: 'ok',
    streams: { status: 'ok', count: 0, cut: [] },
    events: { status: 'ok', count: 0, unreadable: [], foreign: {} },
    postgres: 'ok',
    read_models: 'ok',
    seals: { status: 'ok', reason: null },
    rates: { status: 'fixed' },
    receive_addresses: { status: 'ok', contested: [] },
    heads: { status: 'ok', witnesses: {}, stamp: null },
    backups: { status: 'off' },
  })
  t.like(followers, { status: 'ok', turn: 'runs', standing_by: 0, stopped: {} })
  t.is(processes.alive, 1)
  t.deepEqual(relayers, {})
  t.is(parts.status, 'ok')
  t.deepEqual(
    parts.parts.map(({ part }: { part: string }) => part),
    ['log', 'database', 'data keys', 'master key', 'mirror', 'witness'],
  )
  t.deepEqual(proxy, { trusted: 0, warning: null })
  t.like(chains, { eth: { status: 'ok', providers_answering: 1, providers: ['closed'] } })
})

test('metrics say how each chain is', async (t) => {
  t.timeout(HANG_MS)
  await eventually('the watch', async () => {
    // A connection that was kept from the test before may be closed just when it is used again.
    const text = await fetch(app.served().metricsUrl)
      .then((answer) => answer.text())
      .catch(() => '')
    const value = (name: string, labels = 'network="eth"') =>
      text
        .split('\n')
        .find((line) => line.startsWith(`daybook_chain_${name}{${labels}}`))
        ?.split(' ')[1]
    if (value('providers_answering') !== '1') return false
    t.is(value('providers_disagree'), '0')
    t.is(value('provider_closed', 'network="eth",provider="1"'), '1')
    t.regex(value('head_height') ?? '', /^\d+$/)
    return /^\d+$/.test(value('head_age_seconds') ?? '')
  })
})

test.serial('requests are counted on a loopback port of their own and nowhere else', async (t) => {
  const { origin, metricsUrl } = app.served()
  t.is(new URL(metricsUrl).hostname, '127.0.0.1')
  t.not(new URL(metricsUrl).port, new URL(origin).port)
  const counted = async (labels: string) => {
    const text = await (await fetch(metricsUrl)).text()
    const line = text.split('\n').find((each) => each.startsWith(`daybook_http_request_seconds_count{${labels}}`))
    return Number(line?.split(' ')[1] ?? 0)
  }
  const lost = 'method="DELETE",route="none",status="404"'
  const door = 'method="GET",route="/r/:id",status="404"'
  const before = [await counted(lost), await counted(door)]
  for (const id of ['a', 'b', 'c']) await app.call('GET', `/r/${id}`)
  await app.call('DELETE', '/nowhere')
  t.deepEqual([await counted(lost), await counted(door)], [Number(before[0]) + 1, Number(before[1]) + 3])
  for (const path of ['/metrics', '/metrics/', '//metrics'])
    t.is((await fetch(origin + path)).status, 404, 'not on the public port')
  t.is((await fetch(metricsUrl.replace('/metrics', '/'))).status, 404)
})

test('without Postgres it is alive but not ready, says why, and fails no call with anything but an error of its own', async (t) => {
  const own = await startApp()
  t.teardown(() => own.stop())
  const { key } = await signUp(own)
  await dropDatabase(own.databaseUrl)
  t.is((await own.call('GET', '/healthz')).status, 200)
  const { status, json } = await own.call('GET', '/readyz')
  t.deepEqual([status, json.ready, json.checks.postgres, json.checks.event_store], [503, false, 'down', 'ok'])
  const call = await own.call('GET', '/v1/wallets', { key })
  t.deepEqual([call.status, call.json.error_code], [503, 'svc_unavailable'])
  t.regex(call.headers.get('retry-after') ?? '', /^\d+$/)
  t.notRegex(call.text, /postgres|database|sql|at \//i)
})

type Operation = {
  security?: unknown
  parameters: { name: string; in: string }[]
  responses: Record<string, unknown>
}

const newcomer = () => ({ email: freshEmail(), password: 'correct horse' })

/** As if the server were gone: every connection is cut and none can be opened again. */
const dropDatabase = async (url: string) => {
  const server = new URL(url)
  const name = server.pathname.slice(1)
  server.pathname = '/postgres'
  const admin = connect(server.href, { max: 1 })
  await admin`drop database ${admin(name)} with (force)`
  await admin.end()
}
