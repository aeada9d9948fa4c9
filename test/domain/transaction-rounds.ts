import { paidCoin, payoutRequested, recordedTransaction, transferData } from './samples.ts'

/** Rounds of a transaction, paid once, then written on, again and again; and of a payout. */

type Command = readonly [command: string, data: object]

const reversed = (n: number): readonly Command[] => [
  ['move', { from: `0x${n}`, hash: `0x${n}m`, payer: 'p' }],
  ['reverse', { reason: 'reorganised', reversedAt: '2026-03-02T10:08:00.000Z', position: String(n) }],
]

const paymentOf = (n: number) => ({ hash: `0x${n}`, payer: 'p', confirmedAt: '2026-03-02T10:07:00.000Z' })

const refundTransfer = (n: number) => ({ ...transferData, tx: `0x${n}r` })

export const transactionRounds = {
  transaction: (n: number, last: boolean): readonly Command[] => [
    ['create', recordedTransaction],
    ['createCompleted', { opening: recordedTransaction, payment: paymentOf(n) }],
    ['see', { hash: `0x${n}`, payer: 'p' }],
    ['reject', { reason: 'expired' }],
    ['complete', paymentOf(n)],
    ...reversed(n),
    ['refund', { by: 'owner' }],
    ['refund', { by: 'owner', coin: paidCoin, hash: `0x${n}r` }],
    ['refuseHash', { hash: `0x${n}r`, reason: 'payment-not-matching' }],
    ['send', { by: 'owner', coin: paidCoin, transfer: refundTransfer(n), hash: `0x${n}r` }],
    ['capRefund', { coin: paidCoin }],
    ['unsend', { coin: paidCoin, transfer: refundTransfer(n), hash: `0x${n}r`, times: 1, reason: 'reorganised' }],
    ['refundPart', { refunded: String(n), by: 'processor' }],
    ['unrefund', { refunded: null }],
    ['restock', { by: 'owner' }],
    ['dispute', { disputeId: `dp_${n}`, status: 'open' }],
    ['edit', { changes: { title: `t${n}`, billing: 'v1.b' }, by: 'owner' }],
    ['refuseEdit', { keys: ['expiry', `k${n}`], by: 'owner' }],
    ...(last ? [['delete', { by: 'owner' }] as const] : []),
  ],
  payout: (n: number): readonly Command[] => [
    ['request', payoutRequested],
    ['giveDetails', { details: `v1.d${n}`, print: `p${n}` }],
    ['complete', { by: 'owner' }],
  ],
}
