import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { bookEntriesOf } from '../../domain/reading/books/index.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { refundTransfer } from '../../domain/selling/transactions/refund-transfer.ts'
import { transfer } from '../../domain/selling/transfers/transfer.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, CHALLENGE_ID, paidCoin, transferData } from './samples.ts'

/** What a seller does with money that settles nothing, beside matching it, and what that is in the books. */

const by = 'key_1'
const whole = transferData.amount
const half = String(BigInt(whole) / 2n)
const backOf = (amount: string, n = 1) => ({
  ...transferData,
  tx: `0x${String(n).repeat(64)}`,
  from: transferData.to,
  to: transferData.from,
  height: 200,
  blockHash: `0x${'ee'.repeat(32)}`,
  amount,
})
const back = backOf(whole)
const money = {
  accountId: ACCOUNT,
  challengeId: null,
  asset: 'eth',
  transfer: transferData,
  reason: 'unmatched',
} as const
const aside = { type: 'TransferSetAside', data: money } as const
const late = { type: 'TransferSetAside', data: { ...money, challengeId: CHALLENGE_ID, reason: 'late' } } as const
const ignored = { type: 'TransferIgnored', data: { accountId: ACCOUNT, reason: 'small', by, ignoredAt: NOW } } as const
const recorded = (amount = whole, more: object = {}) =>
  ({
    type: 'TransferReturnRecorded',
    data: { accountId: ACCOUNT, transfer: transferData, amount, ...more, by, returnedAt: NOW },
  }) as const
const submitted = {
  type: 'TransferReturnHashSubmitted',
  data: { accountId: ACCOUNT, hash: back.tx, by, submittedAt: NOW },
} as const
const sent = (amount = whole, was = amount) =>
  ({
    type: 'TransferReturnSent',
    data: {
      accountId: ACCOUNT,
      transfer: transferData,
      back: backOf(amount),
      recorded: was,
      hash: back.tx,
      sentAt: NOW,
    },
  }) as const
const unsent = (more: object = {}) =>
  ({
    type: 'TransferReturnUnsent',
    data: {
      accountId: ACCOUNT,
      transfer: transferData,
      back,
      hash: back.tx,
      reason: 'reorganised',
      times: 1,
      ...more,
      unsentAt: NOW,
    },
  }) as const
const reopened = (more: object = {}) =>
  ({
    type: 'TransferReopened',
    data: { accountId: ACCOUNT, reason: 'unmatched', transfer: transferData, ...more, by, reopenedAt: NOW },
  }) as const
const hand = { accountId: ACCOUNT, by }
const matching = { ...hand, challengeId: CHALLENGE_ID, asset: 'eth' }

test('N-102 money that settles nothing is ignored for a reason, once, and that is taken back', (t) => {
  given(t, transfer, aside)
    .when('ignore', { ...hand, reason: 'small' })
    .yields(ignored)
  given(t, transfer, aside, ignored)
    .when('ignore', { ...hand, reason: 'small' })
    .yieldsNothing()
  given(t, transfer, aside, ignored).when('reopen', hand).yields(reopened())
  given(t, transfer, aside, ignored, reopened()).when('reopen', hand).yieldsNothing()
  given(t, transfer, aside, recorded())
    .when('ignore', { ...hand, reason: 'small' })
    .isRefused('state-forbids')
  given(t, transfer)
    .when('ignore', { ...hand, reason: 'small' })
    .isRefused('transfer-not-found')
})

test('N-102 X-TEN-01 another account does nothing with money that settles nothing', (t) => {
  const stranger = { ...hand, accountId: 'acc_2' }
  const kept = given(t, transfer, aside)
  kept.when('ignore', { ...stranger, reason: 'spam' }).isRefused('transfer-not-found')
  kept.when('recordReturn', stranger).isRefused('transfer-not-found')
  given(t, transfer, aside, ignored).when('reopen', stranger).isRefused('transfer-not-found')
})

