import { decider } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'

/**
 * A receipt that a buyer has asked for by mail. The letter lies sealed under the seller's data key, with the address
 * that was typed: nobody reads it from the log, and it goes with its seller.
 */

export type ReceiptLetterEvents = {
  /** `challengeId`: what was paid, which may be a payment by card. */
  ReceiptLetterRequested: { accountId: string; challengeId: string; letter: SealedText }
}

export type ReceiptLetterCommands = { request: ReceiptLetterEvents['ReceiptLetterRequested'] }

type State = { requested: boolean }

export const receiptLetter = decider<ReceiptLetterEvents, ReceiptLetterCommands, State>({
  category: 'receiptLetter',
  stateVersion: 1,
  initial: { requested: false },
  begins: ['request'],
  decide: {
    request: ({ requested }, data) => (requested ? [] : [{ type: 'ReceiptLetterRequested', data }]),
  },
  evolve: { ReceiptLetterRequested: () => ({ requested: true }) },
})
