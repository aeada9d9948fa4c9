import test from 'ava'
import { toDecimal, toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import type { TestApp } from '../../support/app.ts'
import { me, payInFull, postsFor, type Shop, saidOf, shop, transactionOf, verify } from '../../support/sale.ts'
import { type Offer, offerOf, ok } from '../../support/seller.ts'

/** What becomes of payments that are not the asked amount, and how a seller matches them. */

const MINUTE_MS = 60_000

export type OddScene = () => {
  readonly app: TestApp
  /** An offer of some minutes ago, so that an odd payment may be taken for it. */
  offerBefore(s: Shop): Promise<Offer>
  settlementsOf(s: Shop): Promise<Record<string, unknown>[]>
  asideOf(hash: string, reason: string): Promise<object>
  /** Moves the service's clock. */
  shift(ms: number): void
}

export const oddPayments = (scene: OddScene): void => {
  test.serial(
    'N-24 N-25 N-62 W-NOT-01 half of it and then the rest settle once, with one webhook, one fee and two rows',
    async (t) => {
      const { app, offerBefore, settlementsOf } = scene()
      const s = await shop(app)
      const offer = await offerBefore(s)
      const half = await payInFull(app, offer, BigInt(offer.amountAtomic) / 2n)
      const { json } = await ok(verify(app, offer.challengeId, half))
      t.like(await transactionOf(app, s.key, offer.challengeId, 'X'), { status: 'X', hash: half })
      const rest = await payInFull(app, offer, toUnits(json.missing, 18))
      t.deepEqual((await ok(verify(app, offer.challengeId, rest))).json, { settled: true })
      // Either hash says it now.
      t.deepEqual((await ok(verify(app, offer.challengeId, half))).json, { settled: true })
      t.like(await transactionOf(app, s.key, offer.challengeId, 'C'), { status: 'C', hash: rest })
      const { id } = await transactionOf(app, s.key, offer.challengeId)
      t.deepEqual(
        (await settlementsOf(s)).map(({ status, hash, res_id, transaction_id }) => [
          status,
          hash,
          res_id,
          transaction_id,
        ]),
        [
          ['settled', rest, s.resId, id],
          ['part', half, s.resId, id],
        ],
      )
      t.like(await me(app, s.key), { credit_balance: 4.8, settlements_count: 1, total_earned: 100 })
      t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 1)
      await eventually('one delivery', async () => postsFor(app, s.resId).length === 1)
    },
  )

  test.serial(
    'N-24 N-25 a stranger’s dust changes nothing, and the asked amount settles whatever came before it',
    async (t) => {
      const { app, offerBefore, settlementsOf, asideOf } = scene()
      const s = await shop(app)
      const offer = await offerBefore(s)
      const dust = await payInFull(app, offer, 1n)
      t.like((await ok(verify(app, offer.challengeId, dust))).json, { status: 'underpaid', paid: toDecimal(1n, 18) })
      t.like(await asideOf(dust, 'unmatched'), { challengeId: null, candidates: [offer.challengeId] })
      t.is((await saidOf(app, 'ChallengeUnderpaid', offer.challengeId)).length, 0)
      // A stranger's hundredth is a part, and voids nothing.
      const hundredth = await payInFull(app, offer, BigInt(offer.amountAtomic) / 100n + 1n)
      t.like((await ok(verify(app, offer.challengeId, hundredth))).json, { status: 'underpaid' })
      const paid = await payInFull(app, offer)
      t.deepEqual((await ok(verify(app, offer.challengeId, paid))).json, { settled: true })
      const rows = await settlementsOf(s)
      t.deepEqual(rows.map(({ status }) => status).sort(), ['part', 'settled', 'unmatched'])
    },
  )

  test.serial(
    'N-24 J-AUTH-07 X-TEN-01 a seller matches what nobody was asked for, once, and nobody else can',
    async (t) => {
      const { app, offerBefore, settlementsOf, asideOf } = scene()
      const [s, other] = [await shop(app), await shop(app)]
      const [one, two] = [await offerBefore(s), await offerBefore(s)]
      const hash = await payInFull(app, one, BigInt(one.amountAtomic) - 10n ** 15n)
      await asideOf(hash, 'unmatched')
      const row = (await settlementsOf(s)).find((each) => each.hash === hash)
      t.is(row?.status, 'unmatched')
      t.deepEqual(new Set(row?.candidates as string[]), new Set([one.challengeId, two.challengeId]))
      const match = (key: string, body: object) => app.call('POST', '/v1/settlements?action=match', { key, body })
      const wish = { transfer: row?.transfer, challenge_id: one.challengeId }
      t.like(await match(other.key, wish), { status: 404 })
      t.like(await match(other.key, { ...wish, challenge_id: (await offerBefore(other)).challengeId }), { status: 404 })
      t.like(await match(s.key, { ...wish, transfer: 'eth:0xnone:native' }), { status: 404 })
      t.like(await match(s.key, { transfer: row?.transfer }), { status: 400 })
      t.deepEqual((await ok(match(s.key, wish))).json, {
        transfer: row?.transfer,
        challenge_id: one.challengeId,
        status: 'underpaid',
      })
      t.like((await ok(match(s.key, wish))).json, { status: 'underpaid' })
      t.like(await match(s.key, { ...wish, challenge_id: two.challengeId }), { status: 409 })
      // What was missing of it settles it.
      const { json } = await ok(verify(app, one.challengeId, hash))
      const rest = await payInFull(app, one, toUnits(json.missing, 18))
      t.deepEqual((await ok(verify(app, one.challengeId, rest))).json, { settled: true })
    },
  )

  test.serial('N-24 N-62 a late payment is accepted by its seller, and stands in the books once', async (t) => {
    const { app, settlementsOf, shift } = scene()
    const s = await shop(app)
    shift(-62 * MINUTE_MS)
    const offer = await offerOf(app, s.key, s.resId)
    shift(0)
    const hash = await payInFull(app, offer)
    t.is((await verify(app, offer.challengeId, hash)).status, 410)
    const [row] = await settlementsOf(s)
    t.like(row, { status: 'late', res_id: s.resId, amount: 100, currency: 'USD', challenge_id: offer.challengeId })
    const body = { transfer: row?.transfer, challenge_id: offer.challengeId }
    t.like((await ok(app.call('POST', '/v1/settlements?action=match', { key: s.key, body }))).json, {
      status: 'settled',
    })
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
    t.like(await saidOf(app, 'ChallengeSettled', offer.challengeId), [{ matched: true, inBooks: true }])
    const [settled, ...others] = await settlementsOf(s)
    t.like(settled, { status: 'settled', hash, matched_by_hand: true })
    t.deepEqual(others, [])
  })

  test.serial('N-24 a seller who wants to be asked is asked about each odd payment', async (t) => {
    const { app, offerBefore, asideOf } = scene()
    const s = await shop(app)
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { odd_payments: 'ask' } } }))
    const offer = await offerBefore(s)
    const hash = await payInFull(app, offer, BigInt(offer.amountAtomic) / 2n)
    t.like(await asideOf(hash, 'unmatched'), { candidates: [offer.challengeId] })
    t.is((await saidOf(app, 'ChallengeUnderpaid', offer.challengeId)).length, 0)
  })
}