test('N-102 X-REPLAY-01 money is matched or returned, whoever is first, and never both', (t) => {
  given(t, transfer, aside, recorded()).when('match', matching).isRefused('transfer-taken')
  given(t, transfer, aside, recorded(), sent()).when('match', matching).isRefused('transfer-taken')
  const matched = { type: 'TransferClaimed', data: { ...matching, transfer: transferData, matched: true } } as const
  given(t, transfer, aside, matched).when('recordReturn', hand).isRefused('transfer-not-found')
  given(t, transfer, aside, matched).when('sendReturn', { back, hash: back.tx, by }).yieldsNothing()
  // What is ignored may still be matched, and what was returned by mistake, too.
  given(t, transfer, aside, ignored).when('match', matching).yields(matched)
  given(t, transfer, aside, recorded(), reopened({ returned: whole }))
    .when('match', matching)
    .yields({ ...matched, data: { ...matched.data, inBooks: true } })
})

test('N-102 a return is recorded once, of no more than came, and its chain shows that it was sent', (t) => {
  given(t, transfer, aside).when('recordReturn', hand).yields(recorded())
  given(t, transfer, late)
    .when('recordReturn', { ...hand, amount: half })
    .yields(recorded(half, { inBooks: true }))
  for (const amount of ['0', String(BigInt(whole) + 1n)])
    given(t, transfer, aside)
      .when('recordReturn', { ...hand, amount })
      .isRefused('invalid-request')
  given(t, transfer, aside, recorded()).when('recordReturn', hand).yieldsNothing()
  given(t, transfer, aside, recorded())
    .when('recordReturn', { ...hand, amount: half })
    .isRefused('state-forbids')
  given(t, transfer, aside, recorded())
    .when('recordReturn', { ...hand, hash: back.tx })
    .yields(submitted)
  const waiting = given(t, transfer, aside, recorded(), submitted)
  waiting.when('recordReturn', { ...hand, hash: back.tx }).yieldsNothing()
  waiting.when('sendReturn', { back, hash: back.tx, by }).yields(sent())
  waiting.when('sendReturn', { back: backOf(half), hash: back.tx, by }).yields(sent(half, whole))
  const done = given(t, transfer, aside, recorded(), submitted, sent())
  done.when('sendReturn', { back, hash: back.tx, by }).yieldsNothing()
  done.when('reopen', hand).isRefused('state-forbids')
  done.when('recordReturn', { ...hand, hash: '0xother' }).isRefused('state-forbids')
})

test('N-102 N-24 a return whose block was replaced is recorded and not sent, and is found again once', (t) => {
  const done = [aside, recorded(), submitted, sent()] as const
  const losing = { back, hash: back.tx, times: 1, reason: 'reorganised' } as const
  given(t, transfer, ...done)
    .when('unsendReturn', losing)
    .yields(unsent())
  const lost = given(t, transfer, ...done, unsent())
  lost.when('unsendReturn', losing).yieldsNothing()
  lost.when('sendReturn', { back, hash: back.tx, by }).yieldsNothing()
  lost.when('sendReturn', { back, hash: back.tx, by, again: 1 }).yields({
    ...sent(),
    data: { ...sent().data, again: 1 },
  })
  t.is(fold(transfer, [...done, unsent()]).sought, back.tx)
})

test('N-102 N-24 money that its chain has lost is owed to nobody, and a return that a chain shows stays', (t) => {
  const gone = { reason: 'reorganised', times: 0 } as const
  const reversed = { ...money, aside: true, inBooks: true, times: 1, reason: 'reorganised' } as const
  const { reason: _, ...facts } = reversed
  const lost = (more: object = {}) =>
    ({ type: 'TransferReversed', data: { ...facts, reason: 'reorganised', ...more } }) as const
  given(t, transfer, aside, recorded())
    .when('reverse', gone)
    .yields(lost({ returned: whole }))
  given(t, transfer, aside, recorded(), sent()).when('reverse', gone).yields(lost())
  const elsewhere = { ...money, transfer: { ...transferData, blockHash: '0xelsewhere' } }
  given(t, transfer, aside, recorded(), sent(), lost())
    .when('setAside', elsewhere)
    .yields({ type: 'TransferSetAside', data: { ...elsewhere, returned: true } })
  given(t, transfer, aside, recorded(), lost({ returned: whole }))
    .when('setAside', elsewhere)
    .yields({ type: 'TransferSetAside', data: elsewhere })
  given(t, transfer, aside, recorded(), sent(), lost())
    .when('unsendReturn', { back, hash: back.tx, times: 1, reason: 'reorganised' })
    .yields(unsent({ voided: true }))
})

