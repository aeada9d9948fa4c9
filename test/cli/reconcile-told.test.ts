/** The lines and sums of a reconciliation as people read them. */
import test from 'ava'
import { transferLine } from '../../domain/reading/reconciliation/line.ts'
import { createTally } from '../../domain/reading/reconciliation/tally.ts'
import type { BookedTransfer, ChainLook } from '../../domain/reading/reconciliation/transfer.ts'
import { linesText, summaryText } from '../../src/commands/reconcile/told.ts'

const row = { status: 'settled', amount: '40', hash: '0xpaid', coin: 'eth', gone: false }
const booked: BookedTransfer = {
  place: '7',
  transferId: 'eth:0xpaid:native',
  kind: 'payment',
  accountId: 'acc_1',
  network: 'eth',
  hash: '0xpaid',
  coin: 'eth',
  asset: 'eth',
  decimals: 18,
  payer: '0xpayer',
  payee: '0xseller',
  amount: '40',
  at: '2026-03-02T10:00:00.000Z',
  minedAt: '2026-03-02T09:59:00.000Z',
  test: false,
  gone: false,
  isMoved: false,
  signed: false,
  matched: false,
  challengeId: 'ch_1.eth',
  row,
  transaction: { transactionId: '1', status: 'C', edited: [], overwritten: [], editedAt: null },
  journal: [{ view: 'seller:acc_1', asset: 'eth', amount: '40' }],
}
const refund: BookedTransfer = {
  ...booked,
  kind: 'refund',
  row: { ...row, status: 'sent', coin: undefined },
  journal: [{ view: 'seller:acc_1', asset: 'eth', amount: '-40' }],
}
const transfer = { network: 'eth', tx: '0xpaid', index: 'native', asset: 'eth', from: '0xpayer', to: '0xseller' }
const FOUND: ChainLook = { answer: 'found', transfer: { ...transfer, amount: 40n }, confirmations: 21 }

test('N-80 a payment that settles nothing agrees, and says what it is; nothing else says so', (t) => {
  const late = { ...booked, transaction: undefined, row: { ...row, status: 'late' } }
  const lines = [late, booked, refund, { ...booked, row: undefined }].map((each) => transferLine(each, FOUND))
  t.deepEqual(
    lines.map(({ settlementStatus }) => settlementStatus),
    ['late', 'settled', null, null],
  )
  t.is(lines[0]?.status, 'agrees')
  const [, first = '', second = ''] = linesText(lines, true).split('\n')
  t.regex(first, / payment \(late\) +agrees /)
  t.regex(second, / payment +agrees /)
})

test('N-80 what a chain did not say stands in the sums as a stroke, and not as nothing', (t) => {
  const chainCells = (look: ChainLook, isAsked: boolean) => {
    const tally = createTally()
    tally.add(transferLine(booked, look))
    return summaryText(tally.found(), isAsked).split('\n')[1]?.trim().split(/ +/).at(-1)
  }
  t.is(chainCells({ answer: 'not asked' }, false), '–')
  t.is(chainCells({ answer: 'silent' }, true), '–')
  t.is(chainCells({ answer: 'missing' }, true), '0')
  t.is(chainCells(FOUND, true), '0.00000000000000004')
})
