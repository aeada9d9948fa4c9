import test, { type ExecutionContext } from 'ava'
import { createLeases } from '../../../adapters/postgres/lease.ts'
import { toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleOk } from '../../support/console.ts'
import { consoleRecords } from '../../support/console-records.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { connectBeside } from '../../support/kept-database.ts'
import { lineOf, type Report, reported } from '../../support/reconciled.ts'
import {
  assertReplayEqual,
  payInFull,
  type Shop,
  sell,
  sendBack,
  shop,
  transactionOf,
  verify,
} from '../../support/sale.ts'
import { SIMULATE, sandboxKey } from '../../support/sandbox.ts'
import { offerOf, ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'

/** Transactions, books and a real chain held against each other over HTTP; nobody watches the chain meanwhile. */

const MINUTE_MS = 60_000

let app: TestApp
/** How far the service's clock is ahead of the chain's. */
let shiftMs = 0
const stopped = new AbortController()

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shiftMs) } })
  await app.restart(watchNowhere)
})
test.after.always(async () => {
  stopped.abort()
  await app?.stop()
})

/** Takes the place of the process that watches the chain, so that a reorganisation is found by whoever looks. */
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

const offered = async (s: Shop, ageMs = 0) => {
  shiftMs = -ageMs
  try {
    return await offerOf(app, s.key, s.resId)
  } finally {
    shiftMs = 0
  }
}

/** One payment of each kind; answers their hashes. */
const mixed = async (t: ExecutionContext, s: Shop) => {
  const { hash: exact } = await sell(app, s)
  const over = await offered(s, MINUTE_MS)
  const asked = BigInt(over.amountAtomic)
  const more = await payInFull(app, over, (asked * 1025n) / 1000n)
  await ok(app.call('POST', '/v1/verify', { key: s.key, body: { challengeId: over.challengeId, hash: more } }))
  const inParts = await offered(s, MINUTE_MS)
  const half = await payInFull(app, inParts, BigInt(inParts.amountAtomic) / 2n)
  const { json } = await ok(verify(app, inParts.challengeId, half))
  const rest = await payInFull(app, inParts, toUnits(json.missing, 18))
  t.like((await ok(verify(app, inParts.challengeId, rest))).json, { settled: true })
  const part = await offered(s, MINUTE_MS)
  const underpaid = await payInFull(app, part, (BigInt(part.amountAtomic) * 2n) / 3n)
  await ok(verify(app, part.challengeId, underpaid))
  const old = await offered(s, 62 * MINUTE_MS)
  const late = await payInFull(app, old)
  t.is((await verify(app, old.challengeId, late)).status, 410)
  const twice = await offered(s)
  const first = await payInFull(app, twice)
  await ok(verify(app, twice.challengeId, first))
  const doubled = await payInFull(app, twice)
  t.is((await verify(app, twice.challengeId, doubled)).status, 409)
  return { exact, more, half, rest, underpaid, late, first, doubled }
}

/** Sales of every kind of one seller, a refund that its chain shows, and a payment in cash. */
const everyKind = async (t: ExecutionContext) => {
  const s = await shop(app)
  const hashes = await mixed(t, s)
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
  const { settlements } = (await ok(app.call('GET', '/v1/settlements', { key: s.key }))).json
  const of = (hash: string) => settlements.find((each: { hash: string }) => each.hash === hash)
  t.deepEqual(
    Object.entries(hashes).map(([name, hash]) => [name, of(hash)?.status]),
    [
      ['exact', 'settled'],
      ['more', 'settled'],
      ['half', 'part'],
      ['rest', 'settled'],
      ['underpaid', 'underpaid'],
      ['late', 'late'],
      ['first', 'settled'],
      ['doubled', 'doubled'],
    ],
  )
  const back = await sendBack(app, toUnits(of(hashes.exact).asset_amount, 18))
  const refund = `/v1/transactions?transaction_id=${of(hashes.exact).transaction_id}&action=refund`
  t.like((await ok(app.call('POST', refund, { key: s.key, body: { hash: back } }))).json, { sent: true })
  const cash = await consoleOk(app, s.key, 'create-transaction', { amount: '5', currency_code: 'USD' })
  await consoleRecords(app).update(s.key, cash.transaction_id, { status: 'C' })
  const match = { transfer: of(hashes.late).transfer, challenge_id: of(hashes.late).challenge_id }
  await ok(app.call('POST', '/v1/settlements?action=match', { key: s.key, body: match }))
  return { s, hashes, of, back, cash: cash.transaction_id as string }
}

