import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'
import {
  type ArrivingPart,
  bookableNumber,
  type CountedPart,
  countedPart,
  EMPTY,
  type NumberedTransfer,
  numberedTransfer,
  type Purse,
  type TransferRequest,
  withBooked,
  withReceived,
  withSent,
} from './purse.ts'

/**
 * An app's prepaid platform credit in millionths of a US dollar: what users pay it comes in, what it pushes and refunds
 * goes out. It is never below zero (E-AUT-10). The stream is named by the client id.
 */

export type AppCreditEvents = {
  AppCreditReceived: CountedPart
  /** The transfer itself: from here on the money is the payees'. */
  AppCreditSent: NumberedTransfer
  /** All transfers up to this number are booked, and need not be remembered here. */
  AppTransfersBooked: { through: number }
}

export type AppCreditCommands = {
  receive: ArrivingPart
  /** Refuses `app-credit-insufficient`, `idempotency-conflict`, `busy`. */
  send: TransferRequest
  book: { number: number }
}

export const appCredit = decider<AppCreditEvents, AppCreditCommands, Purse>({
  category: 'appCredit',
  grows: true,
  stateVersion: 1,
  initial: EMPTY,
  decide: {
    receive: (state, command) => {
      const data = countedPart(state, command)
      return data ? [{ type: 'AppCreditReceived', data }] : []
    },
    send: (state, command, now) => {
      const data = numberedTransfer(state, command, now)
      if (!data) return []
      if (BigInt(data.total) > state.balance) return refuse('app-credit-insufficient')
      return [{ type: 'AppCreditSent', data }]
    },
    book: (state, { number }) => {
      const through = bookableNumber(state, number)
      return through === undefined ? [] : [{ type: 'AppTransfersBooked', data: { through } }]
    },
  },
  evolve: {
    AppCreditReceived: withReceived,
    AppCreditSent: (state, data) => withSent(state, data),
    AppTransfersBooked: (state, { through }) => withBooked(state, through),
  },
})
