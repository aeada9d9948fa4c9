import test from 'ava'
import { userBalance } from '../../domain/balance/user-balance.ts'
import type { AuthorizationFault } from '../../domain/gasless/relayer.ts'
import { fold } from '../../domain/kernel/decider.ts'
import type { Chain } from '../../domain/kernel/ports.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import { type ChallengeEntry, type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import { paymentRequest } from '../../domain/selling/payment-request.ts'
import { transaction } from '../../domain/selling/transactions/transaction.ts'
import { transfer } from '../../domain/selling/transfers/transfer.ts'
import { mayBeCarriedOut } from '../../domain/use-cases/gasless/may-be-carried-out.ts'
import { type RecheckContext, recheckBooked } from '../../domain/use-cases/selling/settling/recheck-booked.ts'
import { reversePayment } from '../../domain/use-cases/selling/settling/reverse-payment.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { OTHER_CHALLENGE_ID, toppingUp } from '../schedules/given.ts'
import { FIRST, paidInParts, SECOND } from '../schedules/given-parts.ts'
import { given, NOW } from '../support/given.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { received } from './balance/samples.ts'
import {
  ACCOUNT,
  AUTHORIZATION_ID,
  accepted,
  CHALLENGE_ID,
  entry,
  opened,
  RES_ID,
  recordedTransaction,
  requestOpened,
  SET_ID,
  signed,
  transferData,
} from './samples.ts'

/** What becomes of a booked payment that its network has lost. */

const REASON = 'reorganised'
const elsewhere = (of: TransferData): TransferData => ({ ...of, height: of.height + 3, blockHash: '0xelsewhere' })

test('N-24 N-25 without one of its parts a price is not paid, the others stay parts, and the same part pays it again', async (t) => {
  const store = memoryStore(await paidInParts([FIRST, SECOND]))
  const world = fixedWorld('parts')
  const ledger = ledgerOn(store, world)
  await runPolicies(store, ledger, world)
  const set = async () => ({ settled: {}, parts: {}, ...(await ledger.challenge.read(SET_ID)) })
  t.deepEqual((await set()).settled, { eth: transferId(SECOND) })
  const fee = (await ledger.creditAccount.read(ACCOUNT)).owed

  await reversePayment(ledger, await ledger.transfer.read(transferId(FIRST)))
  await runPolicies(store, ledger, world)
  t.deepEqual((await set()).settled, {})
  t.deepEqual((await set()).parts, { eth: [{ id: transferId(SECOND), amount: SECOND.amount }] })
  t.is((await ledger.creditAccount.read(ACCOUNT)).owed, 0n)
  await t.throwsAsync(settlePayment(ledger, CHALLENGE_ID, FIRST), { message: /not in the chain any more/ })

  t.is(await settlePayment(ledger, CHALLENGE_ID, elsewhere(FIRST)), 'settled')
  await runPolicies(store, ledger, world)
  t.is((await ledger.creditAccount.read(ACCOUNT)).owed, fee)
  const came = store
    .events()
    .flatMap((event) => postingsOf(event))
    .filter(({ account }) => account === `seller:${ACCOUNT}:wallet`)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  t.is(came, BigInt(FIRST.amount) + BigInt(SECOND.amount))
  t.is(store.events().filter(({ type }) => type === 'DeliveryScheduled' || type === 'DeliverySkipped').length, 1)
})