test.serial('N-80 all agrees after sales of every kind, with a refund and what no transfer settled', async (t) => {
  const { s, hashes, of, back, cash } = await everyKind(t)
  const report = await reported(app, s.key)
  t.deepEqual(
    report.lines.filter(({ status }) => status !== 'agrees'),
    report.lines.filter(({ kind }) => kind === 'transaction'),
  )
  t.true(report.summary.all_agree)
  for (const [name, hash] of Object.entries(hashes)) {
    const { amounts } = lineOf(report, hash)
    t.truthy(amounts.chain, name)
    t.deepEqual([amounts.transactions, amounts.journal], [amounts.chain, amounts.chain], name)
    t.is(amounts.chain?.amount, of(hash).asset_amount, name)
  }
  t.is(lineOf(report, hashes.late).matched_by_hand, true)
  t.is(lineOf(report, back, 'refund').transaction_id, of(hashes.exact).transaction_id)
  t.like(
    report.lines.find(({ kind }) => kind === 'transaction'),
    {
      status: 'completed by hand',
      transaction_id: cash,
      edited_by_hand: ['status'],
      amounts: { transactions: { units: '5000000', amount: '5' }, journal: null, chain: null },
    },
  )
  t.is(report.lines.length, Object.keys(hashes).length + 2)
  // The same by small pages, and without a chain.
  t.deepEqual((await reported(app, s.key, { limit: '3' })).lines, report.lines)
  const apart = await reported(app, s.key, { chain: 'no' })
  t.true(apart.summary.all_agree)
  t.is(apart.lines.filter(({ status }) => status === 'chain not asked').length, Object.keys(hashes).length + 1)
  const page: Report = (await ok(app.call('GET', '/v1/reports/reconcile?chain=no&limit=500', { key: s.key }))).json
  t.like(page.summary.coins[0], { asset: 'eth', status: 'chain not asked', count: Object.keys(hashes).length + 1 })
})

deepTest.serial(
  'N-80 what was edited by hand, changed in a row, or reorganised away is named, and nothing else',
  async (t) => {
    const s = await shop(app)
    const [kept, edited, gone] = [await sell(app, s), await sell(app, s), await sell(app, s)]
    t.true((await reported(app, s.key)).summary.all_agree)
    const { id = '' } = await transactionOf(app, s.key, edited.offer.challengeId)
    await consoleRecords(app).update(s.key, id, { title: 'Chairs' })
    t.like(lineOf(await reported(app, s.key), edited.hash), { status: 'agrees', edited_by_hand: ['title'] })
    await consoleRecords(app).update(s.key, id, { amount: '0.03' })
    const byHand = await reported(app, s.key)
    t.like(lineOf(byHand, edited.hash), {
      status: 'edited by hand',
      differences: [{ where: 'transactions', what: 'edited by hand' }],
      edited_by_hand: ['amount', 'title'],
      transaction_id: id,
    })
    t.is(byHand.summary.differences, 1)
    t.deepEqual(
      (await reported(app, s.key, { status: 'edited by hand' })).lines.map(({ hash }) => hash),
      [edited.hash],
    )
    // The blocks of the newest payment give way to empty ones, and nobody watches.
    await app.anvil.reorg(gone.offer.requiredConfirmations + 1)
    const reorganised = await reported(app, s.key)
    t.like(lineOf(reorganised, gone.hash), {
      status: 'not on the chain',
      differences: [{ where: 'chain', what: 'not on the chain' }],
      amounts: { chain: null, journal: { units: gone.offer.amountAtomic } },
    })
    t.is(lineOf(reorganised, kept.hash).status, 'agrees')
    t.is(lineOf(reorganised, edited.hash).status, 'edited by hand')
    t.false(reorganised.summary.all_agree)
  },
)

