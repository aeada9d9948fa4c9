import type { Units } from '../../kernel/money.ts'
import type { SealedText } from '../../kernel/ports.ts'
import type { Reversal } from '../challenge-events.ts'
import type { TransferData } from '../challenge-terms.ts'
import type { RefundedCoin, RefundWorth } from './coin-refund.ts'
import type { Edits } from './transaction-edits.ts'

/** What can happen to the record of a payment that a merchant sees (M-REC-01). */

export type TransactionEvents = {
  /**
   * A payment of a resource was seen for the first time, or was asked for by a request; or a payout of the seller's was
   * noted.
   */
  TransactionCreated: {
    accountId: string
    /** Null until a payer has chosen a coin; for a payment by card, the id of the card payment (`cp_…`). */
    challengeId: string | null
    resId: string | null
    requestId?: string
    /** The payout that it records; then nobody pays here. */
    payoutId?: string
    /** The store that it belongs to; the default store when absent. */
    storeId?: number
    /** The number of the saved payment link that was bought. */
    checkoutId?: string
    /**
     * `res_….ch_….eth`: unique per payment, and routes the webhook to the agent slot (J-RES-14, Q-04);
     * `x402.ch_….usdc_base` for what is sold elsewhere; for a payment request, the merchant's own text.
     */
    externalReference: string
    type: 'resource' | 'payment-request' | 'x402' | 'payout'
    title: string
    description?: string
    /**
     * Replaces the description where that tells of a person, as a buyer's answers do: sealed under the account
     * (S-FLD-04).
     */
    sealedDescription?: SealedText
    /** The code that the price was lowered by, as the seller writes it (S-DSC-02). */
    discountCode?: string
    cryptocurrency: string
    /** Coin amount asked, and fiat price, both as decimals; empty while not known. */
    amount: string
    amountFiat: string
    currency: string
    /** The VAT that is in the fiat price, as a decimal; absent when the sale was not taxed (M-VAT-01). */
    vat?: string
    /** What the VAT rests on, as JSON text: country, rate and base. */
    vatDetails?: string
    /**
     * Has the VAT details with the VAT number of a business buyer, which may be a person's: sealed under the account.
     */
    sealedVatDetails?: SealedText
    hash: string
    payer: string
    webhookUrl: string | null
    test: boolean
    createdAt: string
    /** When it is given up if nothing was paid. */
    expiresAt?: string
    /** Keyed digest of the request that asked for it, when that is to be taken once. */
    request?: string
  }
  /** A payment of it was seen, perhaps another one than before. */
  TransactionPaymentSeen: { accountId: string } & TransactionPayment
  /** The payment is confirmed; the webhook fires (T-TXN-01). */
  TransactionCompleted: {
    accountId: string
    confirmedAt: string
    test: boolean
    /** All that came for it in the coin, in however many parts, as a decimal; of a card, in its currency. */
    received?: string
  } & TransactionPayment
  /**
   * The payment that had completed it is not in the chain any more: it waits for one again (N-62). No webhook goes out,
   * because the documents know none. `position`: the place in the ledger's order of the event that it answers.
   */
  TransactionReversed: {
    accountId: string
    reason: Reversal
    hash: string
    reversedAt: string
    position: string
    /** When it is given up if nobody pays it again. */
    expiresAt?: string
    test: boolean
  }
  /** Too little came, or nothing in time (T-TXN-02, Q-07). No webhook (W-NOT-01). */
  TransactionRejected: { accountId: string; reason: Rejection; test: boolean }
  /**
   * The seller says that it gave all of the money back; Daybook moves none (Q-30, J-TXN-06). Of a card the processor
   * has sent it.
   */
  RefundRecorded: { accountId: string; refundedAt: string; by: string } & RefundRecord
  /**
   * A part was given back at the card processor, or the seller says that it gave back a part of what came in a coin;
   * `refunded` is the sum so far, as a decimal of the currency or of the coin (N-68).
   */
  PartRefundRecorded: { accountId: string; refunded: string; refundedAt: string; by: string } & RefundRecord
  /** The seller says that this chain transaction gives the money back; it is looked for until it is confirmed. */
  RefundHashSubmitted: { accountId: string; hash: string; submittedAt: string; by: string }
  /**
   * That chain transaction turned out to give nothing back of this payment, or to give back another one; or nobody has
   * found it in time. It is looked for no longer.
   */
  RefundHashRefused: { accountId: string; hash: string; reason: HashRefusal }
  /** The chain shows that money went back to the payer. */
  RefundSent: {
    accountId: string
    transfer: TransferData
    decimals: number
    /** The sum of all transfers that were found, in the coin's smallest unit. */
    sent: Units
    /** Whether that is all of what is recorded as given back. */
    whole: boolean
    /** What this transfer is worth at the rate of the sale. */
    worth: RefundWorth
    /** The hash in the words of the seller who named it. */
    hash: string
    by: string
    sentAt: string
    /** How often it was taken back before; absent when it never was. */
    again?: number
  }
  /**
   * The block of a transfer that gave money back was replaced, and no other block has it: what it carried is recorded,
   * and not sent. It is looked for again.
   */
  RefundUnsent: {
    accountId: string
    transfer: TransferData
    decimals: number
    /** The sum of all transfers that are still there, in the coin's smallest unit. */
    sent: Units
    worth: RefundWorth
    hash: string
    reason: Reversal
    /** How often this transfer was taken back by now. */
    times: number
    unsentAt: string
  }
  /**
   * The payment itself, or a part of it, is not in the chain any more: what was recorded as given back, and was not
   * sent, is not owed as far as it did not come.
   */
  RefundVoided: {
    accountId: string
    /** What stays recorded, as a decimal of the coin; null when that is nothing. */
    refunded: string | null
    /** Whether that is all that came. */
    whole: boolean
    /** Whether all that stays recorded was sent. */
    sent: boolean
    /** `amount` is owed no longer, `total` stays, and `usd` is put back to the earnings; absent where no coin came. */
    coin?: RefundedCoin
    voidedAt: string
  }
  /**
   * A refund at the card processor failed, and the money came back. `refunded` is what stays refunded, as a decimal;
   * null when that is nothing.
   */
  RefundFailed: { accountId: string; refunded: string | null; failedAt: string }
  /** What was sold came back to its seller, who says so with a refund: its pieces are in stock again (N-97). */
  TransactionRestocked: {
    accountId: string
    resId: string | null
    requestId?: string
    by: string
    restockedAt: string
  }
  /** The card payer's bank wants the money back, or its dispute was decided. */
  DisputeRecorded: { accountId: string; disputeId: string; status: DisputeStatus; at: string }
  /** The merchant edited it by hand; values that would not change are left out (M-TXN-10). */
  TransactionEdited: { accountId: string; changes: Edits; by: string; editedAt?: string }
  /** An edit named keys that the merchant may not write; nothing was changed (M-TXN-11). */
  TransactionEditRefused: { accountId: string; keys: readonly string[]; by: string }
  /** The record is hidden from the merchant; what happened stays in the log (M-TXN-12, N-74). */
  TransactionDeleted: { accountId: string; by: string; deletedAt: string }
}

