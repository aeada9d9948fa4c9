import test from 'ava'
import { actorOf } from '../../../adapters/http/core/actor.ts'
import { ROLES } from '../../../domain/account/roles.ts'
import { createQueries } from '../../../projections/index.ts'
import { world } from '../../../src/settings/world.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { connectBeside } from '../../support/kept-database.ts'
import { openVault } from '../../support/open-vault.ts'
import { assertReplayEqual, payInFull, shop } from '../../support/sale.ts'
import { activeSeller, offerOf, ok, PAY_TO, signUp } from '../../support/seller.ts'
import { TEAM, teamCalls } from '../../support/team.ts'
import { readLog } from '../log.ts'
import { refused, strictly } from '../strict.ts'

/** The team of an account, as the owner sees it and as the sub-keys do. */

let app: TestApp
const FIELDS = [
  'id',
  'role',
  'role_name',
  'permissions',
  'store_scope',
  'status',
  'display_name',
  'created_at',
  'ends_at',
  'networks',
]
const INVALID_KEY = { status: 401, code: 'invalid-api-key' }
const FORBIDDEN = { status: 403, code: 'svc_forbidden' }
const INVALID = { status: 400, code: 'svc_invalid_request' }
const NOT_FOUND = { status: 404, code: 'svc_not_found' }
const TOO_LOW = { status: 402, code: 'svc_insufficient_balance' }

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const { call, make, put, teamOf, statusOf } = teamCalls(() => app)

test.serial(
  'K-SUB-01 K-SUB-02 J-AUTH-02 a sub-key is shown once, listed without its secret, and calls for its owner',
  async (t) => {
    const strict = strictly(t, app)
    const { key } = await signUp(app)
    const before = await strict('GET', TEAM, { key })
    t.like(before.json, { subagents: [], balance: 0, slots_free: 1 })
    t.deepEqual(Object.keys(before.json.prices), [...ROLES])
    const body = { role: 'officer', role_name: 'Till', display_name: 'Ada of the till', store_scope: [] }
    const { json: made } = await strict('POST', TEAM, { key, body })
    t.deepEqual(Object.keys(made), ['api_key', 'subagent', 'seat_fee', 'slot', 'new_balance'])
    t.regex(made.api_key, /^sa_[0-9a-f]{16}_[0-9a-f]{64}$/)
    t.like(made, { seat_fee: 0, slot: 1, new_balance: 0 })
    const { created_at, ...shown } = made.subagent
    t.deepEqual(shown, { ...body, id: 1, permissions: [], status: 'active', ends_at: null, networks: null })
    t.false(Number.isNaN(Date.parse(created_at)))
    const { json: after, text } = await strict('GET', TEAM, { key })
    t.deepEqual([after.subagents, after.slots_free], [[made.subagent], 0])
    t.deepEqual(Object.keys(after.subagents[0]).sort(), [...FIELDS].sort())
    const log = JSON.stringify(await readLog(app), (_, v) => (typeof v === 'bigint' ? String(v) : v))
    for (const held of [text, log]) t.false(held.includes(made.api_key) || held.includes(made.api_key.slice(-64)))
    t.false(log.includes('Ada of'), 'names are sealed')

    await ok(call('POST', '/v1/wallets', key, { asset: 'eth', address: PAY_TO }))
    const { json } = await strict('GET', '/v1/wallets', { key: made.api_key })
    t.deepEqual(json.wallets, { eth: PAY_TO })
    await refused(t, app, [
      {
        what: 'a write outside its role',
        path: '/v1/wallets',
        key: made.api_key,
        body: { asset: 'eth', address: PAY_TO },
        ...FORBIDDEN,
      },
    ])
  },
)

test.serial('K-SUB-04 X-ROT-01 a rotated sub-key works with its new secret only, and is what it was', async (t) => {
  const { key } = await signUp(app)
  const made = await make(key, { role: 'clerk', display_name: 'Bo' })
  const rotated = await strictly(t, app)('POST', `${TEAM}?subagent_id=1&rotate=key`, { key })
  t.like(rotated.json, { subagent: made.subagent, seat_fee: 0, slot: 1, new_balance: 0 })
  t.not(rotated.json.api_key, made.api_key)
  await refused(t, app, [
    { what: 'the old one', method: 'GET', path: '/v1/transactions', key: made.api_key, ...INVALID_KEY },
  ])
  t.is(await statusOf('GET', '/v1/transactions', rotated.json.api_key), 200)
  t.is(await statusOf('GET', '/v1/wallets', rotated.json.api_key), 403)
})

