import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { judge } from '../../domain/selling/judge.ts'
import { paymentRequest } from '../../domain/selling/payment-request.ts'
import { transaction } from '../../domain/selling/transactions/transaction.ts'
import { transfer } from '../../domain/selling/transfers/transfer.ts'
import { given, NOW } from '../support/given.ts'
import {
  ACCOUNT,
  CHALLENGE_ID,
  EXPIRES,
  entry,
  opened,
  RES_ID,
  recordedTransaction,
  requestOpened,
  transferData,
} from './samples.ts'

/** What becomes of a payment that is not simply the right one (N-24, N-25). */

const challengeOpened = { type: 'ChallengeOpened', data: opened } as const
const place = { accountId: ACCOUNT, resId: RES_ID, challengeId: CHALLENGE_ID, asset: 'eth' }
const pay = { challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
const low = { ...transferData, amount: String((BigInt(entry.amount) * 9n) / 10n) }
const priced = { amount: '100000000', currency: 'USD', usd: '100000000', test: false }
const detected = (transfer = transferData) =>
  ({ type: 'PaymentDetected', data: { ...place, transfer, confirmations: 1, required: 6 } }) as const
const retracted = {
  type: 'PaymentRetracted',
  data: { ...place, transferId: transferId(transferData), tx: transferData.tx },
} as const
const underpaid = {
  type: 'ChallengeUnderpaid',
  data: { ...place, transfer: low, asked: entry.amount, least: entry.amount, ...priced },
} as const
const settled = {
  type: 'ChallengeSettled',
  data: { ...place, transfer: transferData, asked: entry.amount, ...priced, webhookUrl: null, settledAt: NOW },
} as const

test('T-CHL-03 too little is a part of the price, noted once, and never more than the price needs', (t) => {
  const little = { ...pay, transfer: low }
  given(t, challenge, challengeOpened).when('add', little).yields(underpaid)
  given(t, challenge, challengeOpened, underpaid).when('add', little).yieldsNothing()
  given(t, challenge, challengeOpened, settled).when('add', little).yieldsNothing()
  // What is enough settles, and is never a part.
  given(t, challenge, challengeOpened).when('add', pay).yieldsNothing()
  given(t, challenge).when('add', little).isRefused('challenge-not-found')
})

test('N-25 N-62 parts add up: the rest settles with all of them, and so does the reserved amount in full after a part', (t) => {
  const rest = { ...transferData, tx: `0x${'9'.repeat(64)}`, amount: String(BigInt(entry.amount) - BigInt(low.amount)) }
  const parts = [transferId(low)]
  given(t, challenge, challengeOpened, underpaid)
    .when('settle', { ...pay, transfer: rest })
    .yields({ ...settled, data: { ...settled.data, transfer: rest, paid: entry.amount, parts } })
  const less = { ...rest, amount: String(BigInt(rest.amount) - 1n) }
  given(t, challenge, challengeOpened, underpaid)
    .when('settle', { ...pay, transfer: less })
    .isRefused('payment-too-low')
  given(t, challenge, challengeOpened, underpaid)
    .when('add', { ...pay, transfer: less })
    .yields({ ...underpaid, data: { ...underpaid.data, transfer: less, paid: String(BigInt(entry.amount) - 1n) } })
  const full = { ...transferData, tx: rest.tx }
  const paid = String(BigInt(entry.amount) + BigInt(low.amount))
  given(t, challenge, challengeOpened, underpaid)
    .when('settle', { ...pay, transfer: full })
    .yields({ ...settled, data: { ...settled.data, transfer: full, paid, parts } })
})

test('N-25 a price takes a hundred parts at the most, so its state does not grow with what strangers send', (t) => {
  const part = (n: number) => ({ ...low, tx: `0x${String(n).padStart(64, '0')}`, amount: '1' })
  const parts = Array.from({ length: 100 }, (_, n) => ({
    ...underpaid,
    data: { ...underpaid.data, transfer: part(n) },
  }))
  const next = { ...pay, transfer: part(100) }
  given(t, challenge, challengeOpened, ...parts)
    .when('add', next)
    .yieldsNothing()
  given(t, challenge, challengeOpened, ...parts.slice(1))
    .when('add', next)
    .yields({ ...underpaid, data: { ...underpaid.data, transfer: part(100), paid: '100' } })
})

test('N-24 what its seller matches is booked whenever it came, and not twice in the books', (t) => {
  const late = { ...transferData, minedAt: '2026-03-02T11:00:01.000Z' }
  given(t, challenge, challengeOpened)
    .when('settle', { ...pay, transfer: late })
    .isRefused('challenge-expired')
  const booking = { matched: true, inBooks: true } as const
  given(t, challenge, challengeOpened)
    .when('settle', { ...pay, transfer: late, ...booking })
    .yields({ ...settled, data: { ...settled.data, transfer: late, ...booking } })
})

test('I-SET-02 Q-06 what the seller takes as enough settles, one unit less is underpaid', (t) => {
  const lenient = { type: 'ChallengeOpened', data: { ...opened, entries: [{ ...entry, least: low.amount }] } } as const
  given(t, challenge, lenient)
    .when('settle', { ...pay, transfer: low })
    .yields({ ...settled, data: { ...settled.data, transfer: low } })
  const less = { ...low, amount: String(BigInt(low.amount) - 1n) }
  given(t, challenge, lenient)
    .when('settle', { ...pay, transfer: less })
    .isRefused('payment-too-low')
  given(t, challenge, lenient)
    .when('add', { ...pay, transfer: less })
    .yields({ ...underpaid, data: { ...underpaid.data, transfer: less, least: low.amount } })
})

test('N-25 a payment that a reorganisation took back leaves the challenge open for another', (t) => {
  const gone = { challengeId: CHALLENGE_ID, asset: 'eth', transferId: transferId(transferData) }
  given(t, challenge, challengeOpened, detected()).when('retract', gone).yields(retracted)
  given(t, challenge, challengeOpened, detected(), retracted).when('retract', gone).yieldsNothing()
  given(t, challenge, challengeOpened).when('retract', gone).yieldsNothing()
  given(t, challenge).when('retract', gone).isRefused('challenge-not-found')
  const again = { ...pay, transfer: transferData, confirmations: 1 }
  given(t, challenge, challengeOpened, detected(), retracted).when('detect', again).yields(detected())
  given(t, challenge, challengeOpened, detected(), retracted).when('settle', pay).yields(settled)
})

test('N-24 a payment that moved to another block is noted there, and several are waited for at once, but not many', (t) => {
  const higher = { ...transferData, height: transferData.height + 1 }
  given(t, challenge, challengeOpened, detected())
    .when('detect', { ...pay, transfer: higher, confirmations: 1 })
    .yields(detected(higher))
  const another = (n: number) => ({ ...transferData, tx: `0x${String(n).padStart(64, '0')}` })
  const many = Array.from({ length: 128 }, (_, n) => detected(another(n)))
  given(t, challenge, challengeOpened, ...many.slice(0, 127))
    .when('detect', { ...pay, transfer: another(128), confirmations: 1 })
    .yields(detected(another(128)))
  given(t, challenge, challengeOpened, ...many)
    .when('detect', { ...pay, transfer: another(128), confirmations: 1 })
    .yieldsNothing()
})

test('N-24 money that settles nothing is set aside once, and what is somebody’s payment never', (t) => {
  const aside = {
    accountId: ACCOUNT,
    challengeId: null,
    asset: 'eth',
    reason: 'unmatched',
    transfer: transferData,
  } as const
  const setAside = { type: 'TransferSetAside', data: aside } as const
  const claim = { accountId: ACCOUNT, ...pay }
  const claimed = { type: 'TransferClaimed', data: claim } as const
  given(t, transfer).when('setAside', aside).yields(setAside)
  given(t, transfer, setAside).when('setAside', aside).yieldsNothing()
  given(t, transfer, setAside).when('claim', claim).isRefused('transfer-taken')
  given(t, transfer, claimed).when('setAside', aside).yieldsNothing()
  // It was claimed for a challenge that another transfer settled first.
  const doubled = { ...aside, challengeId: CHALLENGE_ID, reason: 'doubled' } as const
  given(t, transfer, claimed).when('setAside', doubled).yields({ type: 'TransferSetAside', data: doubled })
})

const requested = { type: 'PaymentRequestOpened', data: requestOpened } as const
const refs = { accountId: ACCOUNT, transactionId: requestOpened.transactionId }
const paid = { type: 'PaymentRequestPaid', data: { ...refs, challengeId: CHALLENGE_ID } } as const
const expired = { type: 'PaymentRequestExpired', data: refs } as const
const LATER = '2026-03-02T11:00:00.001Z'

test('J-PRQ-03 a payment request takes one payment, or expires', (t) => {
  given(t, paymentRequest).when('open', requestOpened).yields(requested)
  given(t, paymentRequest, requested).when('open', requestOpened).isRefused('id-taken')
  given(t, paymentRequest, requested).when('pay', { challengeId: CHALLENGE_ID }).yields(paid)
  given(t, paymentRequest, requested, paid).when('pay', { challengeId: CHALLENGE_ID }).yieldsNothing()
  given(t, paymentRequest, requested, paid).when('pay', { challengeId: 'another' }).isRefused('already-paid')
  given(t, paymentRequest, requested).when('expire', {}, EXPIRES).yieldsNothing()
  given(t, paymentRequest, requested).when('expire', {}, LATER).yields(expired)
  given(t, paymentRequest, requested, expired).when('expire', {}, LATER).yieldsNothing()
  given(t, paymentRequest, requested, paid).when('expire', {}, LATER).yieldsNothing()
  // Paid in time and seen late.
  given(t, paymentRequest, requested, expired).when('pay', { challengeId: CHALLENGE_ID }).yields(paid)
  given(t, paymentRequest).when('pay', { challengeId: CHALLENGE_ID }).isRefused('request-not-found')
  given(t, paymentRequest).when('expire', {}).isRefused('request-not-found')
})

test('M-TXN-12 a payment request that is withdrawn counts as expired, and is not paid any more but for what was under way', (t) => {
  const reason = 'deleted'
  const withdrawn = { type: 'PaymentRequestWithdrawn', data: { ...refs, reason, withdrawnAt: NOW } } as const
  given(t, paymentRequest, requested).when('withdraw', { reason }).yields(withdrawn)
  given(t, paymentRequest, requested, withdrawn).when('withdraw', { reason: 'canceled' }).yieldsNothing()
  given(t, paymentRequest, requested, withdrawn).when('expire', {}, LATER).yieldsNothing()
  given(t, paymentRequest, requested, withdrawn).when('pay', { challengeId: CHALLENGE_ID }).yields(paid)
  given(t, paymentRequest, requested, paid).when('withdraw', { reason }).yieldsNothing()
  given(t, paymentRequest, requested, expired).when('withdraw', { reason }).yieldsNothing()
  given(t, paymentRequest).when('withdraw', { reason }).isRefused('request-not-found')
  for (const event of [withdrawn, { type: 'PaymentRequestWithdrawn', data: refs } as const]) {
    const state = fold(paymentRequest, [requested, event])
    t.is(state.status, 'expired')
  }
})

test('M-TXN-10 what an open payment request asks for can be changed, and that of one that takes no payment cannot', (t) => {
  const changed = (change: { amount?: string; redirect?: string }) =>
    ({ type: 'PaymentRequestChanged', data: { ...refs, ...change, changedAt: NOW } }) as const
  const other = changed({ amount: '7' })
  given(t, paymentRequest, requested).when('change', { amount: '7' }).yields(other)
  given(t, paymentRequest, requested, other).when('change', { amount: '7' }).yieldsNothing()
  given(t, paymentRequest, requested, other)
    .when('change', { redirect: 'https://a.test' })
    .yields(changed({ redirect: 'https://a.test' }))
  given(t, paymentRequest, requested, paid).when('change', { amount: '7' }).isRefused('state-forbids')
  given(t, paymentRequest, requested, expired).when('change', { redirect: 'x' }).isRefused('state-forbids')
  given(t, paymentRequest, requested).when('change', { amount: '7' }, LATER).isRefused('state-forbids')
  given(t, paymentRequest).when('change', { amount: '7' }).isRefused('request-not-found')
  const many = Array.from({ length: 20 }, (_, n) => changed({ amount: String(n) }))
  given(t, paymentRequest, requested, ...many)
    .when('change', { amount: '7' })
    .isRefused('state-forbids')
  given(t, paymentRequest, requested, ...many)
    .when('change', { redirect: 'x' })
    .yields(changed({ redirect: 'x' }))
})

test('M-REC-05 the expiry of a request is the one it was opened with, whatever becomes of it', (t) => {
  for (const history of [[requested], [requested, paid], [requested, expired], [requested, expired, paid]]) {
    const state = fold(paymentRequest, history)
    t.is(state.status !== 'none' && state.expiresAt, EXPIRES)
  }
  t.deepEqual(Object.keys(paymentRequest.decide), ['open', 'pay', 'reopen', 'expire', 'change', 'withdraw'])
})

const transactionCreated = { type: 'TransactionCreated', data: recordedTransaction } as const
const done = { hash: '0xnew', payer: '0xpayer' }
const completed = {
  type: 'TransactionCompleted',
  data: { accountId: ACCOUNT, test: false, ...done, confirmedAt: NOW },
} as const
const rejected = (reason: 'underpaid' | 'expired') =>
  ({ type: 'TransactionRejected', data: { accountId: ACCOUNT, reason, test: false } }) as const

test('M-REC-04 T-TXN-02 Q-07 a pending transaction is rejected once, and a completed one never', (t) => {
  for (const reason of ['underpaid', 'expired'] as const) {
    given(t, transaction, transactionCreated).when('reject', { reason }).yields(rejected(reason))
    given(t, transaction, transactionCreated, rejected(reason)).when('reject', { reason }).yieldsNothing()
    given(t, transaction, transactionCreated, completed).when('reject', { reason }).yieldsNothing()
  }
  given(t, transaction).when('reject', { reason: 'expired' }).isRefused('transaction-not-found')
})

test('N-62 what was underpaid completes when the rest comes, what had expired when it was paid in time after all', (t) => {
  const complete = { ...done, confirmedAt: NOW }
  given(t, transaction, transactionCreated, rejected('underpaid')).when('complete', complete).yields(completed)
  given(t, transaction, transactionCreated, rejected('expired')).when('complete', complete).yields(completed)
})

test('a transaction shows the payment that was seen last', (t) => {
  const seen = { type: 'TransactionPaymentSeen', data: { accountId: ACCOUNT, ...done } } as const
  given(t, transaction, transactionCreated).when('see', done).yields(seen)
  given(t, transaction, transactionCreated, seen).when('see', done).yieldsNothing()
  given(t, transaction, transactionCreated, completed)
    .when('see', { ...done, hash: '0x2' })
    .yieldsNothing()
  given(t, transaction).when('see', done).isRefused('transaction-not-found')
})

test('J-TXN-06 N-37 a completed payment is refunded once, and no other', (t) => {
  const data = { accountId: ACCOUNT, refundedAt: NOW, by: 'owner', sent: false }
  const refunded = { type: 'RefundRecorded', data } as const
  given(t, transaction, transactionCreated, completed).when('refund', { by: 'owner' }).yields(refunded)
  given(t, transaction, transactionCreated, completed, refunded)
    .when('refund', { by: 'owner' })
    .isRefused('state-forbids')
  given(t, transaction, transactionCreated).when('refund', { by: 'owner' }).isRefused('state-forbids')
  given(t, transaction, transactionCreated, rejected('underpaid'))
    .when('refund', { by: 'owner' })
    .isRefused('state-forbids')
  given(t, transaction).when('refund', { by: 'owner' }).isRefused('transaction-not-found')
})

test('N-68 what came back after it was given back is refunded no more, wholly or in part, and may be once more', (t) => {
  const data = { accountId: ACCOUNT, refundedAt: NOW, by: 'processor', sent: false }
  const refunded = { type: 'RefundRecorded', data } as const
  const failed = (left: string | null) =>
    ({ type: 'RefundFailed', data: { accountId: ACCOUNT, refunded: left, failedAt: NOW } }) as const
  const after = (...history: Parameters<typeof given<typeof transaction>>[2][]) =>
    given(t, transaction, transactionCreated, completed, ...history)
  after().when('unrefund', { refunded: null }).yieldsNothing()
  after(refunded).when('unrefund', { refunded: null }).yields(failed(null))
  after(refunded).when('unrefund', { refunded: '2.5' }).yields(failed('2.5'))
  after(refunded, failed('2.5')).when('unrefund', { refunded: '2.5' }).yieldsNothing()
  after(refunded, failed(null)).when('refund', { by: 'processor' }).yields(refunded)
  given(t, transaction).when('unrefund', { refunded: null }).isRefused('transaction-not-found')
})

test('T-CHL-01 where blocks are minutes apart, a payment may be mined up to twelve of them after the hour', (t) => {
  const asked = { ...entry, asset: 'btc', network: 'btc', amount: '100000' }
  const set = fold(challenge, [{ type: 'ChallengeOpened', data: { ...opened, entries: [asked] } }])
  const minedAt = (time: string) => ({ ...transferData, asset: 'btc', network: 'btc', amount: '100000', minedAt: time })
  const judgementAt = (time: string) => (set.status === 'none' ? undefined : judge(set, 'btc', minedAt(time)).judgement)
  t.is(judgementAt('2026-03-02T13:00:00.000Z'), 'pays')
  t.is(judgementAt('2026-03-02T13:00:01.000Z'), 'late')
})
