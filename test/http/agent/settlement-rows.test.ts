import test from 'ava'
import { toDecimal, toUnits } from '../../../domain/kernel/money.ts'
import { CSV_KEYS } from '../../../projections/selling/transactions/transactions-csv.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  freshAddress,
  payInFull,
  postFor,
  type Shop,
  sell,
  shop,
  transactionOf,
  transactionsOf,
} from '../../support/sale.ts'
import { type Offer, ok } from '../../support/seller.ts'

/** Each row of the settlement log says what it belongs to, and what came. */

let app: TestApp
/** How far the service's clock is ahead of the chain's. */
let shiftMs = 0
const HOUR_MS = 3_600_000

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shiftMs) } })
  await app.anvil.mine(10)
})
test.after.always(() => app?.stop())

/** A payment request, and its offer of ether. */
const asked = async (s: Shop, body: object = {}): Promise<{ id: string; offer: Offer }> => {
  const request = { amount: 100, expiry: '1h', external_reference: freshAddress(), ...body }
  const { json } = await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: request }))
  const offer = (await app.call('GET', `/id/${json.encrypted_id}?agent=1`)).json.accepts[0]
  return { id: json.transaction_id, offer }
}

const verify = (s: Shop, { challengeId }: Offer, hash: string) =>
  app.call('POST', '/v1/verify', { key: s.key, body: { challengeId, hash } })

const rowOf = (s: Shop, hash: string): Promise<Record<string, string>> =>
  eventually('the row', async () => {
    const { json } = await ok(app.call('GET', '/v1/settlements', { key: s.key }))
    return json.settlements.find((row: { hash: string }) => row.hash === hash)
  })

test.serial(
  'J-STL-01 N-24 each payment of a request has its transaction, amount, currency and coin, whatever became of it',
  async (t) => {
    const s = await shop(app)
    const paid = await asked(s)
    const first = await payInFull(app, paid.offer)
    await ok(verify(s, paid.offer, first))
    const again = await payInFull(app, paid.offer)
    await verify(s, paid.offer, again)
    shiftMs = -2 * HOUR_MS
    const missed = await asked(s)
    shiftMs = 0
    const late = await payInFull(app, missed.offer)
    await verify(s, missed.offer, late)
    const low = await asked(s)
    const part = await payInFull(app, low.offer, BigInt(low.offer.amountAtomic) / 2n)
    await verify(s, low.offer, part)
    for (const [status, hash, { id, offer }] of [
      ['settled', first, paid],
      ['doubled', again, paid],
      ['late', late, missed],
      ['underpaid', part, low],
    ] as const)
      t.like(await rowOf(s, hash), {
        status,
        transaction_id: id,
        challenge_id: offer.challengeId,
        amount: 100,
        currency: 'USD',
        asset: 'eth',
        asset_amount_asked: offer.amount,
      })
  },
)

deepTest.serial(
  'J-TXN-01 J-STL-01 W-DEL-02 J-TXN-05 what came is on records, rows, webhook and CSV: more than asked, or in parts',
  async (t) => {
    const s = await shop(app)
    const over = await asked(s)
    const more = BigInt(over.offer.amountAtomic) + 10n ** 15n
    const hash = await payInFull(app, over.offer, more)
    await ok(verify(s, over.offer, hash))
    const inParts = await asked(s)
    const half = BigInt(inParts.offer.amountAtomic) / 2n
    const { json } = await ok(verify(s, inParts.offer, await payInFull(app, inParts.offer, half)))
    const [underpaid] = (await transactionsOf(app, s.key)).filter(({ id }) => id === inParts.id)
    t.is(underpaid?.received_amount, toDecimal(half, 18))
    const rest = toUnits(json.missing, 18)
    const last = await payInFull(app, inParts.offer, rest)
    await ok(verify(s, inParts.offer, last))
    for (const [id, units, newest] of [
      [over.id, more, hash],
      [inParts.id, half + rest, last],
    ] as const) {
      const came = toDecimal(units, 18)
      const record = (await ok(app.call('GET', `/v1/transactions?transaction_id=${id}`, { key: s.key }))).json
        .transaction
      t.like(record, { status: 'C', received_amount: came })
      t.is((await rowOf(s, newest)).received_amount, came)
      t.is(JSON.parse((await postFor(app, id)).body).transaction.received_amount, came)
      const csv = (await app.call('GET', `/v1/transactions?download=1&q=${id}`, { key: s.key })).text.trim().split('\n')
      t.is(csv[1]?.split(',')[CSV_KEYS.indexOf('received_amount')], came)
    }
  },
)

deepTest.serial(
  'M-REC-01 the journal names the transaction of each sale, whatever it was of, and its worth and rate',
  async (t) => {
    const s = await shop(app)
    const { offer } = await sell(app, s)
    const { id: resourceSale } = await transactionOf(app, s.key, offer.challengeId, 'C')
    const request = await asked(s)
    const hash = await payInFull(app, request.offer)
    await ok(verify(s, request.offer, hash))
    await eventually('the entries', async () => {
      const { text } = await ok(app.call('GET', '/v1/audit/export?format=jsonl', { key: s.key }))
      const entries = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const settled = entries.filter(({ type }) => type === 'ChallengeSettled')
      const fees = entries.filter(({ type }) => type === 'CreditDebited')
      const isTold = [...settled, ...fees].every(({ transaction_id }) => transaction_id)
      if (settled.length !== 2 || fees.length !== 2 || !isTold) return false
      for (const list of [settled, fees])
        t.deepEqual(
          list.map(({ transaction_id }) => transaction_id),
          [resourceSale, request.id],
        )
      for (const entry of settled) t.like(entry, { fiat_amount: '100', fiat_currency: 'USD' })
      t.regex(settled[0].rate, /^2499\.99|^2500/)
      return true
    })
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