test.serial(
  'K-SUB-05 K-SUB-06 T-SUB-01 E-401-01 a changed role works at once, and a suspended key is refused until it is active',
  async (t) => {
    const strict = strictly(t, app)
    const { key } = await activeSeller(app)
    const { api_key } = await make(key, { role: 'clerk' })
    const wallets = () => statusOf('GET', '/v1/wallets', api_key)
    t.is(await wallets(), 403)
    const raised = await strict('PUT', `${TEAM}?subagent_id=1`, {
      key,
      body: { role: 'accountant', role_name: 'Books', display_name: 'Cy' },
    })
    t.like(raised.json, { seat_fee: 4, subagent: { role: 'accountant', role_name: 'Books', display_name: 'Cy' } })
    t.is(await wallets(), 200)
    t.like(await put(key, 1, { role: 'clerk' }), { seat_fee: 0, subagent: { role: 'clerk', display_name: 'Cy' } })
    t.is(await wallets(), 403)
    t.is((await put(key, 1, { role: 'manager' })).seat_fee, 0, 'its seat was paid for that much')
    t.is((await teamOf(key)).balance, 1)
    await refused(t, app, [
      {
        what: 'a role too dear',
        method: 'PUT',
        path: `${TEAM}?subagent_id=1`,
        key,
        body: { role: 'admin' },
        ...TOO_LOW,
      },
    ])
    const read = { method: 'GET', path: '/v1/transactions', key: api_key }
    t.is((await put(key, 1, { status: 'suspended', display_name: '' })).subagent.status, 'suspended')
    await refused(t, app, [{ what: 'a suspended key', ...read, ...INVALID_KEY }])
    const rotated = await ok(call('POST', `${TEAM}?subagent_id=1&rotate=key`, key))
    await refused(t, app, [
      { what: 'a new secret does not wake it', ...read, key: rotated.json.api_key, ...INVALID_KEY },
    ])
    t.like((await put(key, 1, { status: 'active' })).subagent, { status: 'active', display_name: '', role: 'manager' })
    t.is(await statusOf(read.method, read.path, rotated.json.api_key), 200)
    await put(key, 1, {})
  },
)

test.serial('K-SUB-08 J-AUTH-05 X-OWN-01 nobody but the owner manages the team, whatever role they have', async (t) => {
  const { key } = await signUp(app)
  const { api_key } = await make(key, { role: 'master-admin' })
  const one = `${TEAM}?subagent_id=1`
  await refused(t, app, [
    { what: 'list', method: 'GET', path: TEAM, key: api_key, ...FORBIDDEN },
    { what: 'make', path: TEAM, key: api_key, body: { role: 'clerk' }, ...FORBIDDEN },
    { what: 'rotate', path: `${one}&rotate=key`, key: api_key, ...FORBIDDEN },
    { what: 'change', method: 'PUT', path: one, key: api_key, body: { role: 'clerk' }, ...FORBIDDEN },
    { what: 'delete', method: 'DELETE', path: one, key: api_key, ...FORBIDDEN },
    { what: 'the address', path: '/v1/account-email', key: api_key, body: { email: 'x@example.test' }, ...FORBIDDEN },
    { what: 'the password', path: '/v1/reset-password', key: api_key, body: {}, ...FORBIDDEN },
  ])
})

test.serial(
  'K-SUB-09 X-CAP-01 a custom role may do what its list says, and a list goes with no other role',
  async (t) => {
    const { key } = await shop(app)
    const { api_key } = await make(key, { role: 'custom', permissions: ['transactions.view'] })
    t.is(await statusOf('GET', '/v1/transactions', api_key), 200)
    t.is(await statusOf('POST', '/v1/resources', api_key, { amount: 1, currency: 'USD' }), 403)
    await put(key, 1, { permissions: ['resources.edit'] })
    t.is(await statusOf('GET', '/v1/transactions', api_key), 403)
    t.is(await statusOf('POST', '/v1/resources', api_key, { amount: 1, currency: 'USD' }), 200)
    const one = { method: 'PUT', path: `${TEAM}?subagent_id=1`, key }
    await refused(t, app, [
      { what: 'nothing at all', ...one, body: { permissions: [] }, ...INVALID },
      { what: 'a list for a clerk', ...one, body: { role: 'clerk', permissions: ['audit.view'] }, ...INVALID },
      { what: 'custom without', path: TEAM, key, body: { role: 'custom' }, ...INVALID },
      { what: 'a clerk with', path: TEAM, key, body: { role: 'clerk', permissions: ['audit.view'] }, ...INVALID },
    ])
    t.deepEqual((await put(key, 1, { role: 'clerk' })).subagent.permissions, [])
    t.is(await statusOf('POST', '/v1/resources', api_key, { amount: 1, currency: 'USD' }), 403)
  },
)