test('N-102 J-TXN-06 one transaction gives back one payment, whether it settled something or not', (t) => {
  const returning = { ...hand, returned: transferId(transferData), transfer: back, hash: back.tx }
  const claimed = { type: 'ReturnTransferClaimed', data: returning } as const
  given(t, refundTransfer).when('claimReturn', returning).yields(claimed)
  given(t, refundTransfer, claimed).when('claimReturn', returning).yieldsNothing()
  given(t, refundTransfer, claimed)
    .when('claimReturn', { ...returning, returned: 'eth:0xother:native' })
    .isRefused('transfer-taken')
  const refund = { ...hand, transactionId: '1', coin: paidCoin, transfer: back, hash: back.tx }
  given(t, refundTransfer, claimed).when('claim', refund).isRefused('transfer-taken')
  given(t, refundTransfer, { type: 'RefundTransferClaimed', data: refund })
    .when('claimReturn', returning)
    .isRefused('transfer-taken')
})

/** The balances of the seller's books, and of the common journal, after some events. */
const balancesOf = (...events: readonly { type: string; data: object }[]) => {
  const stream = `transfer-${transferId(transferData)}`
  const sums = (all: readonly { account: string; amount: string }[]) => {
    const found = new Map<string, bigint>()
    for (const { account, amount } of all) found.set(account, (found.get(account) ?? 0n) + BigInt(amount))
    return Object.fromEntries([...found].filter(([, sum]) => sum !== 0n))
  }
  const all = events.map((event) => ({ ...event, stream }))
  const books = sums(all.flatMap((event) => bookEntriesOf(event).flatMap(({ postings }) => postings)))
  return { books, journal: sums(all.flatMap(postingsOf)) }
}

test('N-102 I-SUM-01 returned money leaves suspense for what is owed, and receipts once a chain shows it', (t) => {
  const [all, some] = [BigInt(whole), BigInt(half)]
  const [wallet, refunds] = [`seller:${ACCOUNT}:wallet`, `seller:${ACCOUNT}:refunds`]
  const [RECEIPTS, SUSPENSE, OWED] = ['assets:receipts', 'liabilities:suspense', 'liabilities:refunds']
  t.deepEqual(balancesOf(aside), { books: { [RECEIPTS]: all, [SUSPENSE]: -all }, journal: {} })
  t.deepEqual(balancesOf(aside, ignored), balancesOf(aside))
  for (const [first, more] of [
    [aside, {}],
    [late, { inBooks: true }],
  ] as const) {
    t.deepEqual(balancesOf(first, recorded(half, more)), {
      books: { [RECEIPTS]: all, [SUSPENSE]: some - all, [OWED]: -some },
      journal: { buyers: some - all, [wallet]: all, [refunds]: -some },
    })
    t.deepEqual(balancesOf(first, recorded(whole, more), sent()), { books: {}, journal: {} })
    const less = {
      books: { [RECEIPTS]: all - some, [SUSPENSE]: some - all },
      journal: { buyers: some - all, [wallet]: all - some },
    }
    t.deepEqual(balancesOf(first, recorded(half, more), sent(half)), less)
    // What the chain shows counts, whatever was recorded before.
    t.deepEqual(balancesOf(first, recorded(whole, more), sent(half, whole)), less)
  }
  t.deepEqual(balancesOf(late, recorded(whole, { inBooks: true }), reopened({ returned: whole })), balancesOf(late))
  t.deepEqual(balancesOf(late, recorded(whole, { inBooks: true }), sent(), unsent()), {
    books: { [RECEIPTS]: all, [OWED]: -all },
    journal: { [wallet]: all, [refunds]: -all },
  })
  const gone = { ...money, aside: true, inBooks: true, times: 1 }
  const lost = (more: object = {}) => ({ type: 'TransferReversed', data: { ...gone, reason: 'reorganised', ...more } })
  t.deepEqual(balancesOf(aside, recorded(), lost({ returned: whole })), { books: {}, journal: {} })
  // What was sent back and never came is missing until it comes again, or the return is gone, too.
  t.deepEqual(balancesOf(aside, recorded(), sent(), lost()), {
    books: { [RECEIPTS]: -all, [SUSPENSE]: all },
    journal: { buyers: all, [wallet]: -all },
  })
  t.deepEqual(balancesOf(aside, recorded(), sent(), lost(), unsent({ voided: true })), { books: {}, journal: {} })
})
