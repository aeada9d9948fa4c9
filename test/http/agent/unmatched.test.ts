import test from 'ava'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, payInFull, type Shop, send, sendBack, shop } from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'

/** Money that came and settles nothing: what it may be meant for, and what its seller does with it. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

/** The smallest part by which an amount is odd in these tests. */
const ODD = 10n ** 13n

/** A shop with an offer, and money that came for it and settles nothing, because its seller wants to be asked. */
const odd = async (less = ODD) => {
  const s = await shop(app)
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { odd_payments: 'ask', refunds: true } } }))
  const offer = await offerOf(app, s.key, s.resId)
  const wei = BigInt(offer.amountAtomic) - less
  const hash = await payInFull(app, offer, wei)
  return { s, offer, wei, hash, money: await cameTo(s, hash) }
}

const cameTo = (s: Shop, hash: string) =>
  eventually('the money', async () => (await listed(s.key)).find((each) => each.hash === hash))

const listed = async (key: string, query = ''): Promise<Record<string, string>[]> =>
  (await ok(app.call('GET', `/v1/unmatched${query}`, { key }))).json.unmatched

const act = (key: string, action: string, body: object) =>
  app.call('POST', `/v1/unmatched?action=${action}`, { key, body })

const reconciled = async (key: string) => (await ok(app.call('GET', '/v1/reports/reconcile', { key }))).json

const overviewOf = async (key: string): Promise<{ kind: string }[]> =>
  (await ok(app.call('GET', '/v1/reports/overview', { key }))).json.needs_hand

test('N-103 N-24 money that settles nothing is listed with candidates and their reasons, and matched with one', async (t) => {
  const { s, offer, hash, money, wei } = await odd()
  t.like(money, { state: 'open', reason: 'unmatched', asset_amount: toDecimal(wei, 18), challenge_id: null })
  const { json } = await ok(app.call('GET', `/v1/unmatched?transfer=${money.transfer}`, { key: s.key }))
  t.is(json.money.hash, hash)
  const [likeliest] = json.candidates
  t.like(likeliest, { challenge_id: offer.challengeId, missing: toDecimal(BigInt(offer.amountAtomic), 18) })
  t.deepEqual(likeliest.reasons, ['same-address', 'in-time', 'part'])
  const wish = { transfer: money.transfer, challenge_id: offer.challengeId }
  t.like((await ok(act(s.key, 'match', wish))).json, { status: 'underpaid' })
  t.deepEqual(await listed(s.key), [])
  // What is missing of it is now the likeliest that further money is for.
  const second = await offerOf(app, s.key, s.resId)
  const rest = await payInFull(app, second, BigInt(second.amountAtomic) + ODD)
  const more = await cameTo(s, rest)
  const again = await ok(app.call('GET', `/v1/unmatched?transfer=${more.transfer}`, { key: s.key }))
  t.deepEqual(
    again.json.candidates.map((each: { reasons: string[] }) => each.reasons.includes('same-sender')),
    [true, false],
  )
})

deepTest('N-102 ignored money stays in suspense and asks for no hand, until that is taken back', async (t) => {
  const { s, money } = await odd()
  const kinds = async () => (await overviewOf(s.key)).map(({ kind }) => kind)
  t.true((await kinds()).includes('unmatched'))
  t.like(await act(s.key, 'ignore', { transfer: money.transfer, reason: 'no reason' }), { status: 400 })
  t.deepEqual((await ok(act(s.key, 'ignore', { transfer: money.transfer, reason: 'own' }))).json, {
    transfer: money.transfer,
    state: 'ignored',
  })
  t.false((await kinds()).includes('unmatched'))
  t.deepEqual(await listed(s.key, '?state=open'), [])
  t.like(await listed(s.key, '?state=ignored'), [{ state: 'ignored', ignored_for: 'own' }])
  t.like((await ok(app.call('GET', '/v1/settlements', { key: s.key }))).json.settlements, [{ status: 'ignored' }])
  t.like((await ok(act(s.key, 'reopen', { transfer: money.transfer }))).json, { state: 'open' })
  t.like(await listed(s.key, '?state=open'), [{ reason: 'unmatched' }])
  t.true((await kinds()).includes('unmatched'))
})

// Alone, too: the blocks of other tests would confirm it.
deepTest.serial(
  'N-102 a return is recorded, then pending, then sent as its chain shows, and the books agree with it',
  async (t) => {
    const { s, money, wei } = await odd()
    const { transfer } = money
    t.like(await act(s.key, 'return', { transfer, amount: '99' }), { status: 400 })
    t.like((await ok(act(s.key, 'return', { transfer }))).json, { return_status: 'recorded' })
    t.like(await listed(s.key, '?state=returned'), [{ return_status: 'recorded', returned_amount: toDecimal(wei, 18) }])
    t.like(await act(s.key, 'ignore', { transfer, reason: 'own' }), { status: 400 })
    t.like((await ok(act(s.key, 'reopen', { transfer }))).json, { state: 'open' })
    // The network's price of sending it is kept.
    const sent = wei - ODD
    const hash = await sendBack(app, sent, app.anvil.payer, 1)
    const waits = await ok(act(s.key, 'return', { transfer, hash }))
    t.like(waits.json, { return_status: 'pending', returned_amount: toDecimal(sent, 18), required: 6 })
    t.like(await listed(s.key), [{ state: 'returned', return_status: 'pending' }])
    await app.anvil.mine(12)
    const { json } = await ok(act(s.key, 'return', { transfer, hash }))
    t.like(json, { return_status: 'sent', returned_amount: toDecimal(sent, 18) })
    t.like(await listed(s.key), [{ return_status: 'sent', return_hash: hash }])
    t.like(await act(s.key, 'reopen', { transfer }), { status: 400 })
    t.like(await act(s.key, 'match', { transfer, challenge_id: 'ch_none.eth' }), { status: 404 })
    const { lines } = await reconciled(s.key)
    t.deepEqual(lines.map(kindAndStatus).sort(), [
      ['payment', 'agrees', 'returned'],
      ['refund', 'agrees', undefined],
    ])
    await assertReplayEqual(t, app)
  },
)

