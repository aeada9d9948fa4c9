import { finishCardPayment } from '../flows/card/settle.ts'
import type { Policy } from '../policy.ts'
import { idOf } from '../stream-id.ts'

/** Money that the processor has is taken for what it was paid for, also when the process died between the two. */
export const finishCardPayments: Policy = {
  name: 'finish-card-payments',
  on: {
    CardPaymentReported: ({ stream }, { ledger }) => finishCardPayment(ledger, idOf(stream)),
  },
}
