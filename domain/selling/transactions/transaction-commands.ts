import type { Units } from '../../kernel/money.ts'
import type { Reversal } from '../challenge-events.ts'
import type { TransferData } from '../challenge-terms.ts'
import type { PaidCoin } from './coin-refund.ts'
import type { LostRefund } from './record-refund.ts'
import type { Edits } from './transaction-edits.ts'
import type {
  DisputeStatus,
  HashRefusal,
  Rejection,
  TransactionEvents,
  TransactionPayment,
} from './transaction-events.ts'

/** What the record of a payment that a merchant sees can be told. */

export type TransactionCommands = {
  create: TransactionEvents['TransactionCreated']
  see: TransactionPayment
  /** `position`: the place of the settlement in the ledger's order; does nothing when it was taken back after that. */
  complete: TransactionPayment & { confirmedAt: string; received?: string; position?: string }
  /** Writes one that is paid by the time it is written; one that is there is completed. */
  createCompleted: { opening: TransactionEvents['TransactionCreated']; payment: TransactionCommands['complete'] }
  /** Moves its payment to another chain transaction; does nothing unless it was in `from`. */
  move: { from: string; hash: string; payer: string }
  /** Does nothing when that was told before. `coin`: the payment as it was before. */
  reverse: { reason: Reversal; reversedAt: string; position: string; coin?: PaidCoin }
  reject: { reason: Rejection }
  /**
   * Records that money was given back: of what came in a `coin` the `amount`, or all that is left, and the `hash` that
   * is to show it. Does nothing when that very hash is looked for, or was found.
   */
  refund: { by: string; coin?: PaidCoin; amount?: Units; hash?: string }
  /** A transfer on the chain gives the money back: it is recorded as far as it was not. */
  send: { by: string; coin: PaidCoin; transfer: TransferData; hash: string; again?: number }
  /** The chain has lost a transfer that had given the money back. */
  unsend: { coin: PaidCoin } & LostRefund
  /** Of a payment that stands less came than before: no more than that is owed. */
  capRefund: { coin: PaidCoin }
  /** The chain transaction that was looked for gives nothing back. */
  refuseHash: { hash: string; reason: HashRefusal }
  refundPart: { refunded: string; by: string }
  /** `refunded` is what is still given back; null when nothing is. */
  unrefund: { refunded: string | null }
  /** Its seller has given money back and has the goods: their pieces are there again. Does nothing the second time. */
  restock: { by: string }
  dispute: { disputeId: string; status: DisputeStatus }
  edit: { changes: Edits; by: string }
  /** Notes the first few of the keys. */
  refuseEdit: { keys: readonly string[]; by: string }
  delete: { by: string }
}
