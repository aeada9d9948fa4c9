import { idOf } from '../../kernel/stream-id.ts'
import { carryOutSeatOrder } from '../../use-cases/account/seat-order.ts'
import type { Policy } from '../subscriber/policy.ts'

/** What a seat was paid for comes about, also when the call that paid broke off right then. */
export const finishSeatOrders: Policy = {
  name: 'finish-seat-orders',
  on: {
    SeatPaid: ({ stream, data }, { ledger }) => carryOutSeatOrder(ledger, idOf(stream), data),
  },
}
