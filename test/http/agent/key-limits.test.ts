import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { createClient } from '../../../src/demo/client.ts'
import { freePort } from '../../../src/demo/port.ts'
import { serve } from '../../../src/runtime/serve.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { DEEP } from '../../support/depth.ts'
import { startOwnTime } from '../../support/own-time.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { ok, signUp } from '../../support/seller.ts'
import { TEAM, teamCalls } from '../../support/team.ts'
import { readLog } from '../log.ts'
import { asking, type Refused, refused, strictly } from '../strict.ts'

/** Keys with an end and networks, on every surface, in every process. */

let app: TestApp
/** The service's clock is ahead of ours by this much. */
let aheadMs = 0
const HOUR_MS = 3_600_000
const now = () => new Date(Date.now() + aheadMs)
const inAnHour = () => new Date(now().getTime() + HOUR_MS).toISOString()
const ENDED = { status: 401, code: 'svc_key_ended' }
const ELSEWHERE = { status: 403, code: 'svc_network_refused' }
const INVALID = { status: 400, code: 'svc_invalid_request' }
const from = (ip: string) => ({ 'x-forwarded-for': ip })
const OFFICE = from('203.0.113.9')
const OUTSIDE = from('198.51.100.1')

test.before(async () => {
  const port = String(await freePort())
  const own = { PORT: port, BASE_URL: `http://localhost:${port}`, MASTER_KEY: 'ab'.repeat(32) }
  app = await startApp({ store: 'eventstoredb', world: { now }, env: { ...own, TRUST_PROXY: '1' } })
})
test.after.always(() => app?.stop())
test.afterEach.always(() => {
  aheadMs = 0
})

const { make, put, teamOf } = teamCalls(() => app)

test.serial('N-99 a sub-key has an end and networks, which are shown in one form and sealed in the log', async (t) => {
  const { key } = await signUp(app)
  const endsAt = '2126-01-02T03:04:05+01:00'
  const networks = ['2001:DB8:0::/32', '203.0.113.7', '203.0.113.7/32', '10.0.0.0/8']
  const made = await make(key, { role: 'manager', store_scope: [1], ends_at: endsAt, networks })
  const limits = { ends_at: '2126-01-02T02:04:05.000Z', networks: ['10.0.0.0/8', '2001:db8::/32', '203.0.113.7/32'] }
  t.like(made.subagent, { ...limits, status: 'active', store_scope: [1] })
  const { json } = await strictly(t, app)('GET', TEAM, { key })
  t.deepEqual(json.subagents, [made.subagent])
  const log = JSON.stringify(await readLog(app), (_, v) => (typeof v === 'bigint' ? String(v) : v))
  t.false(log.includes('203.0.113.7/32'))
  t.like((await put(key, 1, { networks: null })).subagent, { ...limits, networks: null, store_scope: [1] })
  t.like((await put(key, 1, { ends_at: null, networks: [] })).subagent, { ends_at: null, networks: null })
  if (DEEP) await assertReplayEqual(t, app)
})

