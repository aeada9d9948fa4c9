import { cardOpened, connectedProcessor } from './card-samples.ts'

/** Rounds of a card processor that is connected anew again and again, and of one payment of which too much is told. */

type Command = readonly [command: string, data: object]

export const cardRounds = {
  cardProcessor: (n: number): readonly Command[] => [
    ['connect', { ...connectedProcessor, fingerprint: `f${n}` }],
    ...(n % 2 ? [['disconnect', {}] as const] : []),
  ],
  cardPayment: (n: number): readonly Command[] => [
    ['open', cardOpened],
    ['place', { sessionId: `cs_${n}` }],
    ['mismatch', { told: `evt_${n}`, what: 'amount', expected: '4800', found: String(n) }],
    ...(n === 1 ? [['fail', { reason: 'failed' }] as const] : []),
    ...(n > 1 ? ([['report', { paymentId: 'pi_1', processorEventId: `evt_${n}` }]] as const) : []),
    ...(n > 1
      ? ([
          ['settle', {}],
          ['setAside', {}],
        ] as const)
      : []),
    ['refund', { total: String(n), by: 'processor' }],
    ['refuseRefund', { tries: 2 * n - 4 }],
    ['unrefund', { refundId: `re_${n}`, total: '0' }],
    ['dispute', { disputeId: `dp_${n}`, charged: '4800', reason: 'fraudulent', held: true }],
    ['closeDispute', { disputeId: `dp_${n}`, charged: '4800', held: true, outcome: 'won' }],
  ],
}
