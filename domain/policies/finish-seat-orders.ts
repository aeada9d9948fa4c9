import { carryOutSeatOrder } from '../flows/seat-order.ts'
import type { Policy } from '../policy.ts'
import { idOf } from '../stream-id.ts'

/** What a seat was paid for comes about, also when the call that paid broke off right then. */
export const finishSeatOrders: Policy = {
  name: 'finish-seat-orders',
  on: {
    SeatPaid: ({ stream, data }, { ledger }) => carryOutSeatOrder(ledger, idOf(stream), data),
  },
}
