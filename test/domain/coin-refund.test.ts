import test from 'ava'
import fc from 'fast-check'
import { fold } from '../../domain/kernel/decider.ts'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import type { OpenSet } from '../../domain/selling/challenge-state.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { type PaidCoin, soughtIn, timesLost } from '../../domain/selling/transactions/coin-refund.ts'
import { type Transaction, transaction } from '../../domain/selling/transactions/transaction.ts'
import { refundStatusOf } from '../../domain/selling/transactions/transaction-record.ts'
import { lookForRefund } from '../../domain/use-cases/selling/refunds/look-for-refund.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { codeOf, flow } from './flow-setup.ts'
import { entry, opened, paidCoin, recordedTransaction, transferData } from './samples.ts'

/** What is recorded and what is sent of a refund in a coin, whatever is said in whatever order. */

const NOW = '2026-03-02T10:00:00.000Z'

const DOES = ['records', 'names', 'sends', 'loses', 'reverses', 'settles'] as const
type Step = { readonly does: (typeof DOES)[number]; readonly amount: bigint | undefined; readonly n: number }

const steps = fc.array(
  fc.record<Step>({
    does: fc.constantFrom(...DOES),
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

/** The transfer `n` gives back the same amount whenever it is seen. */
const transferOf = ({ n }: Step) => ({ ...transferData, tx: `0x${n}`, amount: String(n * 9 + 3) })

/** What the chain does: a refund is there or not, and so is the payment; undefined where the seller says something. */
const byChain = (state: Transaction, paid: PaidCoin, step: Step, order: number) => {
  const { send, unsend, reverse, complete } = transaction.decide
  const transfer = transferOf(step)
  const { tx: hash } = transfer
  const times = timesLost(state.coinRefund, transferId(transfer))
  const place = { position: String(order) }
  if (step.does === 'sends') return send(state, { by: 'owner', coin: paid, transfer, hash, again: times }, NOW)
  if (step.does === 'loses')
    return unsend(state, { coin: paid, transfer, hash, times: times + 1, reason: 'reorganised' }, NOW)
  if (step.does === 'reverses')
    return reverse(state, { coin: paid, reason: 'reorganised', reversedAt: NOW, ...place }, NOW)
  if (step.does === 'settles') return complete(state, { hash: '0x1', payer: 'p', confirmedAt: NOW, ...place }, NOW)
  return undefined
}

const bySeller = (state: Transaction, paid: PaidCoin, { does, amount, n }: Step) => {
  const units = amount === undefined ? {} : { amount: String(amount) }
  const command = { by: 'owner', coin: paid, ...units, ...(does === 'names' && { hash: `0x${n}` }) }
  return transaction.decide.refund(state, command, NOW)
}

const run = (paid: PaidCoin, all: readonly Step[]) => {
  let state = sold()
  const events: { type: string; data: object }[] = []
  for (const [order, step] of all.entries())
    try {
      const made = byChain(state, paid, step, order) ?? bySeller(state, paid, step)
      state = fold(transaction, made, state) as Transaction
      events.push(...made)
    } catch (error) {
      if (!isRefusal(error, 'state-forbids')) throw error
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
      if (BigInt(recorded) >= payment.received && state.status === 'C' && !lostOnce(events)) t.is(state.refundedAt, NOW)
    }),
  )
})

test('N-24 N-68 of a payment that its chain has lost nothing is owed that was not sent, and what was sent stays', (t) => {
  fc.assert(
    fc.property(payments, steps, (payment, all) => {
      const paid = paidOf(payment)
      const before = run(paid, all)
      const gone = run(paid, [...all, { does: 'reverses', amount: undefined, n: 0 }])
      if (before.state.status !== 'C') return
      t.is(gone.state.status, 'P')
      t.is(gone.state.coinRefund?.recorded ?? '0', before.state.coinRefund?.sent ?? '0')
      t.is(gone.state.coinRefund?.sent ?? '0', before.state.coinRefund?.sent ?? '0')
      t.is(sumOf(gone.events, ':refunds'), 0n)
      t.is(sumOf(gone.events, ':wallet'), sumOf(before.events, ':wallet'))
      if (BigInt(gone.state.coinRefund?.recorded ?? 0) === 0n)
        t.is(gone.state.refundedPart, undefined, 'the record tells of no refund')
    }),
  )
})

test('N-68 a refund that its chain has lost is recorded and not sent, and naming its hash again records no more', (t) => {
  const paid = paidOf({ received: 40n, asked: 40n, usd: 100n })
  const step = (does: Step['does']): Step => ({ does, amount: undefined, n: 1 })
  const { state, events } = run(paid, [step('sends'), step('loses'), step('names')])
  t.deepEqual(
    events.map(({ type }) => type),
    ['PartRefundRecorded', 'RefundSent', 'RefundUnsent'],
  )
  t.like(state.coinRefund, { recorded: '12', sent: '0', transfers: [], hash: undefined })
  t.is(refundStatusOf(state), 'pending')
  t.is(soughtIn(state.coinRefund), '0x1')
  const again = run(paid, [step('sends'), step('loses'), step('sends')])
  t.like(again.state.coinRefund, { recorded: '12', sent: '12', hash: '0x1' })
  t.is(refundStatusOf(again.state), 'sent')
  // Whoever was told of the first finding only now changes nothing.
  const late = { by: 'owner', coin: paid, transfer: transferOf(step('sends')), hash: '0x1' }
  t.deepEqual(transaction.decide.send(state, late, NOW), [])
})

const lostOnce = (events: readonly { type: string }[]) => events.some(({ type }) => type === 'RefundVoided')

test('N-68 I-EARN-01 a refund takes off no more than was earned: nothing for a surplus, all of it for the whole', (t) => {
  fc.assert(
    fc.property(payments, steps, (payment, all) => {
      const { state, events } = run(paidOf(payment), all)
      const usdOf = (data: object) => BigInt('coin' in data ? (data.coin as { usd: string }).usd : '0')
      t.true(events.every(({ data }) => usdOf(data) >= 0n))
      const sum = events.reduce((all, { type, data }) => all + usdOf(data) * (type === 'RefundVoided' ? -1n : 1n), 0n)
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
  const first = Array.from({ length: 32 }, (_, n) => BigInt(transferOf(send(n)).amount))
  t.is(all.state.coinRefund?.sent, String(first.reduce((sum, amount) => sum + amount, 0n)))
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