/** How a refund was recorded. Events of former releases say nothing of that. */
type RefundRecord = {
  /** The sum of refunds as a decimal, of the coin or of the currency. */
  refunded?: string
  /** Whether the money is known to be on its way; of a coin only its chain can tell (`RefundSent`). */
  sent?: boolean
  /** What was paid in a coin and is given back. */
  coin?: RefundedCoin
}

/** Why a named chain transaction is not the refund; `not-found`: its chain did not know it while it was looked for. */
export type HashRefusal = 'payment-not-matching' | 'transfer-taken' | 'state-forbids' | 'not-found'
export type DisputeStatus = 'open' | 'won' | 'lost'
export type Rejection = 'underpaid' | 'expired'

/** The payment as it was seen, with what the payer chose where the transaction did not have that yet. */
export type TransactionPayment = {
  hash: string
  payer: string
  challengeId?: string
  cryptocurrency?: string
  amount?: string
  amountFiat?: string
  currency?: string
}

type Origin = Pick<TransactionEvents['TransactionCreated'], 'payoutId' | 'requestId' | 'challengeId'>

/** The payout, request or challenge that it was made for: the same one again is the same transaction. */
export const originOf = ({ payoutId, requestId, challengeId }: Origin) => payoutId ?? requestId ?? challengeId
