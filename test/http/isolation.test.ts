import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { startApp, type TestApp } from '../support/app.ts'
import { runs } from '../support/depth.ts'
import { assertReplayEqual } from '../support/sale.ts'
import { PAY_TO } from '../support/seller.ts'
import { readLog } from './log.ts'
import { refused } from './strict.ts'
import { canariesOf, leaksIn, readAll } from './tenants/canaries.ts'
import { labelOf, type Operation, operations, written } from './tenants/declared.ts'
import { everyName, poolOf, SEED, sameAsNobodys } from './tenants/names.ts'
import { accountWide, allPass, isOfStores, unknownCalls, wrongAdmissions } from './tenants/reach.ts'
import { openTenant, type Tenant } from './tenants/tenant.ts'
import { type Pool, type Wild, wildCalls } from './tenants/wild.ts'

/**
 * Two sellers who have everything, and callers that try anything with each other's names: no answer holds a word of the
 * other's, and nothing of the other's changes. A key of one store is as much a stranger to what is in another store of
 * the same seller.
 */

/** Calls at once, and how often. */
const TOGETHER = 10
const ROUNDS = { tenants: runs({ quick: 4, deep: 240 }), stores: runs({ quick: 2, deep: 90 }) }

/** Names that are compared with those of nobody at least. */
const COMPARED = runs({ quick: 25, deep: 50 })

/** So high that no call is refused for them. */
const RATES = { KEY_RATE_PER_SECOND: '5000', KEY_RATE_BURST: '9000', ADDRESS_RATE_BURST: '9000' }

let app: TestApp
let a: Tenant
let b: Tenant
test.before(async () => {
  app = await startApp({ env: { ...RATES, PLATFORM_WALLETS: `eth=${PAY_TO}` } })
  a = await openTenant(app, 'quokka', 7_319.27)
  b = await openTenant(app, 'numbat', 41.5)
})
test.after.always(() => app?.stop())

test.serial('X-TEN-01 the answer to another seller’s name is the one to a name that nobody has', async (t) => {
  t.true((await sameAsNobodys(t, app, { key: b.key, own: b.stores, foreign })) > COMPARED)
})

test.serial(
  'X-TEN-01 J-AUTH-04 so it is to a name of another store of the same seller, with a key of one',
  async (t) => {
    const [north, south] = a.stores
    const others = (name: string) => (OF_ACCOUNT.includes(name) ? [] : (north[name] ?? []))
    t.true(
      (await sameAsNobodys(t, app, { key: a.keys.second, own: [south], foreign: others, among: isOfStores })) >
        COMPARED,
    )
  },
)

test.serial(
  'J-AUTH-04 X-CAP-01 X-TEN-01 every call, with every role, of the whole account and of one store, is let in as designed',
  async (t) => {
    t.deepEqual(unknownCalls(), [])
    t.deepEqual(await wrongAdmissions(app, b), [])
  },
)

test.serial('J-AUTH-04 a key of one store reads what is of its store', async (t) => {
  const answers = await readAll(
    app,
    a.keys.second,
    { ...a.stores[1], store_id: ['2'], cryptocurrency_code: [] },
    isOfStores,
  )
  t.deepEqual(
    [...answers].filter(([, answer]) => !answer.startsWith('200')),
    [],
  )
})

test.serial(
  'X-TEN-01 whatever a seller calls with, and whatever it names, it reads and changes nothing of another seller',
  async (t) => {
    const before = await readAll(app, a.key, everyName(a))
    const canaries = canariesOf(before, await readAll(app, b.key, everyName(b)), a.secrets)
    t.true(canaries.length > 100, 'there is something to leak')
    const callers = [
      b.key,
      b.keys.admin,
      b.keys.second,
      b.storeKey,
      b.keys.secret,
      b.keys.publishable,
      a.cloud,
      undefined,
    ]
    const ids = await wild(t, {
      pool: poolOf(app, b.stores, a.stores),
      callers,
      canaries,
      rounds: ROUNDS.tenants,
      token: b.cloud,
    })
    t.deepEqual(changed(before, await readAll(app, a.key, everyName(a))), [])
    const touched = (await readLog(app)).filter(
      (event) => ids.has(event.cause.correlationId) && JSON.stringify([event.stream, event.data]).includes(a.accountId),
    )
    t.deepEqual(
      touched.map(({ type, stream }) => `${type} ${stream}`),
      [],
    )
  },
)

test.serial(
  'X-TEN-01 J-AUTH-04 the keys of one store read and change nothing of another store of the same seller',
  async (t) => {
    const before = await readAll(app, a.keys.first, a.stores[0])
    const canaries = canariesOf(before, await readAll(app, a.keys.second, a.stores[1]))
    t.true(canaries.length > 20, 'there is something to leak')
    const callers = [a.keys.second, a.storeKey]
    await wild(t, {
      pool: poolOf(app, [a.stores[1]], [a.stores[0]]),
      callers,
      canaries,
      rounds: ROUNDS.stores,
      among: operations.filter((e) => e.auth === 'cloud' || isOfStores(e)),
      token: a.storeCloud,
    })
    t.deepEqual(changed(before, await readAll(app, a.keys.first, a.stores[0])), [])
  },
)