test.serial('N-99 what is no time to come and no network is refused by the name of its field', async (t) => {
  const { key } = await signUp(app)
  await make(key, { role: 'clerk' })
  await ok(app.call('POST', '/v1/sandbox-keys', { key }))
  const long = Array.from({ length: 21 }, (_, n) => `10.0.${n}.0/24`)
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ ends_at: '2020-01-01T00:00:00Z' }, /^ends_at: has to be in the future; to stop/],
    [{ ends_at: '2126-01-01' }, /^ends_at: /],
    [{ ends_at: 4_102_444_800 }, /^ends_at: /],
    [{ networks: '10.0.0.0/8' }, /^networks: /],
    [{ networks: long }, /^networks: .*20/],
    [{ networks: ['10.0.0.1/8'] }, /^networks.*0: has bits beyond its first 8: write the first address/],
    [{ networks: ['2001:db8::1/64'] }, /^networks.*0: has bits beyond its first 64/],
    [{ networks: ['10.0.0.0/8', '::ffff:10.0.0.1'] }, /^networks.*1: has to be written as IPv4/],
    ...['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0', '010.0.0.1', '::1%eth0', '::/129', 'office', '', '*'].map(
      (text) => [{ networks: [text] }, /^networks.*0: has to be a network such as/] as const,
    ),
  ]
  for (const [body, words] of wrong) {
    const what = JSON.stringify(body)
    await refused(t, app, [
      { what, path: TEAM, key, body: { role: 'clerk', ...body }, ...INVALID },
      { what, method: 'PUT', path: `${TEAM}?subagent_id=1`, key, body, ...INVALID },
      { what, path: '/v1/sandbox-keys', key, body, ...INVALID },
      { what, method: 'PUT', path: '/v1/sandbox-keys?key_id=1', key, body, ...INVALID },
    ])
    const { json } = await app.call('PUT', '/v1/sandbox-keys?key_id=1', { key, body })
    t.regex(json.message, words, what)
  }
  const path = '/v1/sandbox-keys?key_id=2'
  await refused(t, app, [
    { what: 'no such key', method: 'PUT', path, key, body: {}, status: 404, code: 'svc_not_found' },
  ])
})

/** Calls of every surface that takes a key. */
const everywhere = (key: string, headers: Readonly<Record<string, string>>, refusal: typeof ENDED): Refused[] => {
  const calls: readonly Omit<Refused, 'status' | 'code' | 'key'>[] = [
    { what: 'agent', method: 'GET', path: '/v1/transactions' },
    { what: 'orders', method: 'GET', path: '/v1/orders' },
    { what: 'where a key is offered', path: '/v1/verify', body: { challengeId: 'ch_x.eth', hash: '0x1' } },
    { what: 'facilitator', path: '/v1/x402/verify', body: {} },
    { what: 'audit', method: 'GET', path: '/v1/audit/export?format=csv' },
  ]
  const form = asking('get-transactions', {}, { key, ...refusal })
  return [
    ...calls.map((call) => ({ ...call, key, headers, ...refusal })),
    { ...form, headers: { ...form.headers, ...headers } },
    { ...asking('get-transactions', { 'api-key': key }, refusal), headers: { ...form.headers, ...headers } },
  ]
}

test.serial(
  'N-99 E-401-01 a key past its end is refused 401 with the reason on every surface, and again good with a later end',
  async (t) => {
    const { key } = await signUp(app)
    const endsAt = inAnHour()
    const { api_key } = await make(key, { role: 'auditor', ends_at: endsAt })
    const sandbox = (await ok(app.call('POST', '/v1/sandbox-keys', { key, body: { ends_at: endsAt } }))).json.api_key
    const status = async (by: string) => (await app.call('GET', '/v1/resources', { key: by })).status
    t.deepEqual([await status(api_key), await status(sandbox)], [200, 200])
    aheadMs = HOUR_MS
    await refused(t, app, [...everywhere(api_key, {}, ENDED), ...everywhere(sandbox, {}, ENDED)])
    t.true((await app.call('GET', '/v1/resources', { key: api_key })).json.message.includes(endsAt))
    const wrong = `${api_key.slice(0, -1)}${api_key.endsWith('0') ? '1' : '0'}`
    await refused(t, app, [
      {
        what: 'without its secret',
        method: 'GET',
        path: '/v1/resources',
        key: wrong,
        status: 401,
        code: 'invalid-api-key',
      },
    ])
    const [listed] = (await ok(app.call('GET', '/v1/sandbox-keys', { key }))).json.keys
    t.like([(await teamOf(key)).subagents[0], listed], [{ status: 'ended' }, { status: 'ended', ends_at: endsAt }])
    const rotated = (await ok(app.call('POST', '/v1/sandbox-keys?key_id=1&rotate=key', { key }))).json.api_key
    t.is(await status(rotated), 401, 'a new secret is no later end')
    await put(key, 1, { ends_at: inAnHour() })
    await ok(app.call('PUT', '/v1/sandbox-keys?key_id=1', { key, body: { ends_at: null } }))
    t.deepEqual([await status(api_key), await status(rotated)], [200, 200])
  },
)

