import { randomUUID } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { startApp, type TestApp } from '../support/app.ts'
import { deepAfter } from '../support/deep-test.ts'
import { runs } from '../support/depth.ts'
import { assertReplayEqual, verify } from '../support/sale.ts'
import { SIMULATE } from '../support/sandbox.ts'
import { PAY_TO } from '../support/seller.ts'
import { readLog } from './log.ts'
import { readAll } from './tenants/canaries.ts'
import { labelOf, type Operation, operations, written } from './tenants/declared.ts'
import { everyName, poolOf, SEED, sameAsNobodys } from './tenants/names.ts'
import { openTenant, type Tenant } from './tenants/tenant.ts'
import { wildCalls } from './tenants/wild.ts'

/**
 * A seller who has everything, and its sandbox keys: to them a live record does not exist, and nothing that they do
 * changes one (X-SBX-01).
 */

const ROUNDS = runs({ quick: 6, deep: 240 })
const TOGETHER = 10
const RATES = { KEY_RATE_PER_SECOND: '5000', KEY_RATE_BURST: '9000', ADDRESS_RATE_BURST: '9000' }

let app: TestApp
let a: Tenant
test.before(async () => {
  app = await startApp({ env: { ...RATES, PLATFORM_WALLETS: `eth=${PAY_TO}` } })
  a = await openTenant(app, 'quokka', 7_319.27)
})
test.after.always(() => app?.stop())

/** The names of records that are live or for tests; stores, coins and settings are neither. */
const RECORDS = ['res_id', 'transaction_id', 'transaction', 'checkout_id', 'id', 'order_id', 'challengeId']
const live = (name: string): readonly string[] => (RECORDS.includes(name) ? (everyName(a)[name] ?? []) : [])
const isOpen = (e: Operation): boolean => e.callers?.sandbox !== undefined

test.serial(
  'X-SBX-01 N-28 with a sandbox key the answer to a live record’s name is the one to a name that nobody has',
  async (t) => {
    t.true(
      (await sameAsNobodys(t, app, { key: a.keys.secret, own: [], foreign: live, among: isOpen })) >
        runs({ quick: 40, deep: 100 }),
    )
    const fromPage = (e: Operation) => e.callers?.sandbox === 'publishable'
    t.true(
      (await sameAsNobodys(t, app, { key: a.keys.publishable, own: [], foreign: live, among: fromPage })) >=
        runs({ quick: 3, deep: 8 }),
    )
  },
)

test.serial(
  'X-SBX-01 J-VER-01 K-SBX-09 a live challenge is not found by verify with a sandbox key, and is not simulated',
  async (t) => {
    const { challengeId: [id = ''] = [], hash: [hash = ''] = [] } = a.stores[0]
    for (const key of [a.keys.secret, a.keys.publishable]) {
      const asked = await app.call('POST', '/v1/verify', { key, body: { challengeId: id, hash } })
      t.deepEqual([asked.status, asked.json.error], [404, 'svc_not_found'])
    }
    t.like((await verify(app, id, hash)).json, { settled: true })
    const played = await app.call('POST', SIMULATE, { key: a.keys.secret, body: { challengeId: id } })
    t.deepEqual([played.status, played.json.error], [403, 'svc_not_sandbox'])
  },
)

test.serial(
  'X-SBX-01 N-28 what a sandbox key is shown in all lists and files is the tests of its seller and no more',
  async (t) => {
    const all = await readAll(app, a.keys.secret, {}, isOpen)
    const told = [...all.values()].join('\n')
    for (const id of RECORDS.flatMap(live)) t.false(told.includes(id), id)
    const idsIn = async (path: string, list: string, name: string, key: string): Promise<string[]> => {
      const rows = (await app.call('GET', path, { key })).json[list] as Record<string, string | number>[]
      return rows.map((row) => String(row[name])).sort()
    }
    for (const [path, list, name] of LISTS) {
      const shown = await idsIn(path, list, name, a.keys.secret)
      const live = await idsIn(path, list, name, a.key)
      t.deepEqual(shown, (await idsIn(`${path}&is_test=1`, list, name, a.key)).toSorted(), path)
      t.deepEqual(
        shown.filter((id) => live.includes(id)),
        [],
        path,
      )
    }
  },
)

test.serial(
  'X-SBX-01 K-SBX-07 I-FEE-05 whatever sandbox keys call, they are told no live record and write on none',
  async (t) => {
    const before = (await readLog(app)).length
    const streams = new Set((await readLog(app)).map(({ stream }) => stream))
    const secrets = new Set([...RECORDS.flatMap(live), 'quokka title', 'quokka note', 'quokka invoice', 'quokka tea'])
    const ids = new Set<string>()
    const callers = [a.keys.secret, a.keys.publishable]
    const calls = wildCalls(poolOf(app, a.stores, []), callers.length, operations.filter(isOpen))
    const round = fc.array(calls, { minLength: TOGETHER, maxLength: TOGETHER })
    let answered = 0
    await fc.assert(
      fc.asyncProperty(round, async (all) => {
        // What a caller has sent itself may come back as the words of its own tests.
        for (const secret of secrets) if (all.some((each) => sent(each).includes(secret))) secrets.delete(secret)
        await Promise.all(
          all.map(async (each) => {
            const requestId = `test-${randomUUID()}`
            ids.add(requestId)
            const { method, path, ...options } = written(each.e, each)
            const headers = { ...('headers' in options && options.headers), 'x-request-id': requestId }
            const { status, text } = await app.call(method, path, { ...options, headers, key: callers[each.caller] })
            const told = [...secrets].filter((secret) => text.includes(secret))
            if (told.length > 0 || status >= 500)
              t.fail(`${labelOf(each.e)} ${sent(each)}: ${told} in ${status} ${text}`)
            if (status === 200) answered += 1
          }),
        )
      }),
      { numRuns: ROUNDS, seed: SEED, endOnFailure: true },
    )
    // Few of the calls that are drawn make something; this one does for certain.
    const made = `test-${randomUUID()}`
    ids.add(made)
    const priced = { key: a.keys.secret, headers: { 'x-request-id': made }, body: { amount: 5 } }
    t.is((await app.call('POST', '/v1/resources', priced)).status, 200)
    t.true(answered > ROUNDS, 'many calls succeed')
    t.true(secrets.size > 0, 'and some names are never sent')
    const caused = (await readLog(app)).slice(before).filter(({ cause }) => ids.has(cause.correlationId))
    t.true(caused.length > 0, 'and make things')
    const touched = caused.filter(({ stream }) => streams.has(stream) && !stream.startsWith('sandboxKeys-'))
    t.deepEqual(
      touched.map(({ type, stream }) => `${type} ${stream}`),
      [],
    )
  },
)

/** What a call gives away by itself. */
const sent = ({ query, body }: { query: object; body: object }): string => JSON.stringify([query, body])

const LISTS = [
  ['/v1/payment-requests?', 'payment_requests', 'encrypted_id'],
  ['/v1/checkouts?', 'checkouts', 'id'],
  ['/v1/orders?', 'orders', 'id'],
] as const

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
