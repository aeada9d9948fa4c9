import test from 'ava'
import { privateKeyToAccount } from 'viem/accounts'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { transactionQueries } from '../../../projections/selling/transactions/transaction-queries.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall, said } from '../../support/console.ts'
import { deepTest } from '../../support/deep-test.ts'
import { connectBeside } from '../../support/kept-database.ts'
import {
  assertReplayEqual,
  freshAddress,
  inLine,
  me,
  payInFull,
  type Shop,
  saidOf,
  sendBack as sendBackOn,
  shop,
  transactionOf,
} from '../../support/sale.ts'
import { type Offer, offerOf, ok } from '../../support/seller.ts'

/** What is recorded of a refund in a coin, and what its chain shows. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

/** A seller who may refund, and a sale. */
const sold = async (wei?: (asked: bigint) => bigint) => {
  const s = await shop(app)
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
  return { s, ...(await soldBy(s, wei)) }
}

const soldBy = async (s: Shop, wei?: (asked: bigint) => bigint) => {
  const offer = await offerOf(app, s.key, s.resId)
  const paid = wei ? wei(BigInt(offer.amountAtomic)) : BigInt(offer.amountAtomic)
  await paidBy(s.key, offer, paid)
  const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
  return { id, offer, paid }
}

const paidBy = async (key: string, offer: Offer, wei: bigint) => {
  const hash = await payInFull(app, offer, wei)
  // The key says what an amount pays that nobody was asked for.
  await ok(app.call('POST', '/v1/verify', { key, body: { challengeId: offer.challengeId, hash } }))
}

const refund = (key: string, id: string, body?: object) =>
  app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key, ...(body && { body }) })

const record = async (key: string, id: string): Promise<Record<string, string>> =>
  (await ok(app.call('GET', `/v1/transactions?transaction_id=${id}`, { key }))).json.transaction

const sendBack = (wei: bigint, ...how: SendBackWays) => sendBackOn(app, wei, ...how)
type SendBackWays = Parameters<typeof sendBackOn> extends [unknown, unknown, ...infer Ways] ? Ways : never

