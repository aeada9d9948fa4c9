import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Answer } from '../../../src/demo/client.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  assertReplayEqual,
  inLine,
  me,
  postFor,
  postsFor,
  saidOf,
  shop,
  transactionsOf,
  verify,
} from '../../support/sale.ts'
import { type Offer, offerOf } from '../../support/seller.ts'

/** The watch, the buyer and the seller all at once: whoever comes first, the money is counted once. */

const VERIFIES = 20
/** When the verifies begin: before the payment is sent, before it is deep enough, and after. */
const TIMINGS = [
  'before the transaction',
  'before the block',
  'short of confirmations',
  'with the last block',
  'while the watch reads',
  'spread over all',
] as const
/** Long enough for a delivery or a debit that ought not to be there. */
const QUIET_MS = 1_500

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

for (const timing of TIMINGS)
  test.serial(
    `X-IDEM-04 I-FEE-03 I-SET-01 W-DEL-01 the watch and ${VERIFIES} verifies ${timing} give one settlement, one debit, one delivery`,
    (t) => race(t, timing),
  )

test.serial('X-IDEM-04 I-SET-01 twenty payments verified at once by many are twenty settlements', async (t) => {
  const s = await shop(app, { amount: 10 })
  const offers = await Promise.all(Array.from({ length: 20 }, () => offerOf(app, s.key, s.resId)))
  const hashes: string[] = []
  for (const offer of offers) hashes.push(await inLine(() => app.anvil.send(offer.payTo, BigInt(offer.amountAtomic))))
  await app.anvil.mine(6)
  // Every hash is posted for its own challenge twice, and for another's once.
  const calls = offers.flatMap(({ challengeId }, n) =>
    [n, n, (n + 1) % offers.length].map((of) => verify(app, challengeId, hashes[of] ?? '')),
  )
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  t.true(
    statuses.every((status) => [200, 409].includes(status)),
    statuses.join(' '),
  )
  await quiet()
  const settled = await saidOf(app, 'ChallengeSettled', s.resId)
  t.is(settled.length, 20)
  t.is(new Set(settled.map(({ transfer }) => transfer.tx)).size, 20)
  for (const { challengeId, transfer } of settled) t.is(offers[hashes.indexOf(transfer.tx)]?.challengeId, challengeId)
  t.is((await me(app, s.key)).credit_balance, 5 - 20 * 0.02)
  t.is((await me(app, s.key)).total_earned, 200)
  await eventually('twenty deliveries', async () => postsFor(app, s.resId).length === 20)
})

test.serial('I-SET-01 two transfers to one challenge, verified at once, settle it once', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const one = await sent(offer)
  const two = await sent(offer)
  await app.anvil.mine(6)
  const posted = Array.from({ length: VERIFIES }, (_, n) => verify(app, offer.challengeId, n % 2 ? one : two))
  const answers = await Promise.all(posted)
  for (const { status, json } of answers) t.true(json.settled === true || status === 409, JSON.stringify(json))
  // Of two hashes one has paid it.
  const sold = answers.map(({ json }, n) => (json.settled ? n % 2 : undefined)).filter((each) => each !== undefined)
  t.is(new Set(sold).size, 1)
  await once(t, s, offer)
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

const race = async (t: ExecutionContext, timing: (typeof TIMINGS)[number]) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const burst = (hash: string, spreadMs = 0) =>
    Array.from({ length: VERIFIES }, async (_, n) => {
      await pause((n * spreadMs) / VERIFIES)
      return verify(app, offer.challengeId, hash)
    })
  const calls: Promise<Answer>[] = []
  if (timing === 'before the transaction' || timing === 'before the block') {
    await app.anvil.client.setAutomine(false)
    const hash = await inLine(() => app.anvil.submit({ to: offer.payTo, value: BigInt(offer.amountAtomic) }))
    calls.push(...burst(hash))
    if (timing === 'before the block') await Promise.race(calls)
    await app.anvil.mine(7)
    await app.anvil.client.setAutomine(true)
    calls.push(...burst(hash, 1_500))
  } else {
    const hash = await sent(offer)
    if (timing === 'short of confirmations') calls.push(...burst(hash, 500))
    if (timing === 'spread over all') calls.push(...burst(hash, 2_500))
    await app.anvil.mine(timing === 'short of confirmations' ? 4 : 6)
    if (timing === 'short of confirmations') await app.anvil.mine(1)
    if (timing === 'while the watch reads') await pause(900)
    calls.push(...burst(hash, timing === 'while the watch reads' ? 300 : 0))
  }
  for (const { status, text } of await Promise.all(calls)) t.is(status, 200, text)
  await once(t, s, offer)
}

const sent = (offer: Offer) => inLine(() => app.anvil.send(offer.payTo, BigInt(offer.amountAtomic)))

const once = async (t: ExecutionContext, s: { key: string; resId: string }, offer: Offer) => {
  await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', s.resId)).length > 0)
  await postFor(app, offer.challengeId)
  await quiet()
  t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId)).length, 1)
  t.is((await saidOf(app, 'CreditDebited', offer.challengeId)).length, 1)
  t.is((await saidOf(app, 'TransactionCompleted', await idOf(s))).length, 1)
  t.is((await saidOf(app, 'DeliveryScheduled', await idOf(s))).length, 1)
  t.is(postsFor(app, offer.challengeId).length, 1)
  t.like(await me(app, s.key), { credit_balance: 4.8, settlements_count: 1, total_earned: 100 })
}

const idOf = async ({ key }: { key: string }): Promise<string> => {
  const [only, ...rest] = await transactionsOf(app, key)
  if (!only || rest.length > 0) throw new Error(`expected one transaction, not ${rest.length + 1}`)
  return only.id as string
}

const quiet = () => pause(QUIET_MS)
