import { idOf } from '../../kernel/stream-id.ts'
import type { Policy } from '../subscriber/policy.ts'

/** What was paid for a seat and turned out not to be needed becomes credit again, so that money is taken for what there is (I-CRD-04). */
export const returnSeatPayments: Policy = {
  name: 'return-seat-payments',
  on: {
    SeatPaymentUnused: ({ stream, order, data: { paid, unused } }, { ledger }) =>
      ledger.creditAccount.grant(idOf(stream), {
        amount: unused,
        reason: 'seat-unused',
        ref: `seat-${paid.number}`,
        source: 'return-seat-payments',
        position: String(order),
      }),
  },
}
