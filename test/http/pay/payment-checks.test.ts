import test from 'ava'
import { createLeases } from '../../../adapters/postgres/lease.ts'
import { toDecimal, toUnits } from '../../../domain/kernel/money.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  consoleCall,
  consoleOk,
  consoleRefusal,
  type Fields,
  type Made,
  offerAt,
  recordOf,
} from '../../support/console.ts'
import { startCountingProxy } from '../../support/counting-proxy.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf, sell, send, shop } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'

/** Payments that are looked for from the console, with no chain watch anywhere. */

const [INVALID, NOT_FOUND] = ['400 svc_invalid_request', '404 svc_not_found']

let app: TestApp
/** How far the service's clock is ahead of the chain's; moved only by tests that run alone. */
let shiftMs = 0
const chain = { url: '', up: true }
const proxy = await startCountingProxy(() => (chain.up ? chain.url : 'http://127.0.0.1:1'))
const stopped = new AbortController()

test.before(async () => {
  app = await startApp({
    world: { now: () => new Date(Date.now() + shiftMs) },
    rpcUrl: proxy.url,
    onAnvil: (url) => (chain.url = url),
  })
  await app.restart(watchNowhere)
})
test.after.always(async () => {
  stopped.abort()
  await app?.stop()
  proxy.stop()
})

/** Takes the place of the process that watches the chain, and watches nothing. */
const watchNowhere = async () => {
  const leases = createLeases(app.databaseUrl)
  const { promise: taken, resolve } = Promise.withResolvers<void>()
  const idle = (signal: AbortSignal) => new Promise<void>((end) => signal.addEventListener('abort', () => end()))
  const watching = leases.hold('chain-watch-eth', stopped.signal, (signal) => {
    resolve()
    return idle(signal)
  })
  stopped.signal.addEventListener('abort', () => void watching.finally(() => leases.close()))
  await taken
}

test.serial('M-TXN-08 a payment that nobody watches for is found by check-transaction, and settles once', async (t) => {
  const s = await shop(app)
  const made = await consoleOk(app, s.key, 'create-transaction', {
    amount: '5',
    currency_code: 'USD',
    external_reference: 'watchless',
  })
  const { transaction_id } = made
  const check = (fields: Fields = { transaction_id }, at?: string) =>
    consoleOk(app, s.key, 'check-transaction', fields, at)
  t.like(await check(), { status: 'P', hash: '' })
  const offer = await offerAt(app, made)
  t.like(await check(), { status: 'P', hash: '' })
  const hash = await send(app, offer)
  t.like(await check({ transaction: transaction_id }), { id: transaction_id, status: 'P', hash })
  await app.anvil.mine(offer.requiredConfirmations)
  const all = await Promise.all(Array.from({ length: 8 }, () => check({ transaction_id }, '/payment/api.php')))
  for (const record of all) t.like(record, { status: 'C', hash, external_reference: 'watchless' })
  t.like(await check(), { status: 'C', hash })
  t.is((await saidOf(app, 'ChallengeSettled', hash)).length, 1)
  t.is((await saidOf(app, 'PaymentRequestPaid', made.encrypted_id)).length, 1)
  t.like((await ok(app.call('GET', '/v1/me', { key: s.key }))).json, { settlements_count: 1, total_earned: 5 })
})