/** Refunds of a transaction that the clock looks for; those that are lost, since a time. */
const soughtOf = async (id: string, since = '2000') => {
  const sql = connectBeside(app.databaseUrl)
  try {
    const all = await transactionQueries(sql, sql).soughtRefunds(since, '', 100)
    return all.filter(({ transactionId }) => transactionId === id).map(({ hash }) => ({ transactionId: id, hash }))
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const RECORDED = { refunded: true, recorded: true, sent: false }
const SENT = { refunded: true, recorded: true, sent: true }

test('J-TXN-06 Q-30 N-68 a refund without a hash is recorded and not sent, and is earned no longer', async (t) => {
  const { s, id } = await sold()
  t.deepEqual((await ok(refund(s.key, id))).json, RECORDED)
  const shown = await record(s.key, id)
  t.is(shown.refund_status, 'recorded')
  t.is(shown.refunded_amount, shown.received_amount)
  t.is(shown.refund_sent_amount, undefined)
  t.like(await me(app, s.key), { settlements_count: 1, total_earned: 0 })
  t.is((await refund(s.key, id)).status, 400)
})

test('J-TXN-06 N-68 a refund whose hash is found on its chain is sent, whether it was recorded before or not', async (t) => {
  const [first, second] = [await sold(), await sold()]
  t.deepEqual((await ok(refund(first.s.key, first.id))).json, RECORDED)
  for (const { s, id, paid } of [first, second]) {
    const hash = await sendBack(paid)
    const answer = { ...SENT, hash, amount: toDecimal(paid, 18) }
    t.deepEqual((await ok(refund(s.key, id, { hash }))).json, answer)
    t.deepEqual((await ok(refund(s.key, id, { hash }))).json, answer, 'and again')
    t.like(await record(s.key, id), {
      refund_status: 'sent',
      refund_hash: hash,
      refund_sent_amount: toDecimal(paid, 18),
      refunded_amount: toDecimal(paid, 18),
    })
    t.is((await saidOf(app, 'RefundSent', hash)).length, 1)
    t.like(await me(app, s.key), { settlements_count: 1, total_earned: 0 })
  }
})

// One after the other: elsewhere blocks are mined at any time.
deepTest.serial(
  'J-TXN-06 N-68 a refund that lacks confirmations is pending, and is looked for until it has them',
  async (t) => {
    const { s, id, paid, offer } = await sold()
    const hash = await sendBack(paid, app.anvil.payer, 0)
    const pending = { confirmations: 1, required: offer.requiredConfirmations }
    const answer = { ...RECORDED, hash, amount: toDecimal(paid, 18), pending }
    for (const _ of [1, 2]) t.deepEqual((await ok(refund(s.key, id, { hash }))).json, answer)
    t.like(await record(s.key, id), { refund_status: 'pending', refund_hash: hash })
    t.deepEqual(await soughtOf(id), [{ transactionId: id, hash }])
    await app.anvil.mine(12)
    t.like((await ok(refund(s.key, id, { hash }))).json, SENT)
    t.is((await saidOf(app, 'RefundHashSubmitted', id)).length, 1)
    t.deepEqual(await soughtOf(id), [])
  },
)

deepTest(
  'J-TXN-06 N-68 a hash that its chain does not know is recorded, looked for, and replaced by another one',
  async (t) => {
    const { s, id, paid } = await sold()
    const unknown = `0x${'7'.repeat(64)}`
    t.like((await ok(refund(s.key, id, { hash: unknown }))).json, { ...RECORDED, pending: { confirmations: 0 } })
    t.like(await record(s.key, id), { refund_status: 'pending', refunded_amount: toDecimal(paid, 18) })
    t.deepEqual(await soughtOf(id, '2999'), [{ transactionId: id, hash: unknown }], 'until it is found or ended')
    const hash = await sendBack(paid)
    t.like((await ok(refund(s.key, id, { hash }))).json, { refunded: true, hash, amount: toDecimal(paid, 18) })
    t.like(await record(s.key, id), { refund_sent_amount: toDecimal(paid, 18) })
  },
)

deepTest('J-TXN-06 N-68 parts are given back one after the other, and no more than came', async (t) => {
  const { s, id, paid } = await sold()
  const quarter = toDecimal(paid / 4n, 18)
  t.deepEqual((await ok(refund(s.key, id, { amount: quarter }))).json, { ...RECORDED, amount: quarter })
  t.like(await record(s.key, id), { refunded_amount: quarter, refund_status: 'recorded' })
  t.is((await me(app, s.key)).total_earned, 75)
  t.is((await record(s.key, id)).refunded_time, undefined)
  for (const amount of [toDecimal(paid, 18), '0', '1e-19', '0.0000000000000000001', 'much'])
    t.is((await refund(s.key, id, { amount })).status, 400, amount)
  const hash = await sendBack(paid / 4n)
  t.is((await refund(s.key, id, { hash, amount: toDecimal(paid / 2n, 18) })).status, 400, 'another amount')
  t.like((await ok(refund(s.key, id, { hash, amount: quarter }))).json, SENT)
  t.is((await me(app, s.key)).total_earned, 75)
  t.deepEqual((await ok(refund(s.key, id))).json, RECORDED, 'the rest')
  t.like(await record(s.key, id), {
    refunded_amount: toDecimal(paid, 18),
    refund_sent_amount: quarter,
    refund_status: 'recorded',
  })
  t.is((await me(app, s.key)).total_earned, 0)
})

deepTest('J-TXN-06 N-68 what came above the price is given back, and all of the price stays earned', async (t) => {
  const { s, id, offer } = await sold((asked) => asked + 10n ** 15n)
  t.like(await record(s.key, id), { received_amount: toDecimal(BigInt(offer.amountAtomic) + 10n ** 15n, 18) })
  await ok(refund(s.key, id, { amount: '0.001' }))
  t.is((await me(app, s.key)).total_earned, 100)
})

test('J-TXN-06 N-68 a chain transaction that is no refund of this payment is refused, and nothing is recorded', async (t) => {
  const early = await sendBack(10n ** 15n)
  const { s, id, paid } = await sold()
  const other = await soldBy(s)
  const back = await sendBack(paid)
  await ok(refund(s.key, other.id, { hash: back }))
  const payment = (await record(s.key, id)).hash
  const elsewhere = await sendBack(paid, freshAddress())
  const own = await inLine(() => app.anvil.send(app.anvil.payer, paid))
  await app.anvil.mine(12)
  for (const [why, hash, status] of [
    ['from before the payment', early, 400],
    ['the refund of another payment', back, 409],
    ['the payment itself', payment, 400],
    ['to another address', elsewhere, 400],
    ['from the buyer to itself', own, 400],
    ['no hash at all', 'refund', 400],
  ] as const) {
    const { status: answered, json } = await refund(s.key, id, { hash })
    t.is(answered, status, why)
    t.regex(json.message, /^hash: /, why)
  }
  t.deepEqual(await saidOf(app, 'RefundRecorded', id), [])
  t.is((await record(s.key, id)).refund_status, undefined)
})

test('J-TXN-06 N-68 X-TEN-01 what another seller sent gives nothing back here, and a stranger’s key refunds nothing', async (t) => {
  const { s, id, paid } = await sold()
  const stranger = await shop(app)
  const address = privateKeyToAccount(app.anvil.accounts[6]?.privateKey ?? '0x').address
  const theirs = await shop(app)
  const hash = await sendBack(paid)
  t.is((await refund(stranger.key, id, { hash })).status, 404)
  await ok(app.call('POST', '/v1/wallets', { key: theirs.key, body: { asset: 'eth', address } }))
  const later = await sendBack(paid, app.anvil.payer, 12, 6)
  const refused = await refund(s.key, id, { hash: later })
  t.is(refused.status, 409)
  t.regex(refused.json.message, /another seller/)
})

test('J-TXN-06 E-400-07 K-SUB-04 a key without the permission refunds nothing, with a hash or without', async (t) => {
  const { s, id, paid } = await sold()
  const hash = await sendBack(paid)
  const made = await ok(app.call('POST', '/v1/subagents', { key: s.key, body: { role: 'clerk' } }))
  const key = made.json.api_key
  for (const each of [{ hash }, {}]) t.is((await refund(key, id, each)).status, 403)
  t.deepEqual(await saidOf(app, 'RefundRecorded', id), [])
})

deepTest('M-TXN-13 N-68 the console records, finds and tells a refund in the same words', async (t) => {
  const { s, id, paid } = await sold()
  t.deepEqual(await said(consoleCall(app, s.key, 'refund', { transaction_id: id })), RECORDED)
  const hash = await sendBack(paid)
  t.like(await said(consoleCall(app, s.key, 'refund', { transaction_id: id, hash })), { ...SENT, hash })
  t.like(await said(consoleCall(app, s.key, 'get-transaction', { transaction_id: id })), { refund_status: 'sent' })
})

deepTest('J-TXN-06 N-68 the receipt of the buyer says recorded, not sent, until the chain shows it', async (t) => {
  const { s, id, paid, offer } = await sold()
  const page = async () => {
    const headers = { accept: 'text/html' }
    return (await app.call('GET', `/r/${s.resId}?challenge=${offer.challengeId}`, { headers })).text
  }
  t.notRegex(await page(), /Refund/)
  await ok(refund(s.key, id))
  t.regex(await page(), /recorded, not sent/)
  await ok(refund(s.key, id, { hash: await sendBack(paid) }))
  t.regex(await page(), /was sent back/)
})

test('I-SUM-01 N-68 the journal owes buyers what is recorded, and pays it once the chain shows it', async (t) => {
  const { s, id, paid } = await sold()
  const owed = async () => {
    const { json } = await ok(app.call('GET', '/v1/audit/books', { key: s.key }))
    const own = json.accounts.find(({ account }: { account: string }) => account.endsWith(':refunds'))
    return BigInt(own?.amount ?? 0)
  }
  await ok(refund(s.key, id))
  t.is(await owed(), -paid)
  await ok(refund(s.key, id, { hash: await sendBack(paid) }))
  t.is(await owed(), 0n)
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))