test.serial(
  'N-99 a key from another network is refused 403 with the reason on every surface, whatever it says of itself',
  async (t) => {
    const { key } = await signUp(app)
    const networks = ['203.0.113.0/24', '2001:db8::/32']
    const { api_key } = await make(key, { role: 'auditor', networks })
    const body = { kind: 'publishable', networks: ['203.0.113.9'] }
    const sandbox = (await ok(app.call('POST', '/v1/sandbox-keys', { key, body }))).json.api_key
    const said = async (ip: string, by = api_key) =>
      (await app.call('GET', '/v1/resources', { key: by, headers: from(ip) })).status
    for (const ip of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::7', '198.51.100.1, 203.0.113.9'])
      t.is(await said(ip), 200, ip)
    for (const ip of ['203.0.114.9', '2001:db9::1', '::1', 'office', '203.0.113.9, 198.51.100.1', '203.0.113.9:80'])
      t.is(await said(ip), 403, ip)
    t.deepEqual([await said('203.0.113.9', sandbox), await said('203.0.113.10', sandbox)], [200, 403])
    await refused(t, app, [...everywhere(api_key, OUTSIDE, ELSEWHERE), ...everywhere(sandbox, OUTSIDE, ELSEWHERE)])
    const { json } = await app.call('GET', '/v1/resources', { key: api_key, headers: OUTSIDE })
    t.regex(json.message, /takes no calls from 198\.51\.100\.1\./)
    t.is((await app.call('GET', '/v1/resources', { key, headers: OUTSIDE })).status, 200, 'the owner’s key has none')
  },
)

test.serial('N-99 J-AUTH-04 networks of a key with a scope leave its scope as it is', async (t) => {
  const { key } = await signUp(app)
  const { api_key } = await make(key, { role: 'manager', store_scope: [1] })
  await put(key, 1, { networks: ['203.0.113.0/24'] })
  const status = async (path: string, headers: Readonly<Record<string, string>>) =>
    (await app.call('GET', path, { key: api_key, headers })).json.error_code
  t.deepEqual(
    [
      await status('/v1/resources', OFFICE),
      await status('/v1/wallets', OFFICE),
      await status('/v1/resources', OUTSIDE),
      await status('/v1/wallets', OUTSIDE),
    ],
    [undefined, 'svc_forbidden', 'svc_network_refused', 'svc_network_refused'],
  )
})

test.serial('N-99 a change counts in every process within a second, and an end in all at once', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-beside-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const env = { ...app.env, PORT: String(await freePort()), DATA_DIR: dir }
  const beside = await serve(readConfig(env), { now })
  t.teardown(() => beside.stop())
  const clients = [app, createClient(() => `http://localhost:${env.PORT}`)]
  const { key } = await signUp(app)
  const { api_key } = await make(key, { role: 'clerk' })
  const said = (n: number) => clients[n]?.call('GET', '/v1/transactions', { key: api_key, headers: OUTSIDE })
  const answers = async () => [(await said(0))?.status, (await said(1))?.status]
  /** Milliseconds of own time until the other process answers so. */
  const until = async (status: number): Promise<number> => {
    const [start, ownTime] = [performance.now(), startOwnTime()]
    while ((await said(1))?.status !== status && performance.now() - start < 20_000) await pause(10)
    return ownTime()
  }
  await until(200)
  const changes: readonly (readonly [object, number])[] = [
    [{ networks: ['203.0.113.0/24'] }, 403],
    [{ networks: null }, 200],
    [{ ends_at: inAnHour() }, 200],
  ]
  for (const [change, status] of changes) {
    await put(key, 1, change)
    const ms = await until(status)
    t.true(ms < 1_000, `${JSON.stringify(change)} after ${ms} ms`)
    t.deepEqual(await answers(), [status, status], JSON.stringify(change))
  }
  await pause(1_000)
  aheadMs = HOUR_MS
  t.deepEqual(await answers(), [401, 401])
})