test.serial(
  'J-AUTH-04 X-CAP-01 a scope is kept with the key, in force with the next call, and only of stores that there are',
  async (t) => {
    const { key } = await signUp(app)
    const { api_key } = await make(key, { role: 'manager', store_scope: [1] })
    const sql = connectBeside(app.databaseUrl)
    try {
      const resolved = async () =>
        (
          await actorOf(
            { queries: createQueries(sql), outside: { world, vault: openVault(world) }, current: async () => true },
            api_key,
            '127.0.0.1',
          )
        ).storeScope
      t.deepEqual(await resolved(), [1])
      t.deepEqual((await put(key, 1, { store_scope: [] })).subagent.store_scope, [])
      t.is(await resolved(), undefined)
      await put(key, 1, { store_scope: [1] })
      t.deepEqual(await resolved(), [1])
    } finally {
      await sql.end({ timeout: 1 })
    }
    const one = { method: 'PUT', path: `${TEAM}?subagent_id=1`, key }
    await refused(t, app, [
      { what: 'no such store', path: TEAM, key, body: { role: 'clerk', store_scope: [2] }, ...NOT_FOUND },
      { what: 'one of two', ...one, body: { store_scope: [1, 7] }, ...NOT_FOUND },
      { what: 'one twice', ...one, body: { store_scope: [1, 1] }, ...INVALID },
      { what: 'no id', ...one, body: { store_scope: ['1'] }, ...INVALID },
      { what: 'none', ...one, body: { store_scope: [0] }, ...INVALID },
    ])
  },
)

test.serial(
  'K-SUB-02 X-TEN-01 what is asked for wrongly makes nothing, and the numbers of another account are not found',
  async (t) => {
    const { key } = await signUp(app)
    const other = await signUp(app)
    await make(other.key, { role: 'clerk' })
    const one = `${TEAM}?subagent_id=1`
    const post = { path: TEAM, key, ...INVALID }
    await refused(t, app, [
      { what: 'no role', ...post, body: {} },
      { what: 'an unknown role', ...post, body: { role: 'owner' } },
      { what: 'an unknown slug', ...post, body: { role: 'custom', permissions: ['everything'] } },
      { what: 'a slug twice', ...post, body: { role: 'custom', permissions: ['audit.view', 'audit.view'] } },
      { what: 'a long name', ...post, body: { role: 'clerk', display_name: 'x'.repeat(101) } },
      { what: 'rotate is forgotten', ...post, path: one, body: { role: 'clerk' } },
      { what: 'rotate what', ...post, path: `${TEAM}?rotate=key`, body: {} },
      { what: 'no number', method: 'PUT', ...post, path: `${TEAM}?subagent_id=one`, body: {} },
      { what: 'none', method: 'DELETE', ...post },
      { what: 'an unknown status', method: 'PUT', ...post, path: one, body: { status: 'gone' } },
      { what: 'rotate another’s', path: `${one}&rotate=key`, key, ...NOT_FOUND },
      { what: 'change another’s', method: 'PUT', path: one, key, body: { role: 'admin' }, ...NOT_FOUND },
      { what: 'delete another’s', method: 'DELETE', path: one, key, ...NOT_FOUND },
      { what: 'a sandbox key', path: TEAM, key: await sandboxKey(key), body: { role: 'clerk' }, ...SANDBOX },
    ])
    t.is((await teamOf(other.key)).subagents.length, 1)
  },
)

test.serial(
  'J-AUTH-02 J-AUTH-07 a key that may not edit transactions does not speak for the seller when it says what paid',
  async (t) => {
    const s = await shop(app)
    await ok(
      call('PUT', '/v1/settings', s.key, {
        payment: { accept_underpayments: 10 },
        confirmations: { coins: { eth: 3 } },
      }),
    )
    const [enough] = [await offerOf(app, s.key, s.resId), await offerOf(app, s.key, s.resId)]
    const hash = await payInFull(app, enough, (BigInt(enough.amountAtomic) * 9n + 9n) / 10n)
    const { api_key } = await make(s.key, { role: 'teller' })
    const says = () => call('POST', '/v1/verify', api_key, { challengeId: enough.challengeId, hash })
    t.is((await says()).json.error_code, 'svc_payment_not_matching')
    await ok(call('POST', '/v1/stores', s.key, {}))
    await put(s.key, 1, { role: 'lead', store_scope: [2] })
    t.is((await says()).json.error_code, 'svc_payment_not_matching', 'nor does one for another store')
    await put(s.key, 1, { store_scope: [1] })
    t.is((await says()).json.error_code, 'svc_payment_not_matching', 'nor for its own: the address is the account’s')
    await put(s.key, 1, { store_scope: [] })
    t.deepEqual((await ok(says())).json, { settled: true })
  },
)

test.serial('J-AUTH-02 the log says which key of an account has done what', async (t) => {
  const { key } = await shop(app)
  const { api_key } = await make(key, { role: 'manager' })
  const { json } = await ok(call('POST', '/v1/resources', api_key, { amount: 1, currency: 'USD' }))
  const event = (await readLog(app)).find(({ stream }) => stream === `resource-${json.res_id}`)
  t.regex(event?.cause.actor ?? '', new RegExp(`^acc_\\w+/sub-key/${api_key.split('_')[1]}$`))
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const SANDBOX = { status: 403, code: 'svc_sandbox_key_rejected' }
const sandboxKey = async (key: string) => (await ok(call('POST', '/v1/sandbox-keys', key, {}))).json.api_key
