import test from 'ava'
import { replay } from '../../../src/commands/log/replay.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { inProcess } from '../../support/commands.ts'
import { consoleCall } from '../../support/console.ts'
import { enrolledMember, PASSWORD, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { connectBeside } from '../../support/kept-database.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { ok, seller, signUp } from '../../support/seller.ts'
import { teamCalls } from '../../support/team.ts'
import { refused, strictly } from '../strict.ts'

/** The calls of an account, as it reads them. */

let app: TestApp
const clock = { shiftMs: 0 }
const LOG = '/v1/request-log'
const OFFICE = { 'x-forwarded-for': '203.0.113.9' }
const FIELDS = ['at', 'method', 'path', 'status', 'request_id', 'caller', 'key_hint', 'member_id', 'duration_ms']

test.before(async () => {
  const world = { now: () => new Date(Date.now() + clock.shiftMs) }
  app = await startApp({ world, env: { TRUST_PROXY: '1' } })
})
test.after.always(() => app?.stop())

const { make } = teamCalls(() => app)

type Line = { method: string; path: string; status: number; caller: string; request_id: string }
const linesOf = async (key: string, query = ''): Promise<Line[]> =>
  (await ok(app.call('GET', `${LOG}${query}`, { key }))).json.requests
const short = (lines: readonly Line[]) => lines.map(({ method, path, status }) => `${method} ${path} ${status}`)

test.serial('N-100 each call of a key is listed with what came of it, and nothing of what it said', async (t) => {
  const strict = strictly(t, app)
  const { key } = await signUp(app)
  await strict('GET', '/v1/transactions?status=C&limit=7', { key })
  await strict('POST', '/v1/resources', { key, body: { amount: 'secret words', currency: 'USD' } })
  await strict('POST', '/v1/transactions?transaction_id=77&action=refund', { key, body: {} })
  const named = { key, headers: { 'x-request-id': 'mine-12345' } }
  await consoleCall(app, key, 'get-transactions', { search: 'secret words' })
  await app.call('DELETE', '/v1/sandbox-keys?key_id=5', named)
  const { json, text } = await strict('GET', LOG, { key })
  t.deepEqual(short(json.requests), [
    'DELETE /v1/sandbox-keys 404',
    'POST /api.php?function=get-transactions 200',
    'POST /v1/transactions?action=refund 404',
    'POST /v1/resources 400',
    'GET /v1/transactions 200',
  ])
  for (const line of json.requests) t.deepEqual(Object.keys(line), FIELDS)
  t.like(json.requests[0], {
    request_id: 'mine-12345',
    caller: 'owner',
    key_hint: `sk_live_…${key.slice(-4)}`,
    member_id: null,
  })
  t.false(text.includes('secret words') || text.includes('key_id') || text.includes('limit'))
  t.is(json.next, null)
})

deepTest.serial(
  'N-100 calls are found by method, path, status, key, time and request id, and walked by pages',
  async (t) => {
    const { key } = await signUp(app)
    const { api_key: other } = await make(key, { role: 'clerk' })
    const before = new Date(Date.now() + clock.shiftMs).toISOString()
    for (const path of ['/v1/me', '/v1/wallets', '/v1/transactions']) await app.call('GET', path, { key: other })
    await app.call('POST', '/v1/webhook', { key, body: {}, headers: { 'x-request-id': 'found-12345' } })
    const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`
    const found = async (fields: Record<string, string>) => short(await linesOf(key, query(fields)))
    const owned = await found({ from: before, path: '/v1/we' })
    t.deepEqual(owned, ['POST /v1/webhook 400'])
    t.deepEqual(await found({ request_id: 'found-12345' }), owned)
    t.deepEqual(await found({ method: 'POST', path: '/v1/webhook' }), owned)
    const hint = `sa_…${other.slice(-4)}`
    t.deepEqual(await found({ key_hint: hint, status: '4xx' }), ['GET /v1/wallets 403', 'GET /v1/me 403'])
    t.is((await found({ key_hint: hint })).length, 3)
    t.deepEqual(await found({ to: '2020-01-01' }), [])
    const walked: string[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page = await ok(
        app.call('GET', `${LOG}?limit=2&to=2999-01-01&key_hint=${encodeURIComponent(hint)}${next}`, { key }),
      )
      walked.push(...short(page.json.requests))
      next = page.json.next === null ? undefined : `&before=${page.json.next}`
    }
    t.deepEqual(walked, await found({ key_hint: hint }))
    const INVALID = { status: 400, code: 'svc_invalid_request', method: 'GET', key }
    await refused(t, app, [
      { what: 'status', path: `${LOG}?status=200`, ...INVALID },
      { what: 'method', path: `${LOG}?method=get`, ...INVALID },
      { what: 'path', path: `${LOG}?path=v1`, ...INVALID },
      { what: 'before', path: `${LOG}?before=x`, ...INVALID },
      { what: 'a name that is none', path: `${LOG}?q=x`, ...INVALID },
      { what: 'a role without it', path: LOG, method: 'GET', key: other, status: 403, code: 'svc_forbidden' },
    ])
  },
)

test.serial(
  'N-100 a good key that was refused is listed; who shows no secret, and who shows no key, is not',
  async (t) => {
    const { key, resId } = await seller(app, { webhook: false })
    const { api_key: sub } = await make(key, { role: 'clerk', networks: ['203.0.113.0/24'] })
    await app.call('GET', '/v1/transactions', { key: sub })
    await app.call('GET', '/v1/wallets', { key: sub, headers: OFFICE })
    const forged = `${sub.slice(0, -1)}${sub.endsWith('0') ? '1' : '0'}`
    await app.call('GET', '/v1/transactions', { key: forged })
    t.is((await app.call('GET', `/r/${resId}`)).status, 402)
    t.deepEqual(short(await linesOf(key, `?key_hint=${encodeURIComponent(`sa_…${sub.slice(-4)}`)}`)), [
      'GET /v1/wallets 403',
      'GET /v1/transactions 403',
    ])
    const metrics = await (await fetch(app.served().metricsUrl)).text()
    t.regex(metrics, /daybook_http_request_seconds_count\{method="GET",route="\/r\/:id",status="402"\} 1/)
    t.regex(metrics, /daybook_request_log_dropped\{reason="full"\} 0/)
  },
)

test.serial('N-100 X-TEN-01 what a member changes is listed under their id, to their account alone', async (t) => {
  const { who, key } = await signedInMember(app)
  const stranger = await signUp(app)
  await who.open('/dashboard/settings')
  await who.send('/dashboard/security/enrol', { act: 'prove', password: PASSWORD })
  const [line] = (await linesOf(key)).filter(({ caller }) => caller === 'member')
  t.like(line, { method: 'POST', path: '/dashboard/security/enrol?act=prove', key_hint: null })
  t.regex((line as unknown as { member_id: string }).member_id, /^mem_/)
  t.deepEqual((await linesOf(key, '?path=/dashboard&method=GET')).length, 0)
  t.deepEqual(await linesOf(stranger.key), [])
})

deepTest.serial('N-100 a replay leaves the request log as it is, and a restart loses nothing of it', async (t) => {
  const { key } = await signUp(app)
  for (let n = 0; n < 3; n++) await app.call('GET', '/v1/me', { key })
  const all = () => linesOf(key, '?path=/v1/me')
  await app.restart(() => inProcess(app.env, (books, out) => replay(books, out)))
  const kept = await all()
  t.is(kept.length, 3)
  await assertReplayEqual(t, app)
  t.deepEqual(await all(), kept)
})

test.serial('N-100 N-91 what an account called is forgotten when it is closed', async (t) => {
  const { who, key, email, code } = await enrolledMember(app, clock)
  await app.call('GET', '/v1/me', { key })
  t.true((await linesOf(key)).length > 0)
  await who.send('/dashboard/confirm', { code: code() })
  t.is((await who.send('/dashboard/settings/close', { email }, '/dashboard/settings/close')).status, 200)
  t.is((await app.call('GET', '/v1/me', { key })).status, 401)
  const sql = connectBeside(app.databaseUrl)
  t.teardown(() => sql.end({ timeout: 1 }))
  const rows = await sql`select path from daybook_run.requests where hint = ${`sk_live_…${key.slice(-4)}`}`
  t.deepEqual([...rows], [])
})
