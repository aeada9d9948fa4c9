import test from 'ava'
import fc from 'fast-check'
import { fold } from '../../domain/kernel/decider.ts'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import type { OpenSet } from '../../domain/selling/challenge-state.ts'
import type { PaidCoin } from '../../domain/selling/transactions/coin-refund.ts'
import { type Transaction, transaction } from '../../domain/selling/transactions/transaction.ts'
import { lookForRefund } from '../../domain/use-cases/selling/refunds/look-for-refund.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { codeOf, flow } from './flow-setup.ts'
import { entry, opened, paidCoin, recordedTransaction, transferData } from './samples.ts'

/** What is recorded and what is sent of a refund in a coin, whatever is said in whatever order. */

const NOW = '2026-03-02T10:00:00.000Z'

type Step = { readonly does: 'records' | 'names' | 'sends'; readonly amount: bigint | undefined; readonly n: number }

const steps = fc.array(
  fc.record<Step>({
    does: fc.constantFrom('records', 'names', 'sends'),
    amount: fc.option(fc.bigInt({ min: 1n, max: 60n }), { nil: undefined }),
    n: fc.nat({ max: 4 }),
  }),
  { maxLength: 12 },
)

const payments = fc.record({
  received: fc.bigInt({ min: 1n, max: 50n }),
  asked: fc.bigInt({ min: 1n, max: 50n }),
  usd: fc.bigInt({ min: 1n, max: 1_000n }),
})

const sold = (): Transaction =>
  fold(transaction, [
    { type: 'TransactionCreated', data: recordedTransaction },
    {
      type: 'TransactionCompleted',
      data: { accountId: 'acc_1', hash: '0x1', payer: 'p', confirmedAt: NOW, test: false },
    },
  ]) as Transaction

const run = (paid: PaidCoin, all: readonly Step[]) => {
  let state = sold()
  const events: { type: string; data: object }[] = []
  for (const { does, amount, n } of all) {
    const transfer = { ...transferData, tx: `0x${n}`, amount: String(amount ?? 1n) }
    const units = amount === undefined ? {} : { amount: String(amount) }
    const { refund, send } = transaction.decide
    try {
      const made =
        does === 'sends'
          ? send(state, { by: 'owner', coin: paid, transfer, hash: transfer.tx }, NOW)
          : refund(state, { by: 'owner', coin: paid, ...units, ...(does === 'names' && { hash: `0x${n}` }) }, NOW)
      state = fold(transaction, made, state) as Transaction
      events.push(...made)
    } catch (error) {
      if (!isRefusal(error, 'state-forbids')) throw error
    }
  }
  return { state, events }
}

const paidOf = ({ received, asked, usd }: { received: bigint; asked: bigint; usd: bigint }): PaidCoin => ({
  ...paidCoin,
  received: String(received),
  asked: String(asked),
  usd: String(usd),
})

const sumOf = (events: readonly { type: string; data: object }[], account: string): bigint =>
  events
    .flatMap(({ type, data }) => postingsOf({ type, data, stream: 'transaction-1' }))
    .filter((posting) => posting.account.endsWith(account))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)

test('N-68 I-SUM-01 never is more sent than recorded, and the books owe buyers exactly the difference', (t) => {
  fc.assert(
    fc.property(payments, steps, (payment, all) => {
      const { state, events } = run(paidOf(payment), all)
      const { recorded = '0', sent = '0' } = state.coinRefund ?? {}
      t.true(BigInt(sent) <= BigInt(recorded))
      t.is(sumOf(events, ':refunds'), BigInt(sent) - BigInt(recorded))
      t.is(sumOf(events, ':wallet'), -BigInt(sent))
      t.is(sumOf(events, 'buyers'), BigInt(recorded))
      if (BigInt(recorded) >= payment.received) t.is(state.refundedAt, NOW)
    }),
  )
})

test('N-68 I-EARN-01 a refund takes off no more than was earned: nothing for a surplus, all of it for the whole', (t) => {
  fc.assert(
    fc.property(payments, steps, (payment, all) => {
      const { state, events } = run(paidOf(payment), all)
      const taken = events.map(({ data }) => BigInt('coin' in data ? (data.coin as { usd: string }).usd : '0'))
      t.true(taken.every((each) => each >= 0n))
      const sum = taken.reduce((a, b) => a + b, 0n)
      const recorded = BigInt(state.coinRefund?.recorded ?? 0)
      t.true(sum <= payment.usd)
      if (recorded >= payment.received) t.is(sum, payment.usd)
      if (recorded <= payment.received - payment.asked) t.is(sum, 0n)
    }),
  )
})

test('J-TXN-06 each command of a refund is quiet when it is repeated', (t) => {
  const paid = paidOf({ received: 40n, asked: 40n, usd: 100n })
  const named: Step = { does: 'names', amount: undefined, n: 1 }
  const sent: Step = { does: 'sends', amount: 40n, n: 1 }
  t.is(run(paid, [named, named]).events.length, run(paid, [named]).events.length)
  t.is(run(paid, [named, sent, sent, named]).events.length, run(paid, [named, sent]).events.length)
})

test('N-68 a refund that a former release recorded without its amount is of all that came', (t) => {
  const before = fold(
    transaction,
    [{ type: 'RefundRecorded', data: { accountId: 'a', refundedAt: NOW, by: 'owner' } }],
    sold(),
  )
  const paid = paidOf({ received: 40n, asked: 40n, usd: 100n })
  const transfer = { ...transferData, amount: '30' }
  const made = transaction.decide.send(before, { by: 'owner', coin: paid, transfer, hash: transfer.tx }, NOW)
  t.deepEqual(
    made.map(({ type }) => type),
    ['PartRefundRecorded', 'RefundSent'],
  )
  t.like(fold(transaction, made, before), { coinRefund: { recorded: '40', sent: '30' }, refundedAt: NOW })
})

test('N-68 one payment is given back by at most 32 transfers', (t) => {
  const paid = paidOf({ received: 40n, asked: 40n, usd: 100n })
  const send = (n: number): Step => ({ does: 'sends', amount: 1n, n })
  const all = run(
    paid,
    Array.from({ length: 33 }, (_, n) => send(n)),
  )
  t.is(all.state.coinRefund?.sent, '32')
  t.is(all.state.coinRefund?.transfers.length, 32)
  t.is(all.events.filter(({ type }) => type === 'RefundSent').length, 32)
})

test('N-68 a simulated payment takes no hash, and a network that is not connected shows none', async (t) => {
  const on = flow(memoryStore(), fixedWorld())
  const named = { accountId: recordedTransaction.accountId, transactionId: '1', hash: transferData.tx }
  const set = { ...fold(challenge, [{ type: 'ChallengeOpened', data: opened }]) } as OpenSet
  const look = (terms: Partial<OpenSet>, chains = on.chains) =>
    codeOf(lookForRefund({ ...on, chains }, { coin: paidCoin, set: { ...set, ...terms }, entry }, named))
  t.is(await look({ test: true }), 'state-forbids')
  t.is(await look({}, new Map()), 'unavailable')
  t.is(await look({}), 'done', 'what the chain does not know yet is pending')
})