deepTest.serial(
  'M-TXN-08 an amount that nobody was asked for pays nothing, and a block that was replaced is looked at again',
  async (t) => {
    const s = await shop(app)
    const [little, moved] = [await pending(s.key, 'little'), await pending(s.key, 'moved')]
    const offers = [await offerAt(app, little), await offerAt(app, moved)] as const
    await send(app, offers[0], BigInt(offers[0].amountAtomic) / 2n)
    await app.anvil.mine(6)
    const hash = await send(app, offers[1])
    const check = ({ transaction_id }: Made) => consoleOk(app, s.key, 'check-transaction', { transaction_id })
    t.like(await check(moved), { status: 'P', hash })
    await app.anvil.reorg(1)
    await app.anvil.mine(10)
    t.like(await check(moved), { status: 'P' })
    t.is((await saidOf(app, 'PaymentRetracted', hash)).length, 1)
    t.is((await saidOf(app, 'ChallengeSettled', moved.encrypted_id)).length, 0)
    t.like(await check(little), { status: 'P' })
    const row = (await ok(app.call('GET', '/v1/settlements', { key: s.key }))).json.settlements
    t.deepEqual(
      row.map(({ status }: { status: string }) => status),
      ['unmatched'],
    )
  },
)

deepTest.serial(
  'M-TXN-08 too little money is told without its hash, also where nobody can say yet what it is for',
  async (t) => {
    const s = await shop(app)
    const made = await pending(s.key, 'too little')
    const check = (fields: Fields = {}) =>
      consoleOk(app, s.key, 'check-transaction', { transaction_id: made.transaction_id, ...fields })
    t.false('asked' in (await check()), 'no coin was chosen yet')
    const offer = await offerAt(app, made)
    t.like(await check(), { status: 'P', asked: offer.amount, paid: '0', missing: offer.amount })
    const half = BigInt(offer.amountAtomic) / 2n
    const coin = (wei: bigint) => toDecimal(wei, 18)
    const hash = await send(app, offer, half)
    await app.anvil.mine(6)
    const told = await check()
    t.like(told, { status: 'P', paid: coin(half), missing: coin(BigInt(offer.amountAtomic) - half) })
    t.like(told.unmatched, [{ hash, amount: coin(half), candidates: [offer.challengeId] }])
    // A second buyer's offer on the same address: from now on nobody can say whose such money is.
    const other = await pending(s.key, 'other')
    const otherOffer = await offerAt(app, other)
    const quarter = await send(app, otherOffer, BigInt(otherOffer.amountAtomic) / 4n)
    await app.anvil.mine(6)
    const both = await consoleOk(app, s.key, 'check-transactions')
    for (const each of both.transactions)
      t.true(
        each.unmatched.some((row: Fields) => row.hash === quarter),
        each.id,
      )
    const record = both.transactions.find((each: Fields) => each.id === other.transaction_id)
    t.like(record, { status: 'P', paid: '0', missing: record.asked })
    const { transfer } = told.unmatched[0]
    const misspelt = await consoleCall(app, s.key, 'match-transfer', { transfer, transaktion_id: made.transaction_id })
    t.is(misspelt.status, 400)
    t.regex(misspelt.json.message, /transaktion_id: this name is not known\. Did you mean transaction_id\?/)
    await consoleOk(app, s.key, 'match-transfer', { transfer, transaction_id: made.transaction_id })
    const matched = await check()
    t.like(matched, { status: 'X', paid: coin(half) })
    t.false(matched.unmatched?.some((row: Fields) => row.hash === hash) ?? false)
  },
)

test.serial(
  'M-TXN-08 M-TXN-09 a part of the price is told as paid, and the rest settles it when it is found',
  async (t) => {
    const s = await shop(app)
    const made = await pending(s.key, 'in two parts')
    const { transaction_id } = made
    const offer = await offerAt(app, made)
    // The only open offer of its address takes an odd amount that came two blocks' time after it.
    await app.anvil.client.increaseTime({ seconds: 60 })
    const half = BigInt(offer.amountAtomic) / 2n
    await send(app, offer, half)
    await app.anvil.mine(offer.requiredConfirmations)
    const check = () => consoleOk(app, s.key, 'check-transaction', { transaction_id })
    const told = await check()
    t.like(told, { status: 'X', asked: offer.amount, paid: toDecimal(half, 18) })
    t.false('unmatched' in told)
    t.true(toUnits(told.missing, 18) >= BigInt(offer.amountAtomic) - half)
    await send(app, offer, toUnits(told.missing, 18))
    await app.anvil.mine(offer.requiredConfirmations)
    const { checked, settled, transactions } = await consoleOk(app, s.key, 'check-transactions')
    t.deepEqual([checked, settled], [1, 1], 'what was paid in part is looked for without being named')
    t.like(transactions[0], { id: transaction_id, status: 'C', missing: '0' })
    t.true(toUnits(transactions[0].paid, 18) >= BigInt(offer.amountAtomic))
    t.like(await consoleOk(app, s.key, 'check-transactions'), { checked: 0, settled: 0 })
  },
)