test('N-24 I-CRD-02 credit that was bought with a lost payment is taken back, what is spent of it is owed, and another payment buys it', async (t) => {
  const store = memoryStore(await toppingUp())
  const world = fixedWorld('top-up')
  const ledger = ledgerOn(store, world)
  const before = (await ledger.creditAccount.read(ACCOUNT)).balance
  await settlePayment(ledger, CHALLENGE_ID, transferData)
  await runPolicies(store, ledger, world)
  const worth = (await ledger.creditAccount.read(ACCOUNT)).balance - before
  t.true(worth > 0n)
  const spent = before + 5_000_000n
  const bill = { amount: String(spent), reason: 'platform-fee', ref: 'spent', source: 'test', position: '1' } as const
  await ledger.creditAccount.charge(ACCOUNT, bill)
  await reversePayment(ledger, await ledger.transfer.read(transferId(transferData)))
  await runPolicies(store, ledger, world)
  t.like(await ledger.creditAccount.read(ACCOUNT), { balance: 0n, owed: 5_000_000n })
  t.like(await ledger.paymentRequest.read('pr_1'), { status: 'open', paidBy: undefined })
  const other = { ...transferData, tx: `0x${'99'.repeat(32)}` }
  t.is(await settlePayment(ledger, OTHER_CHALLENGE_ID, other), 'settled')
  await runPolicies(store, ledger, world)
  t.like(await ledger.creditAccount.read(ACCOUNT), { balance: before + worth - spent, owed: 0n })
})

