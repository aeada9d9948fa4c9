import test from 'ava'
import { transferId } from '../../../domain/selling/challenge-terms.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { type GaslessChain, startGaslessChain } from '../../support/gasless.ts'
import { startLyingNode } from '../../support/lying-node.ts'
import { assertReplayEqual, inLine, payInFull, type Shop, saidOf, send, shop, verify } from '../../support/sale.ts'
import { type Offer, offerOf, ok } from '../../support/seller.ts'
import { payWith, signedShop, signFor } from '../../support/signed-sale.ts'

/** A chain of two providers, of which one lies or is away; what large payments, and small ones, make of it. */

const WAIT_MS = 60_000
/** US dollars: what needs a second voice, and what does not. */
const [LARGE, SMALL] = [500, 10]

type LyingNode = Awaited<ReturnType<typeof startLyingNode>>

let app: TestApp
let gasless: GaslessChain
let first: LyingNode
let second: LyingNode
let large: Shop
let small: Shop
test.before(async () => {
  const chain = { url: '' }
  ;[gasless, first, second] = await Promise.all([
    startGaslessChain(),
    startLyingNode(() => chain.url),
    startLyingNode(() => chain.url),
  ])
  app = await startApp({
    onAnvil: (url) => (chain.url = url),
    env: gasless.env,
  })
  ;[large, small] = await Promise.all([shop(app, { amount: LARGE }), shop(app, { amount: SMALL })])
})
test.after.always(async () => {
  await app?.stop()
  await gasless?.stop()
  first?.close()
  second?.close()
})

test.serial('N-24 where one provider is configured it decides alone, and that is said', async (t) => {
  t.like(await eth(), { voices: 1, payments_disputed: 0 })
  const offer = await offerOf(app, large.key, large.resId)
  const hash = await payInFull(app, offer)
  await settled(offer, hash)
  t.is((await settledRow(large, hash)).voices, 1)
  const { CHAIN_BASE_RPC: base = '' } = gasless.env as Record<string, string>
  await app.restart(async () => {
    Object.assign(app.env, {
      CHAIN_ETH_RPC: `${first.url},${second.url}`,
      CHAIN_BASE_RPC: `${base},${base.replace('127.0.0.1', 'localhost')}`,
      SECOND_VOICE_ABOVE_USD: '100',
    })
  })
})

test.serial('N-24 a large payment waits while the second provider is away, and settles when it is back', async (t) => {
  const offer = await offerOf(app, large.key, large.resId)
  second.away(true)
  t.teardown(() => second.away(false))
  const hash = await payInFull(app, offer)
  await seen(hash)
  const { json } = await ok(verify(app, offer.challengeId, hash))
  t.is(json.status, 'pending')
  t.true(json.confirmations >= json.required)
  await eventually('its wait', async () => (await eth()).payments_unconfirmed > 0)
  t.false((await eth()).disputed.includes(`eth:${hash}:native`), 'who is away contradicts nobody')
  second.away(false)
  await settled(offer, hash)
  t.is((await settledRow(large, hash)).voices, 2)
})

test.serial('every read model equals its replay', (t) => assertReplayEqual(t, app))

test('N-24 what the first of two providers invents above the sum is never booked, is told, and holds up nobody', async (t) => {
  const offer = await offerOf(app, large.key, large.resId)
  const hash = await invented(first, offer, BigInt(offer.amountAtomic))
  await seen(hash)
  for (let looks = 0; looks < 3; looks++)
    t.like((await ok(verify(app, offer.challengeId, hash))).json, { status: 'pending' })
  await disputed(hash)
  const honest = await offerOf(app, large.key, large.resId)
  const paid = await payInFull(app, honest)
  await settled(honest, paid)
  const cheap = await offerOf(app, small.key, small.resId)
  await settled(cheap, await payInFull(app, cheap))
  t.is((await settledRow(large, paid)).voices, 2)
  t.is(await rowOf(large, hash), undefined)
  for (const type of ['ChallengeSettled', 'ChallengeUnderpaid', 'TransferClaimed'] as const)
    t.deepEqual(await saidOf(app, type, hash), [])
  t.regex(await metrics(), /daybook_chain_payments_disputed\{network="eth"\} [1-9]/)
  t.regex(await metrics(), /daybook_chain_voices\{network="eth"\} 2/)
})

test('N-24 a large payment that the first provider tells of with another amount is not booked', async (t) => {
  const offer = await offerOf(app, large.key, large.resId)
  const hash = await inLine(() => app.anvil.send(offer.payTo, 1n))
  const { blockNumber } = await app.anvil.client.getTransactionReceipt({ hash: hash as `0x${string}` })
  first.pretend(hash, { to: offer.payTo, value: BigInt(offer.amountAtomic), height: Number(blockNumber) })
  await app.anvil.mine(offer.requiredConfirmations)
  t.like((await ok(verify(app, offer.challengeId, hash))).json, { status: 'pending' })
  await disputed(hash)
  t.deepEqual(await saidOf(app, 'ChallengeSettled', hash), [])
})