test.serial('J-AUTH-04 M-TXN-08 a key of one store is not shown money that may be for another store', async (t) => {
  const s = await shop(app)
  const { key: storeKey } = await addStore(app, s.key)
  const [owners, stores] = [await pending(s.key, 'first store'), await pending(storeKey, 'second store')]
  const [offer] = [await offerAt(app, owners), await offerAt(app, stores)]
  await send(app, offer, BigInt(offer.amountAtomic) / 4n)
  await app.anvil.mine(6)
  const { transaction_id } = stores
  const check = (key: string) => consoleOk(app, key, 'check-transaction', { transaction_id })
  const owner = await check(s.key)
  t.like(owner, { status: 'P', paid: '0' })
  t.is(owner.unmatched.length, 1)
  const seen = await check(storeKey)
  t.like(seen, { status: 'P', paid: '0', missing: seen.asked })
  t.false('unmatched' in seen)
  const foreign = { transaction_id: owners.transaction_id }
  t.is(await consoleRefusal(app, storeKey, 'check-transaction', foreign), NOT_FOUND)
})

test.serial('M-TXN-09 several payments that nobody watches for are found by check-transactions', async (t) => {
  const [s, other] = [await shop(app), await shop(app)]
  const made = [await pending(s.key, 'one'), await pending(s.key, 'two'), await pending(s.key, 'three')]
  const foreign = await pending(other.key, 'foreign')
  for (const each of [...made.slice(0, 2), foreign]) await send(app, await offerAt(app, each))
  await app.anvil.mine(6)
  const { checked, settled, transactions } = await consoleOk(app, s.key, 'check-transactions')
  t.deepEqual([checked, settled], [3, 2])
  t.deepEqual(
    transactions.map((record: Fields) => `${record.external_reference} ${record.status}`),
    ['three P', 'two C', 'one C'],
  )
  t.like(await recordOf(app, other.key, foreign), { status: 'P' })
  t.like(await consoleOk(app, s.key, 'check-transactions'), { checked: 1, settled: 0 })
})

test.serial(
  'M-TXN-08 M-TXN-09 X-TEN-01 a check of what is not there is refused, and while the chain is silent it says so',
  async (t) => {
    const [s, other] = [await shop(app), await shop(app)]
    const made = await pending(s.key, 'silent')
    const { transaction_id } = made
    const offer = await offerAt(app, made)
    const check = (fields: Fields, key = s.key) => consoleRefusal(app, key, 'check-transaction', fields)
    t.is(await check({ transaction_id }, other.key), NOT_FOUND)
    t.is(await check({ transaction_id: '1' }), NOT_FOUND)
    t.is(await check({ transaction_id: 'x' }), NOT_FOUND)
    t.is(await check({}), INVALID)
    t.is(await check({ transaction_id, transaction: '1' }), INVALID)
    const hash = await send(app, offer)
    await app.anvil.mine(6)
    chain.up = false
    t.is(await check({ transaction_id }), '503 svc_unavailable')
    t.is(await consoleRefusal(app, s.key, 'check-transactions'), '503 svc_unavailable')
    t.like((await cron(s.key)).json.response, { checked: 1, settled: 0 })
    chain.up = true
    t.like(await consoleOk(app, s.key, 'check-transaction', { transaction_id }), { status: 'C', hash })
  },
)

