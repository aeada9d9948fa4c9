import type { SealedText } from '../../kernel/ports.ts'
import type { Reversal } from '../challenge-events.ts'
import type { Edits } from './transaction-edits.ts'

/** What can happen to the record of a payment that a merchant sees (M-REC-01). */

export type TransactionEvents = {
  /**
   * A payment of a resource was seen for the first time, or was asked for by a request; or a payout of the seller's was
   * noted.
   */
  TransactionCreated: {
    accountId: string
    /** Null until a payer has chosen a coin; of what was paid by card its card payment (`cp_…`). */
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
     * `x402.ch_….usdc_base` of what is sold elsewhere; a request's is the merchant's own.
     */
    externalReference: string
    type: 'resource' | 'payment-request' | 'x402' | 'payout'
    title: string
    description?: string
    /**
     * In the place of the description where it tells of a person, as what a buyer answers does: sealed under the
     * account (S-FLD-04).
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
     * In the place of it where it names the number of a buyer who is a business, which may be a person's: sealed under
     * the account.
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
  TransactionCompleted: { accountId: string; confirmedAt: string; test: boolean } & TransactionPayment
  /**
   * The payment that had completed it is not in the chain any more: it waits for one again (N-62). No webhook, because
   * the documents know none. `position`: the place in the ledger's order of what it answers.
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
  /** The seller says that it gave the money back; Daybook moves none (Q-30, J-TXN-06). */
  RefundRecorded: { accountId: string; refundedAt: string; by: string }
  /**
   * A part was given back at the card processor; `refunded` is all that was until then, as a decimal of its currency
   * (N-68).
   */
  PartRefundRecorded: { accountId: string; refunded: string; refundedAt: string; by: string }
  /**
   * What was given back at the card processor came back there: of `refunded`, as a decimal, that is not so; null when
   * of nothing.
   */
  RefundFailed: { accountId: string; refunded: string | null; failedAt: string }
  /** The bank of whoever paid by card wants the money back, or what was decided of that. */
  DisputeRecorded: { accountId: string; disputeId: string; status: DisputeStatus; at: string }
  /** The merchant wrote on it by hand; what would not change is not among the changes (M-TXN-10). */
  TransactionEdited: { accountId: string; changes: Edits; by: string }
  /** Some of what was to be written is not the merchant's to write; nothing was changed (M-TXN-11). */
  TransactionEditRefused: { accountId: string; keys: readonly string[]; by: string }
  /** Hidden from the merchant; what happened stays in the log (M-TXN-12, N-74). */
  TransactionDeleted: { accountId: string; by: string; deletedAt: string }
}
export type DisputeStatus = 'open' | 'won' | 'lost'
export type Rejection = 'underpaid' | 'expired'

/** The payment as it was seen; what the payer chose stands with it when the transaction did not know. */
export type TransactionPayment = {
  hash: string
  payer: string
  challengeId?: string
  cryptocurrency?: string
  amount?: string
  amountFiat?: string
  currency?: string
}