test('N-24 a large payment that one provider denies waits, and settles once both have it', async (t) => {
  const offer = await offerOf(app, large.key, large.resId)
  const hash = await send(app, offer)
  second.hide(hash)
  await app.anvil.mine(offer.requiredConfirmations)
  await seen(hash)
  await disputed(hash)
  t.deepEqual(await saidOf(app, 'ChallengeSettled', hash), [])
  second.show(hash)
  await settled(offer, hash)
  t.is((await settledRow(large, hash)).voices, 2)
  await eventually('the end of the dispute', async () => !(await eth()).disputed.includes(`eth:${hash}:native`))
})

test('N-24 a large payment whose hash is posted settles at once by two voices', async (t) => {
  const offer = await offerOf(app, large.key, large.resId)
  const hash = await payInFull(app, offer)
  await eventually('it', async () => (await ok(verify(app, offer.challengeId, hash))).json.settled === true, WAIT_MS)
  t.is((await settledRow(large, hash)).voices, 2)
})

test('N-24 below the sum one voice is enough, but for a sample', async (t) => {
  for (let n = 0; n < 2; n++) {
    const offer = await offerOf(app, small.key, small.resId)
    const hash = await payInFull(app, offer)
    await settled(offer, hash)
    t.is((await settledRow(small, hash)).voices, second.wasAskedFor(hash) ? 2 : 1)
  }
})

test('N-24 Q-55 the seller cannot match a large payment that one provider alone tells of', async (t) => {
  const offer = await offerOf(app, large.key, large.resId)
  const odd = (BigInt(offer.amountAtomic) * 3n) / 2n
  const lie = await invented(first, offer, odd)
  const truth = await inLine(() => app.anvil.send(offer.payTo, odd))
  await app.anvil.mine(offer.requiredConfirmations)
  const match = async (hash: string) => {
    await eventually(`the row of ${hash}`, async () => (await rowOf(large, hash))?.status === 'unmatched', WAIT_MS)
    const body = { transfer: `eth:${hash}:native`, challenge_id: offer.challengeId }
    return app.call('POST', '/v1/settlements?action=match', { key: large.key, body })
  }
  t.like(await match(lie), { status: 503, json: { error_code: 'svc_unavailable' } })
  t.is((await rowOf(large, lie))?.status, 'unmatched')
  t.like((await ok(match(truth))).json, { status: 'settled' })
  t.is((await settledRow(large, truth)).voices, 2)
})

test('N-24 N-42 a large signed payment settles by two voices', async (t) => {
  const { key, path } = await signedShop(app, { amount: LARGE })
  const signed = await signFor(app, await gasless.payer(1_000_000_000n), path)
  await eventually('the sale', async () => (await payWith(app, path, signed)).status === 200, WAIT_MS)
  const [row] = await rows(key)
  t.like(row, { status: 'settled', voices: 2 })
})

/** Tells of a payment that nobody made, as deep as the offer wants it. */
const invented = (node: LyingNode, { payTo, requiredConfirmations }: Offer, value: bigint): Promise<string> =>
  inLine(async () => {
    const hash = await node.invent(payTo, value)
    await app.anvil.mine(requiredConfirmations + 1)
    return hash
  })

/** The watch has found it, and it waits. */
const seen = (hash: string) =>
  eventually(
    `the watch sees ${hash}`,
    async () =>
      (await saidOf(app, 'PaymentDetected', hash)).some(({ transfer }) => transferId(transfer).includes(hash)),
    WAIT_MS,
  )

const settled = ({ challengeId }: Offer, hash: string) =>
  eventually(
    `${challengeId} is settled by the watch`,
    async () => (await saidOf(app, 'ChallengeSettled', challengeId)).some(({ transfer }) => transfer.tx === hash),
    WAIT_MS,
  )

/** `/readyz` says that providers contradict each other about it. */
const disputed = (hash: string) =>
  eventually(
    `a dispute over ${hash}`,
    async () => {
      const { disputed, status } = await eth()
      return status === 'disagree' && disputed.includes(`eth:${hash}:native`)
    },
    WAIT_MS,
  )

const eth = async () => (await app.call('GET', '/readyz')).json.checks.chains.eth

const metrics = async () => (await fetch(app.served().metricsUrl)).text()

type Row = { readonly hash: string; readonly status: string; readonly voices?: number }

const rows = async (key: string): Promise<readonly Row[]> =>
  (await ok(app.call('GET', '/v1/settlements?limit=100', { key }))).json.settlements

const settledRow = (of: Shop, hash: string): Promise<Row> =>
  eventually(`the row of ${hash}`, async () => {
    const row = await rowOf(of, hash)
    return row?.status === 'settled' && row
  })

const rowOf = async ({ key }: Shop, hash: string): Promise<Row | undefined> =>
  (await rows(key)).find((row) => row.hash === hash)
