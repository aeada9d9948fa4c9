import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { compare } from '../../domain/reading/reconciliation/compare.ts'
import { bookedTransfersProjection } from '../../projections/money/booked-transfers.ts'
import { booksProjection } from '../../projections/money/books.ts'
import { reconcileQueries } from '../../projections/money/reconcile-queries.ts'
import { settlementsProjection } from '../../projections/selling/settlements.ts'
import { applyAll, emptyReadModels } from './setup.ts'

const WISH = { accountId: 'acc_1', test: false }
const AMOUNT = '100000000'

const transfer = (tx: string, height: number) => ({
  network: 'base',
  tx,
  index: '0',
  asset: 'usdc_base',
  from: '0xpayer',
  to: '0xpayee',
  amount: AMOUNT,
  height,
  blockHash: '0xb',
  minedAt: '2026-03-05T10:00:00.000Z',
})

const sale = {
  accountId: 'acc_1',
  resId: null,
  challengeId: 'ch_1.usdc_base',
  asset: 'usdc_base',
  decimals: 6,
  asked: AMOUNT,
  amount: AMOUNT,
  currency: 'USD',
  usd: AMOUNT,
  test: false,
}

/** A sale by a signature, which two more transactions carried out anew because their blocks had gone. */
const movedTwice = () => {
  const [first, second, third] = [transfer('0x1', 7), transfer('0x2', 8), transfer('0x3', 9)]
  return [
    ['ChallengeSettled', { ...sale, transfer: first }],
    ['SettlementMoved', { ...sale, from: first, transfer: second, times: 1 }],
    ['SettlementMoved', { ...sale, from: second, transfer: third, times: 2 }],
  ].map(([type, data], n) => {
    const position = BigInt(n + 1) * 100n
    const at = `2026-03-05T10:0${n}:00.000Z`
    return { type, data, at, position, order: position, stream: 'challenge-ch_1', id: `e${n}`, v: 1, revision: n }
  }) as unknown as readonly RecordedEvent[]
}

test('N-80 a signature that was carried out anew has its money in the journal under the last transaction', async (t) => {
  const models = [bookedTransfersProjection, booksProjection, settlementsProjection]
  const { sql } = await emptyReadModels(t)
  const events = movedTwice()
  for (const model of models) await applyAll(sql, model, events)
  const queries = reconcileQueries(sql)
  const found = await queries.reconciledTransfers(WISH, '-1', 10)
  t.deepEqual(
    found.map(({ hash, isMoved, journal }) => [hash, isMoved, journal]),
    [
      ['0x1', true, []],
      ['0x2', true, []],
      ['0x3', false, [{ view: 'seller:acc_1', asset: 'usdc_base', amount: AMOUNT }]],
    ],
  )
  const inBooks = found.map((each) => compare(each, { answer: 'not asked' }).differences)
  t.deepEqual(
    inBooks.map((differences) => differences.filter(({ where }) => where === 'journal')),
    [[], [], []],
  )
  t.deepEqual(await queries.reconciledAgain(found.map(({ place }) => place)), found)
})
