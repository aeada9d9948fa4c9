import { idOf } from '../../kernel/stream-id.ts'
import { finishCardPayment } from '../../use-cases/card/settle.ts'
import type { Policy } from '../subscriber/policy.ts'

/** Money that the processor has is taken for what it was paid for, also when the process died between the two. */
export const finishCardPayments: Policy = {
  name: 'finish-card-payments',
  on: {
    CardPaymentReported: ({ stream }, { ledger }) => finishCardPayment(ledger, idOf(stream)),
  },
}