test.serial('M-GEN-08 N-71 ?cron does what is due for the account of the key, and for no other', async (t) => {
  const [s, other] = [await shop(app), await shop(app)]
  const [late, paid, foreign] = [
    await pending(s.key, 'late', '15m'),
    await pending(s.key, 'paid', '15m'),
    await pending(other.key, 'foreign', '15m'),
  ]
  await send(app, await offerAt(app, paid))
  await app.anvil.mine(6)
  const at = '/api.php?cron'
  t.deepEqual((await cron(s.key)).json, {
    success: true,
    response: { expired_requests: 0, expired_transactions: 0, checked: 2, settled: 1 },
  })
  t.like(await recordOf(app, s.key, paid), { status: 'C' })
  shiftMs = 30 * 60_000
  // The sweep does the same by the clock: whichever comes first, it is done once.
  const { response } = (await cron(s.key)).json
  t.is(response.checked, 1)
  t.like(await recordOf(app, s.key, late), { status: 'X' })
  t.is((await saidOf(app, 'PaymentRequestExpired', late.encrypted_id ?? '')).length, 1)
  t.deepEqual(Object.keys(response).sort(), ['checked', 'expired_requests', 'expired_transactions', 'settled'])
  t.like((await cron(s.key, `${at}=1`)).json.response, { expired_requests: 0, checked: 0 })
  t.is(typeof foreign.transaction_id, 'string')
  t.is((await app.call('GET', at)).json.error_code, 'api-key-not-found')
  t.is((await app.call('GET', at)).status, 401)
  t.is((await cron(`${s.key.slice(0, -1)}x`)).status, 401)
  for (const path of ['/api.php', '/api.php?cronn', '/payment/api.php?cron', '/cloud/api.php?cron']) {
    const { status, json } = await cron(s.key, path)
    t.true([404, 405].includes(status), `${path} ${status}`)
    t.is(json.success, false)
  }
  t.is((await app.call('HEAD', at, { key: s.key })).status, 405)
  shiftMs = 0
})

test('J-AUTH-04 the key of a store prices, sees and touches the resources of that store alone', async (t) => {
  const s = await shop(app)
  const { key } = await addStore(app, s.key)
  const made = (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 5 } }))).json
  const listed = async (by: string) =>
    (await ok(app.call('GET', '/v1/resources', { key: by }))).json.resources.map((each: Fields) => each.res_id)
  t.deepEqual(await listed(key), [made.res_id])
  t.deepEqual(await listed(s.key), [made.res_id, s.resId])
  const path = `/v1/resources?res_id=${s.resId}`
  for (const [method, body] of [['GET'], ['PUT', { max_per_caller: null }], ['DELETE']] as const)
    t.is((await app.call(method, path, { key, body })).status, 404, method)
  t.is((await app.call('GET', `${path}&callers=1`, { key })).status, 404)
  t.is((await app.call('POST', '/v1/challenge', { key, body: { res_id: s.resId } })).status, 404)
  await sell(app, s)
  const { offer } = await sell(app, { key, resId: made.res_id })
  const settled = async (by: string) => (await ok(app.call('GET', '/v1/settlements', { key: by }))).json.settlements
  t.deepEqual(
    (await settled(key)).map((each: Fields) => each.challenge_id),
    [offer.challengeId],
  )
  t.is((await settled(s.key)).length, 2)
  t.is((await app.call('POST', '/v1/resources', { key, body: { amount: 5, store_id: 1 } })).status, 403)
  t.is((await app.call('POST', '/v1/resources', { key: s.key, body: { amount: 5, store_id: 99 } })).status, 404)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const pending = (key: string, external_reference: string, expiry = ''): Promise<Made> =>
  consoleOk(app, key, 'create-transaction', { amount: '5', currency_code: 'USD', external_reference, expiry })

const cron = (key: string, path = '/api.php?cron') => app.call('GET', path, { key })
