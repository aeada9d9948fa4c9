import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  freshAddress,
  logOf,
  payInFull,
  saidOf,
  sell,
  shop,
  USDC,
  verify,
} from '../../support/sale.ts'
import { type offerOf, ok } from '../../support/seller.ts'

let app: TestApp
const HOUR_MS = 3_600_000

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-DOOR-01 J-GEN-05 a machine gets 402 with accepts, paymentRequirements and nothing to cache', async (t) => {
  const s = await twoCoins()
  const { status, headers, json } = await app.call('GET', `/r/${s.resId}`)
  t.is(status, 402)
  t.is(headers.get('cache-control'), 'no-store')
  t.regex(headers.get('content-type') ?? '', /^application\/json/)
  t.true(Array.isArray(json.paymentRequirements))
  t.like(json, { res_id: s.resId, amount: 100, currency: 'USD', test: false, x402Version: 1 })
  t.deepEqual(json.accepts.map(({ asset }: Accept) => asset).sort(), ['eth', 'usdc'])
  t.deepEqual(new Set(json.accepts.map(({ payTo }: Accept) => payTo)), new Set([s.address]))
})

test('J-GEN-07 the door has no version in its path', async (t) => {
  const { resId } = await shop(app)
  t.is((await app.call('GET', `/r/${resId}`)).status, 402)
  const { status, json } = await app.call('GET', `/v1/r/${resId}`)
  t.deepEqual([status, json.error_code], [404, 'svc_not_found'])
})

test('J-CHL-02 N-02 N-10 X-ID-01 one entry for each coin, each with an id of its own that nobody can guess', async (t) => {
  const s = await twoCoins()
  const before = Date.now()
  const { json } = await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } }))
  const accepts = json.accepts as Accept[]
  t.is(accepts.length, 2)
  t.is(new Set(accepts.map(({ challengeId }) => challengeId)).size, 2)
  for (const a of accepts) {
    t.regex(a.challengeId, /^ch_[a-z2-7]{26}\.(eth|usdc)$/)
    t.is(BigInt(a.amountAtomic), atomic(a.amount, a.decimals))
    t.is(a.fiatAmount, '100')
    t.is(a.requiredConfirmations, 6)
    t.regex(a.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const ahead = Date.parse(a.expiresAt) - before
    t.true(ahead >= HOUR_MS && ahead < HOUR_MS + 10_000, `${ahead} ms ahead`)
  }
  t.is(accepts.find(({ asset }) => asset === 'usdc')?.contract, USDC)
  t.false('contract' in (accepts.find(({ asset }) => asset === 'eth') as Accept))
  const again = await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } }))
  const ids = [...accepts, ...(again.json.accepts as Accept[])].map(({ challengeId }) => challengeId)
  t.is(new Set(ids).size, 4)
})

deepTest('Q-22 the same caller who asks again gets the same challenges, and the log does not grow', async (t) => {
  const s = await shop(app)
  const [first] = await doorOf(s.resId)
  const opened = (await saidOf(app, 'ChallengeOpened', s.resId)).length
  for (let n = 0; n < 5; n++) t.is((await doorOf(s.resId))[0]?.challengeId, first?.challengeId)
  t.is((await saidOf(app, 'ChallengeOpened', s.resId)).length, opened)
  const other = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 100 } }))
  t.not((await doorOf(other.json.res_id))[0]?.challengeId, first?.challengeId)
})

deepTest('Q-22 parallel first calls of one caller open one set', async (t) => {
  const s = await shop(app)
  const all = await Promise.all(Array.from({ length: 10 }, () => doorOf(s.resId)))
  t.is(new Set(all.map(([a]) => a?.challengeId)).size, 1)
  t.is((await saidOf(app, 'ChallengeOpened', s.resId)).length, 1)
})

test('J-GEN-05 after the wallet changes the door names the new address, under a fresh challenge', async (t) => {
  const s = await shop(app)
  const [before] = await doorOf(s.resId)
  const address = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'eth', address } }))
  const [after] = await doorOf(s.resId)
  t.deepEqual([before?.payTo, after?.payTo], [s.address, address])
  t.not(after?.challengeId, before?.challengeId)
})

deepTest('J-WAL-05 a paused coin is not offered, and is again once it is resumed', async (t) => {
  const s = await twoCoins()
  const pause = (active: boolean) => ok(app.call('PUT', '/v1/wallets?asset=eth', { key: s.key, body: { active } }))
  await pause(false)
  t.deepEqual(
    (await doorOf(s.resId)).map(({ asset }) => asset),
    ['usdc'],
  )
  await ok(app.call('PUT', '/v1/wallets?asset=usdc', { key: s.key, body: { active: false } }))
  t.is((await app.call('GET', `/r/${s.resId}`)).status, 503, 'no coin is left')
  await pause(true)
  t.deepEqual(
    (await doorOf(s.resId)).map(({ asset }) => asset),
    ['eth'],
  )
})

test('J-DOOR-01 an unknown or disabled resource answers 404 on every door', async (t) => {
  const s = await shop(app)
  const checkout = await checkoutOf(s)
  await ok(app.call('DELETE', `/v1/resources?res_id=${s.resId}`, { key: s.key }))
  const gone = [`/r/${s.resId}`, checkout, `/r/res_${'a'.repeat(26)}`, '/r/x', '/r/%00', '/checkout/x', '/r/..%2f..']
  for (const path of gone) t.true([400, 404].includes((await app.call('GET', path)).status), path)
  t.is((await app.call('GET', `/r/${s.resId}`)).status, 404)
  t.is((await app.call('GET', checkout)).status, 404)
  const minted = await app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } })
  t.is(minted.status, 404)
})