deepTest.serial(
  'N-80 a row or a posting of which one unit is gone is named, also where no transaction explains it',
  async (t) => {
    const s = await shop(app)
    const { hash } = await sell(app, s)
    const { hash: other } = await sell(app, s)
    const sql = connectBeside(app.databaseUrl)
    const statusOf = async (of = hash) => lineOf(await reported(app, s.key, { chain: 'no' }), of).differences
    try {
      const undone = async (change: string, back: string, differences: readonly object[]) => {
        await sql.unsafe(change)
        t.deepEqual(await statusOf(), differences, change)
        t.deepEqual(await statusOf(other), [], change)
        await sql.unsafe(back)
        t.deepEqual(await statusOf(), [], back)
      }
      await undone(
        `update settlements set paid = paid - 1 where hash = '${hash}'`,
        `update settlements set paid = paid + 1 where hash = '${hash}'`,
        [{ where: 'transactions', what: 'another amount' }],
      )
      const receipts = `hash = '${hash}' and account = 'assets:receipts'`
      await undone(
        `update book_postings set amount = amount + 1 where ${receipts}`,
        `update book_postings set amount = amount - 1 where ${receipts}`,
        [{ where: 'journal', what: 'another amount' }],
      )
      await undone(
        `update book_postings set position = position + 1 where hash = '${hash}'`,
        `update book_postings set position = position - 1 where hash = '${hash}'`,
        [{ where: 'journal', what: 'not in the journal' }],
      )
      await sql.unsafe(`update transfer_events set position = position + 1 where transfer_id like '%${hash}%'`)
      const lone = (await reported(app, s.key, { chain: 'no' })).lines.find(({ kind }) => kind === 'posting')
      t.like(lone, { status: 'no transaction', hash, differences: [{ where: 'journal', what: 'no transaction' }] })
      await sql.unsafe(`update transfer_events set position = position - 1 where transfer_id like '%${hash}%'`)
    } finally {
      await sql.end()
    }
    t.is((await reported(app, s.key, { chain: 'no' })).summary.differences, 0)
  },
)

test.serial(
  'N-80 X-TEN-01 J-AUTH-04 X-SBX-01 a report has the lines of its key alone: of its account, its stores, its tests',
  async (t) => {
    const [s, other] = [await shop(app), await shop(app)]
    const { hash } = await sell(app, s)
    const inStore = await addStore(app, s.key)
    t.is((await reported(app, s.key)).lines.length, 1)
    t.deepEqual((await reported(app, other.key)).lines, [])
    t.deepEqual((await reported(app, inStore.key)).lines, [])
    const test_ = await sandboxKey(app, s.key, 'secret')
    t.deepEqual((await reported(app, test_)).lines, [])
    const made = await ok(app.call('POST', '/v1/resources', { key: test_, body: { amount: 5 } }))
    const minted = await ok(app.call('POST', '/v1/challenge', { key: test_, body: { res_id: made.json.res_id } }))
    const { challengeId } = minted.json.accepts[0]
    await ok(app.call('POST', SIMULATE, { body: { challengeId } }))
    await eventually('the test', async () => (await reported(app, test_)).lines.length === 1)
    t.like((await reported(app, test_)).lines[0], { status: 'test', challenge_id: challengeId, test: true })
    t.deepEqual((await reported(app, s.key, { is_test: '1' })).lines, (await reported(app, test_)).lines)
    t.deepEqual(
      (await reported(app, s.key)).lines.map((line) => line.hash),
      [hash],
    )
    t.is((await app.call('GET', '/v1/reports/reconcile?is_test=0', { key: test_ })).status, 400)
    t.is((await app.call('GET', '/v1/reports/reconcile')).status, 401)
    const cursor = 'transfers.1'
    t.deepEqual((await reported(app, other.key, { cursor })).lines, [])
    for (const query of [
      'cursor=transfers',
      'cursor=x.1',
      `cursor=transfers.${'9'.repeat(19)}`,
      'status=wrong',
      'chain=maybe',
      'limit=501',
      'from=2026-02-01&to=2026-01-01',
      'statuses=agrees',
    ])
      t.is((await app.call('GET', `/v1/reports/reconcile?${query}`, { key: s.key })).status, 400, query)
    t.deepEqual((await reported(app, s.key, { to: '2020-01-01' })).lines, [])
    t.is((await reported(app, s.key, { from: '2020-01-01', by: 'mined' })).lines.length, 1)
  },
)

deepAfter('the rows of all this are what a replay makes of the log', (t) => assertReplayEqual(t, app))