test.serial(
  'J-AUTH-04 E-403-01 a key of one store, with all that it may be allowed, rules nothing that is of the whole account',
  async (t) => {
    const calls = accountWide(a.keys.second, 'quokkacoin', `${app.receiver.url}/theirs`)
    await refused(t, app, calls)
    await allPass(t, app, calls, a.key)
  },
)

test('X-TEN-01 a leak would be found, wherever it stands', (t) => {
  const own = new Map([['GET /v1/me', '200 {"title":"quokka edited","price":7319.28,"at":"2026-01-01 10:00:00"}']])
  const canaries = canariesOf(own, new Map([['GET /v1/me', '200 {"title":"numbat edited"}']]), ['sk_live_A'])
  t.deepEqual(canaries, ['quokka edited', '7319.28', 'sk_live_a'])
  const answer = (text: string, header = 'none') => ({ text, headers: new Headers({ 'x-some': header }) })
  t.deepEqual(leaksIn(answer('{"title":"numbat edited","status":"C"}'), canaries), [])
  t.deepEqual(leaksIn(answer('{"total":7319.28}'), canaries), ['7319.28'])
  t.deepEqual(leaksIn(answer('{"message":"no QUOKKA edited here"}'), canaries), ['quokka edited'])
  t.deepEqual(leaksIn(answer('', 'sk_live_A'), canaries), ['sk_live_a'])
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** Names of what no store has for itself: coins, and places in the log. */
const OF_ACCOUNT = ['position', 'code', 'asset', 'cryptocurrency_code']

type Game = {
  pool: Pool
  callers: readonly (string | undefined)[]
  canaries: readonly string[]
  rounds: number
  among?: readonly Operation[]
  /** Of the callers' own store; another's may open checkouts there, as anybody may. */
  token: string
}

/** Plays; answers the ids of the calls. What a caller has sent itself is no secret to it any more. */
const wild = async (t: ExecutionContext, { pool, callers, canaries, rounds, among = operations, token }: Game) => {
  const ids = new Set<string>()
  const secret = new Set(canaries)
  const statuses = new Map<number, number>()
  const play = async (call: Wild) => {
    const requestId = `test-${randomUUID()}`
    ids.add(requestId)
    const answer = await send(call, callers[call.caller], { token, requestId, once: call.once })
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const what = () => `${labelOf(call.e)} ${JSON.stringify([call.query, call.body])} as ${call.caller}: ${answer.text}`
    if (answer.status >= 500) t.fail(what())
    const leaks = leaksIn(answer, secret)
    if (leaks.length > 0) t.fail(`${leaks.join(', ')} in ${what()}`)
  }
  const round = fc.array(wildCalls(pool, callers.length, among), { minLength: TOGETHER, maxLength: TOGETHER })
  await fc.assert(
    fc.asyncProperty(round, async (calls) => {
      const sent = JSON.stringify(calls.map(({ query, body }) => [query, body])).toLowerCase()
      for (const canary of secret) if (sent.includes(nameIn(canary))) secret.delete(canary)
      await Promise.all(calls.map(play))
    }),
    { numRuns: rounds, seed: SEED + 5, endOnFailure: true },
  )
  t.true((statuses.get(200) ?? 0) > rounds, 'many calls succeed')
  t.true((statuses.get(404) ?? 0) > rounds / 2, 'and many name what is not theirs')
  t.log(Object.fromEntries(statuses), `${secret.size} canaries never sent`)
  return ids
}

/** Who makes an address out of a name may make the same one. */
const nameIn = (canary: string): string =>
  canary.startsWith(app.served().origin) ? canary.slice(canary.lastIndexOf('/') + 1) : canary

type Sent = Pick<Wild, 'e' | 'query' | 'body'>

const send = (call: Sent, key: string | undefined, { token = b.cloud, requestId = 'test', once = false } = {}) => {
  const isCloud = call.e.auth === 'cloud'
  const { method, path, ...options } = written(
    call.e,
    isCloud ? { ...call, body: { ...call.body, cloud: token } } : call,
  )
  const headers = {
    ...options.headers,
    'x-request-id': requestId,
    ...(once && { 'idempotency-key': 'the same everywhere' }),
  }
  return app.call(method, path, { ...options, headers, ...(key !== undefined && !isCloud && { key }) })
}

/** The reads that answer otherwise than before. */
const changed = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...before]
    .filter(([read, answer]) => after.get(read) !== answer)
    .map(([read]) => [read, before.get(read), after.get(read)])

/** What the other seller calls things by, where one has to say it. Small numbers are everybody's own. */
const foreign = (name: string): readonly string[] =>
  ['store_id', 'subagent_id', 'key_id', 'lander_id', 'index', 'position'].includes(name)
    ? []
    : (everyName(a)[name] ?? [])