test('X-TEN-01 a challenge is minted by the owner of the resource only', async (t) => {
  const [mine, other] = await Promise.all([shop(app), shop(app)])
  const { status } = await app.call('POST', '/v1/challenge', { key: other.key, body: { res_id: mine.resId } })
  t.is(status, 404)
  t.is((await saidOf(app, 'ChallengeOpened', mine.resId)).length, 0)
})

test('J-DOOR-04 J-RES-09 Q-03 a settled resource answers 200 and is flagged, while its other doors go on selling', async (t) => {
  const s = await shop(app)
  t.false(await settledFlag(s))
  t.is((await app.call('GET', `/r/${s.resId}`)).status, 402)
  await sell(app, s)
  const { status, json } = await app.call('GET', `/r/${s.resId}`)
  t.is(status, 200)
  t.like(json, { res_id: s.resId, settled: true })
  t.true(await settledFlag(s))
  t.is((await app.call('GET', await checkoutOf(s))).status, 402)
  await sell(app, s)
  t.is((await app.call('GET', '/v1/me', { key: s.key })).json.settlements_count, 2)
})

test('J-RES-03 J-DOOR-09 checkout_url with agent=1 answers the 402 of the door', async (t) => {
  const s = await shop(app)
  const { status, headers, json } = await app.call('GET', await checkoutOf(s))
  t.is(status, 402)
  t.is(headers.get('cache-control'), 'no-store')
  t.is(json.accepts[0].payTo, s.address)
  const hash = await payInFull(app, json.accepts[0])
  t.deepEqual((await ok(verify(app, json.accepts[0].challengeId, hash))).json, { settled: true })
})

deepTest(
  'Q-03 I-SET-01 whoever asks again after a sale gets challenges that are still to be paid, not the paid ones',
  async (t) => {
    const s = await shop(app)
    const checkout = await checkoutOf(s)
    const [first] = (await app.call('GET', checkout)).json.accepts
    const hash = await payInFull(app, first)
    await ok(verify(app, first.challengeId, hash))
    const [second] = (await app.call('GET', checkout)).json.accepts
    t.not(second.challengeId, first.challengeId)
    const again = await payInFull(app, second)
    t.deepEqual((await ok(verify(app, second.challengeId, again))).json, { settled: true })
    t.is((await app.call('GET', '/v1/me', { key: s.key })).json.settlements_count, 2)
  },
)

deepTest(
  'Q-03 I-SET-01 a challenge whose payment is on its way is not offered to the next buyer behind the same address',
  async (t) => {
    const s = await shop(app)
    const [first] = await doorOf(s.resId)
    const hash = await app.anvil.client.request({
      method: 'eth_sendTransaction',
      params: [
        {
          from: app.anvil.accounts[3]?.address,
          to: first?.payTo,
          value: `0x${BigInt(first?.amountAtomic ?? 0).toString(16)}`,
        },
      ],
    } as never)
    const seen = await ok(verify(app, first?.challengeId ?? '', String(hash)))
    t.true(seen.json.status === 'pending' || seen.json.settled)
    const checkout = (await app.call('GET', await checkoutOf(s))).json.accepts[0] as Accept
    t.not(checkout.challengeId, first?.challengeId)
  },
)

test('X-NOCUST-01 J-GEN-05 a resource without a coin that can be received offers nothing rather than an address of the service', async (t) => {
  const s = await shop(app)
  await ok(app.call('PUT', '/v1/wallets?asset=eth', { key: s.key, body: { active: false } }))
  const { status, json } = await app.call('GET', `/r/${s.resId}`)
  t.deepEqual([status, json.accepts], [503, undefined])
  t.is(json.message, 'Nothing can be paid here right now: eth is paused by the seller. Ask the seller.')
  const addresses = (await logOf(app))
    .flatMap((e) => (e.type === 'ChallengeOpened' ? e.data.entries : []))
    .map((e) => e.payTo)
  const wallets = (await logOf(app)).flatMap((e) => (e.type === 'WalletAddressSet' ? e.data.addresses : []))
  for (const address of addresses) t.true(wallets.includes(address), `${address} is no seller's`)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

type Accept = Awaited<ReturnType<typeof offerOf>> & {
  asset: string
  decimals: number
  fiatAmount: string
  expiresAt: string
  contract?: string
}

const twoCoins = async () => {
  const s = await shop(app)
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
  const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 100 } }))
  return { ...s, resId: json.res_id as string }
}

const doorOf = async (resId: string): Promise<Accept[]> => (await app.call('GET', `/r/${resId}`)).json.accepts

const resourceOf = async (s: { key: string; resId: string }) =>
  (await ok(app.call('GET', '/v1/resources', { key: s.key }))).json.resources.find(
    ({ res_id }: { res_id: string }) => res_id === s.resId,
  )

const settledFlag = async (s: { key: string; resId: string }): Promise<boolean> => (await resourceOf(s)).settled

const checkoutOf = async (s: { key: string; resId: string }): Promise<string> => {
  const url = new URL((await resourceOf(s)).checkout_url)
  return `${url.pathname}${url.search}&agent=1`
}

const atomic = (decimal: string, decimals: number): bigint => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(`${whole}${fraction.padEnd(decimals, '0')}`)
}
