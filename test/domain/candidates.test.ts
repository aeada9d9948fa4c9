import test from 'ava'
import { candidatesFor, type Money, type WaitingPayment } from '../../domain/selling/transfers/candidates.ts'

/** Which payments money may be meant for that settles nothing. */

const waiting = (n: number, more: Partial<WaitingPayment> = {}): WaitingPayment => ({
  challengeId: `ch_${n}.eth`,
  transactionId: String(n),
  title: null,
  payTo: '0xshop',
  openedAt: `2026-03-02T10:0${n}:00.000Z`,
  expiresAt: '2026-03-02T11:00:00.000Z',
  asked: 100n,
  came: 0n,
  payers: [],
  hash: '',
  ...more,
})
const arrived: Money = {
  paid: 40n,
  hash: '0xAB',
  payer: '0xbuyer',
  payee: '0xshop',
  minedAt: '2026-03-02T10:30:00.000Z',
  named: [],
}

test('N-103 each candidate says why it is one, and the likeliest comes first', (t) => {
  const found = candidatesFor(
    arrived,
    [
      waiting(1),
      waiting(2, { asked: 40n }),
      waiting(3, { came: 60n, payers: ['0xbuyer'] }),
      waiting(4, { hash: '0xab', payTo: '0xother' }),
      waiting(5, { payTo: '0xother' }),
      waiting(6, { expiresAt: '2026-03-02T10:20:00.000Z' }),
    ],
    10,
  )
  t.deepEqual(
    found.map(({ transactionId, reasons, missing }) => [transactionId, reasons.join(' '), missing]),
    [
      ['4', 'hash-named in-time part', 100n],
      ['3', 'rest-equal same-sender same-address in-time', 40n],
      ['2', 'amount-equal same-address in-time', 40n],
      ['1', 'same-address in-time part', 100n],
      ['6', 'same-address late part', 100n],
    ],
  )
  t.deepEqual(
    candidatesFor(
      { ...arrived, named: ['ch_5.eth'], payee: undefined },
      [waiting(1), waiting(5, { payTo: '0xother' })],
      10,
    ).map(({ challengeId }) => challengeId),
    ['ch_5.eth'],
  )
  t.is(candidatesFor(arrived, [waiting(1), waiting(2), waiting(3)], 2).length, 2)
})