test('N-24 a transfer that was taken back is claimed anew from another block alone, or once its own is there again', (t) => {
  const payment = { accountId: ACCOUNT, challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
  const claimed = { type: 'TransferClaimed', data: payment } as const
  const lost = { accountId: ACCOUNT, challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData, times: 1 }
  const gone = { type: 'TransferReversed', data: { ...lost, reason: REASON } } as const
  const once = { reason: REASON, times: 0 } as const
  given(t, transfer, claimed).when('reverse', once).yields(gone)
  given(t, transfer, claimed, gone).when('reverse', once).yieldsNothing()
  given(t, transfer).when('reverse', once).yieldsNothing()
  given(t, transfer, claimed, gone).when('claim', payment).isRefused('transfer-taken')
  const moved = { ...payment, transfer: elsewhere(transferData) }
  const again = { type: 'TransferClaimed', data: { ...moved, again: 1 } } as const
  given(t, transfer, claimed, gone).when('claim', moved).yields(again)
  // Who looked before it came again is behind.
  given(t, transfer, claimed, gone, again).when('reverse', once).yieldsNothing()
  const { blockHash } = transferData
  const back = { type: 'TransferRestored', data: { accountId: ACCOUNT, transfer: transferData, times: 1 } } as const
  given(t, transfer, claimed, gone).when('restore', { blockHash }).yields(back)
  given(t, transfer, claimed, gone).when('restore', { blockHash: '0xother' }).yieldsNothing()
  given(t, transfer, claimed, gone, back)
    .when('claim', payment)
    .yields({ type: 'TransferClaimed', data: { ...payment, again: 1 } })
})

test('N-24 what was claimed before a payment was taken back settles nothing, and what was in time is not late', (t) => {
  const pay = { challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
  const history = [{ type: 'ChallengeOpened', data: opened } as const, ...settled(pay)]
  const reverse = { ...pay, times: 1, reason: REASON } as const
  const [reversed, ...more] = challenge.decide.reverse(fold(challenge, history), reverse, NOW)
  t.like(reversed?.data, { unsettled: { transferId: transferId(transferData), round: 0 } })
  t.is(more.length, 0)
  const after = fold(challenge, [...history, ...(reversed ? [reversed] : [])])
  t.deepEqual(challenge.decide.reverse(after, reverse, NOW), [])
  t.deepEqual(challenge.decide.settle(after, pay, NOW), [])
  const late = { ...elsewhere(transferData), minedAt: '2026-03-02T11:30:00.000Z' }
  t.is(challenge.decide.settle(after, { ...pay, transfer: late, again: 1 }, NOW).length, 1)
  const other = { ...late, tx: `0x${'99'.repeat(32)}` }
  t.throws(() => challenge.decide.settle(after, { ...pay, transfer: other }, NOW), { message: /expired/ })
})

test('N-42 one signature that is carried out in another transaction keeps its sale, and the old one is behind', (t) => {
  const asset = 'usdc_base'
  const dollar: ChallengeEntry = { ...entry, asset, network: 'base', amount: signed.value, match: 'authorization' }
  const place = { accountId: ACCOUNT, resId: RES_ID, challengeId: `${SET_ID}.${asset}`, asset }
  const first: TransferData = {
    ...transferData,
    network: 'base',
    asset,
    from: signed.from,
    index: '1',
    amount: signed.value,
    authorization: signed.nonce,
  }
  const second = { ...elsewhere(first), tx: `0x${'77'.repeat(32)}` }
  const pay = (of: TransferData) => ({ challengeId: place.challengeId, asset, transfer: of })
  const history = [
    { type: 'ChallengeOpened', data: { ...opened, entries: [dollar] } },
    { type: 'ChallengeReserved', data: { ...place, authorizationId: AUTHORIZATION_ID } },
  ] as const
  const paid = fold(challenge, [...history, ...challenge.decide.settle(fold(challenge, history), pay(first), NOW)])
  const [moved] = challenge.decide.settle(paid, pay(second), NOW)
  t.is(moved?.type, 'SettlementMoved')
  const after = fold(challenge, moved ? [moved] : [], paid)
  t.like(after, { settled: { [asset]: transferId(second) } })
  t.deepEqual(challenge.decide.settle(after, pay(first), NOW), [])
  t.deepEqual(challenge.decide.settle(after, pay(second), NOW), [])
})

test('N-24 N-42 a signed payment whose block is gone is not while it may be mined, and is once cancelled or expired', async (t) => {
  const store = memoryStore()
  const ledger = ledgerOn(store, fixedWorld('signed'))
  await ledger.authorization.accept(AUTHORIZATION_ID, accepted)
  const ends = Number(accepted.authorization.validBefore)
  const checked = (fault?: AuthorizationFault) => {
    const check = async () => (fault ? { fault } : { byContract: false, balance: 0n })
    return { ledger, relayers: new Map([['base', { check }]]) }
  }
  const at = (seconds: number) => ({ height: 200, hash: '0x', minedAt: new Date(seconds * 1_000).toISOString() })
  t.true(await mayBeCarriedOut(checked(), AUTHORIZATION_ID, at(ends - 60)))
  t.true(await mayBeCarriedOut(checked('funds'), AUTHORIZATION_ID, at(ends - 60)))
  t.true(await mayBeCarriedOut(checked(), AUTHORIZATION_ID, at(ends)))
  t.false(await mayBeCarriedOut(checked(), AUTHORIZATION_ID, at(ends + 60)))
  t.false(await mayBeCarriedOut(checked('nonce-used'), AUTHORIZATION_ID, at(ends - 60)))
  t.false(await mayBeCarriedOut(checked(), 'base:usdc_base:0xstranger:0x1', at(ends - 60)))

  const { challengeId, accountId } = accepted
  const paid: TransferData = { ...transferData, network: 'base', asset: 'usdc_base', from: signed.from }
  const lost = { ...paid, authorization: signed.nonce }
  await ledger.transfer.claim(transferId(lost), { accountId, challengeId, asset: 'usdc_base', transfer: lost })
  const chain = { hashAt: async () => '0xother', transfersOf: async () => undefined } as unknown as Chain
  const looking = { ledger, chain, network: { confirmations: 6 }, head: at(ends), hear: () => 1 }
  const { tx, height, blockHash } = lost
  const place = { transferId: transferId(lost), tx, height, blockHash, gone: false }
  const look = (more: Partial<RecheckContext>) =>
    recheckBooked({ ...looking, mayCome: async () => true, ...more }, place)
  t.deepEqual(await look({}), { undecided: true })
  // Too few blocks, or a node that lags behind, say nothing.
  const early = { ...at(ends), height: height + 5 }
  t.deepEqual(await look({ head: early, mayCome: async () => false }), { undecided: true })
  // One provider that hides it, where another one has it, takes nothing back.
  const hidden = { ...chain, voicesOf: async () => ({ same: [2], against: [1] }) }
  t.deepEqual(await look({ chain: hidden, mayCome: async () => false }), { undecided: true })
  t.false(store.events().some(({ type }) => type === 'TransferReversed'))
  const gone = { ...chain, voicesOf: async () => ({ same: [], against: [1, 2] }) }
  // Its challenge was never opened here.
  await t.throwsAsync(look({ chain: gone, mayCome: async () => false }), { message: 'challenge-not-found' })
})

test('N-24 J-PRQ-03 a request is open again for the settlement that was taken back, and for no later one', (t) => {
  const { accountId, transactionId } = requestOpened
  const whose = { accountId, transactionId, challengeId: CHALLENGE_ID }
  const open = { type: 'PaymentRequestOpened', data: requestOpened } as const
  const paid = { type: 'PaymentRequestPaid', data: whose } as const
  const reopened = { type: 'PaymentRequestReopened', data: { ...whose, round: 0 } } as const
  const again = { type: 'PaymentRequestPaid', data: { ...whose, round: 1 } } as const
  const first = { challengeId: CHALLENGE_ID, round: 0 }
  given(t, paymentRequest, open, paid).when('reopen', first).yields(reopened)
  given(t, paymentRequest, open, paid)
    .when('reopen', { ...first, challengeId: 'ch_other.eth' })
    .yieldsNothing()
  given(t, paymentRequest, open, paid, reopened).when('pay', first).yieldsNothing()
  given(t, paymentRequest, open, paid, reopened)
    .when('pay', { ...first, round: 1 })
    .yields(again)
  given(t, paymentRequest, open, paid)
    .when('pay', { ...first, round: 1 })
    .yields(again)
  given(t, paymentRequest, open, paid, again).when('reopen', first).yieldsNothing()
})

test('N-62 a transaction goes back to P, whoever tells of the old settlement again, and completes with a later one', (t) => {
  const { hash, payer } = recordedTransaction
  const paid = { hash, payer, confirmedAt: NOW }
  const complete = { type: 'TransactionCompleted', data: { accountId: ACCOUNT, test: false, ...paid } } as const
  const made = [{ type: 'TransactionCreated', data: recordedTransaction } as const, complete]
  const reverse = { reason: REASON, reversedAt: NOW, position: '20' } as const
  const reversed = { type: 'TransactionReversed', data: { accountId: ACCOUNT, hash, ...reverse, test: false } } as const
  given(t, transaction, ...made)
    .when('reverse', reverse)
    .yields(reversed)
  given(t, transaction, ...made, reversed)
    .when('reverse', reverse)
    .yieldsNothing()
  given(t, transaction, ...made, reversed)
    .when('complete', { ...paid, position: '10' })
    .yieldsNothing()
  given(t, transaction, ...made, reversed)
    .when('complete', { ...paid, position: '30' })
    .yields(complete)
  given(t, transaction, ...made, reversed, complete)
    .when('reverse', reverse)
    .yieldsNothing()
  t.like(fold(transaction, [...made, reversed]), { status: 'P', reversed: { reason: REASON, at: NOW } })
  t.like(fold(transaction, [...made, reversed, complete]), { status: 'C', reversed: undefined })
})

test('N-24 I-BAL-05 what a lost top-up had brought leaves the balance, which is never below zero: the rest is owed', (t) => {
  const came = { type: 'BalanceReceived', data: { ...received('10', '1'), balance: '10' } } as const
  const back = (amount: string) => received(amount, '2', 'take-back-top-ups')
  const taken = { type: 'BalanceTakenBack', data: { ...back('10'), owed: '4', balance: '0' } } as const
  given(t, userBalance, came).when('takeBack', back('14')).yields(taken)
  given(t, userBalance, came, taken).when('takeBack', back('14')).yieldsNothing()
  const { from: _f, source: _s, position: _p, ...kept } = received('4', '3')
  given(t, userBalance, came, taken)
    .when('receive', received('5', '3'))
    .yields(
      { type: 'BalanceReceived', data: { ...received('5', '3'), balance: '5' } },
      { type: 'OwedBalanceCollected', data: { ...kept, balance: '1' } },
    )
})

const settled = (pay: { challengeId: string; asset: string; transfer: TransferData }) =>
  challenge.decide.settle(fold(challenge, [{ type: 'ChallengeOpened', data: opened }]), pay, NOW)