test('N-102 J-TXN-06 what sends something else back is refused, and one transaction returns one payment', async (t) => {
  const [one, two] = [await odd(), await odd(ODD * 2n)]
  const refused = async (hash: string, status: number) =>
    t.is((await act(one.s.key, 'return', { transfer: one.money.transfer, hash })).status, status, hash)
  await refused('0x12', 400)
  await refused(one.hash, 400)
  await refused(await sendBack(app, one.wei + 1n), 400)
  await refused(await sendBack(app, 1n, one.s.address), 400)
  const hash = await sendBack(app, two.wei)
  t.like((await ok(act(two.s.key, 'return', { transfer: two.money.transfer, hash }))).json, { return_status: 'sent' })
  await refused(hash, 409)
  t.like(await listed(one.s.key), [{ state: 'open' }])
})

test('N-102 X-REPLAY-01 two people who match it with two payments at once, or return it, end in one', async (t) => {
  const { s, money, offer } = await odd()
  const other = await offerOf(app, s.key, s.resId)
  const { transfer } = money
  const outcomes = await Promise.all([
    act(s.key, 'match', { transfer, challenge_id: offer.challengeId }),
    act(s.key, 'match', { transfer, challenge_id: other.challengeId }),
    act(s.key, 'return', { transfer }),
  ])
  const won = outcomes.filter(({ status }) => status === 200)
  t.is(won.length, 1, JSON.stringify(outcomes.map(({ json }) => json)))
  for (const { status } of outcomes) t.true([200, 400, 404, 409].includes(status))
})

deepTest('N-103 the list is narrowed, searched and paged, and other accounts see none of it', async (t) => {
  const { s, money, offer, hash } = await odd()
  const second = await payInFull(app, offer, BigInt(offer.amountAtomic) / 3n)
  await cameTo(s, second)
  const hashes = async (query: string) => (await listed(s.key, query)).map((each) => each.hash)
  t.deepEqual(await hashes(`?search=${hash.slice(4, 30).toUpperCase()}`), [hash])
  t.deepEqual(await hashes('?reason=late'), [])
  t.deepEqual(await hashes('?asset=usdc_eth'), [])
  t.deepEqual(await hashes('?to=2020-01-01'), [])
  const first = (await ok(app.call('GET', '/v1/unmatched?limit=1', { key: s.key }))).json
  t.is(first.unmatched[0].hash, second)
  const next = (await ok(app.call('GET', `/v1/unmatched?limit=1&before=${first.next}`, { key: s.key }))).json
  t.is(next.unmatched[0].hash, hash)
  t.is(next.next, null)
  t.is((await app.call('GET', '/v1/unmatched?before=there', { key: s.key })).status, 400)
  const stranger = await shop(app)
  t.deepEqual(await listed(stranger.key), [])
  t.is((await app.call('GET', `/v1/unmatched?transfer=${money.transfer}`, { key: stranger.key })).status, 404)
  for (const [action, body] of [
    ['return', {}],
    ['ignore', { reason: 'spam' }],
    ['reopen', {}],
  ] as const)
    t.is((await act(stranger.key, action, { transfer: money.transfer, ...body })).status, 404, action)
})

test('N-103 X-TEN-01 a key of one store sees what was meant for payments of that store alone', async (t) => {
  const { s, money } = await odd()
  await ok(app.call('POST', '/v1/stores', { key: s.key, body: { label: 'Second' } }))
  const keyFor = async (store: number) => {
    const body = { role: 'manager', store_scope: [store] }
    return (await ok(app.call('POST', '/v1/subagents', { key: s.key, body }))).json.api_key as string
  }
  const [first, second] = [await keyFor(1), await keyFor(2)]
  t.like(await listed(first), [{ transfer: money.transfer }])
  t.deepEqual(await listed(second), [])
  t.is((await app.call('GET', `/v1/unmatched?transfer=${money.transfer}`, { key: second })).status, 404)
  t.is((await act(first, 'ignore', { transfer: money.transfer, reason: 'own' })).status, 403)
})

// First and alone: other tests mine blocks, which would confirm it.
deepTest.serial(
  'N-24 J-VER-01 a seller who posts the hash of odd money too early is told to wait for its confirmations',
  async (t) => {
    const s = await shop(app)
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { odd_payments: 'ask' } } }))
    const offer = await offerOf(app, s.key, s.resId)
    const post = async (hash: string, key?: string) =>
      (
        await ok(
          app.call('POST', '/v1/verify', { ...(key && { key }), body: { challengeId: offer.challengeId, hash } }),
        )
      ).json
    const half = await send(app, offer, BigInt(offer.amountAtomic) / 2n)
    t.like(await post(half, s.key), { status: 'pending', required: offer.requiredConfirmations })
    t.like(await post(half), { status: 'underpaid' })
    await app.anvil.mine(offer.requiredConfirmations)
    const { missing } = await post(half, s.key)
    const rest = await send(app, offer, BigInt(offer.amountAtomic) - BigInt(offer.amountAtomic) / 2n)
    t.is((await post(rest, s.key)).status, 'pending', missing)
    await app.anvil.mine(offer.requiredConfirmations)
    t.deepEqual(await post(rest, s.key), { settled: true })
  },
)

const kindAndStatus = (line: { kind: string; status: string; settlement_status?: string }) => [
  line.kind,
  line.status,
  line.settlement_status,
]
