import type { Units } from '../../kernel/money.ts'
import type { Booking, Reversal } from '../challenge-events.ts'
import type { TransferData } from '../challenge-terms.ts'
import type { LockedWorth } from '../sale-rate.ts'

/** What happens to one movement of coins on a chain. */

export type TransferEvents = {
  /** This transfer is a payment of this challenge, and of no other. */
  TransferClaimed: { accountId: string; challengeId: string; asset: string; transfer: TransferData } & Booking & {
      /** The key of the seller who said so, where the chain alone did not. */
      by?: string
    }
  /** Money that came to the seller and settles nothing (N-24). */
  TransferSetAside: UnappliedTransfer & {
    reason: AsideReason
    /** Its money is in the books already, from when it was set aside before. */
    inBooks?: true
    /** Its seller had matched it, so that it was set aside before, whatever for. */
    matched?: true
    /** The account for which it was set aside then, where that was another one. */
    holder?: string
    /** It was returned before its block was replaced, and a chain has shown that it was. */
    returned?: true
  }
  /**
   * The transfer is not in the chain any more: it pays nothing now, and is not set aside either. In another block it is
   * taken anew (N-24).
   */
  TransferReversed: {
    accountId: string
    /** The challenge that it paid or was set aside for; null where there was none. */
    challengeId: string | null
    asset: string
    transfer: TransferData
    reason: Reversal
    /** How often it was taken back by now. */
    times: number
    /** Set when it had been set aside, so that it had settled nothing. */
    aside?: true
    /** Set when its money was in the books although it was set aside. */
    inBooks?: true
    /** What was recorded as returned of it and no chain has shown: it is owed no longer. */
    returned?: Units
  }
  /** The very block that it was taken back with is in the chain again. */
  TransferRestored: { accountId: string; transfer: TransferData; times: number }
} & HandEvents

/** What the seller does with money that was set aside, beside matching it (N-102). */
type HandEvents = {
  /** The seller leaves it as it is: it stays in suspense, and asks for no hand. */
  TransferIgnored: { accountId: string; reason: IgnoreReason; by: string; ignoredAt: string }
  /** It asks for a hand again: what was said of it is taken back. */
  TransferReopened: {
    accountId: string
    reason: AsideReason
    transfer: TransferData
    /** What had been recorded as returned, and is in suspense again. */
    returned?: Units
    by: string
    reopenedAt: string
  }
  /** The seller says that it sent the money back, or a part of it; what is left stays in suspense. */
  TransferReturnRecorded: {
    accountId: string
    transfer: TransferData
    amount: Units
    /** Its money is in the books already. */
    inBooks?: true
    by: string
    returnedAt: string
  }
  /** The seller says that this chain transaction sends it back; it is looked for until it is confirmed. */
  TransferReturnHashSubmitted: { accountId: string; hash: string; by: string; submittedAt: string }
  /** That chain transaction sends nothing back of it, or nobody has found it in time. */
  TransferReturnHashRefused: { accountId: string; hash: string; reason: ReturnHashRefusal }
  /** The chain shows that money went back to who had sent it. */
  TransferReturnSent: {
    accountId: string
    transfer: TransferData
    /** The transfer that sends it back. */
    back: TransferData
    /** What had been recorded as returned; what `back` carries counts from now on. */
    recorded: Units
    /** The hash in the words of the seller. */
    hash: string
    sentAt: string
    /** How often `back` was taken back before; absent when it never was. */
    again?: number
  }
  /** The block of `back` was replaced, and no other has it: its money is recorded as returned, and not sent. */
  TransferReturnUnsent: {
    accountId: string
    transfer: TransferData
    back: TransferData
    hash: string
    reason: Reversal
    /** How often `back` was taken back by now. */
    times: number
    /** The payment itself is not in its chain either, so that nothing is owed. */
    voided?: true
    unsentAt: string
  }
}

/** What is known of money that settles nothing. */
type UnappliedTransfer = {
  accountId: string
  /** absent: 1, the default store */
  storeId?: number
  /** The challenge that it was meant for, where that is known. */
  challengeId: string | null
  asset: string
  /** Digits after the point of the coin, where they are known. */
  decimals?: number
  transfer: TransferData
  /** What was sold by that challenge, and for how much in millionths of the currency. */
  resId?: string | null
  transactionId?: string
  amount?: Units
  currency?: string
  /** What was asked for it in the coin, and the price in millionths of a US dollar. */
  asked?: Units
  usd?: Units
  /** Challenges that it may have been meant for, at most CANDIDATES_MAX. */
  candidates?: readonly string[]
} & LockedWorth

/** The most challenges that a set-aside transfer names. */
export const CANDIDATES_MAX = 10

/**
 * `late`: mined after the challenge had expired. `doubled`: the challenge was paid already. `sold_out`: there was no
 * piece left of what it pays for (N-98). `unmatched`: nobody asked for this amount.
 */
export type AsideReason = (typeof ASIDE_REASONS)[number]
export const ASIDE_REASONS = ['late', 'doubled', 'sold_out', 'unmatched'] as const

/**
 * Why a seller leaves money as it is. `own`: the seller's own coins, moved. `small`: too little to be worth a hand.
 * `settled-otherwise`: the buyer and the seller agreed on something else. `spam`: sent to be seen. `other`: none of
 * these.
 */
export const IGNORE_REASONS = ['own', 'small', 'settled-otherwise', 'spam', 'other'] as const
export type IgnoreReason = (typeof IGNORE_REASONS)[number]

/** Why a named chain transaction is not the return; `not-found`: nobody found it while it was looked for. */
export type ReturnHashRefusal = 'payment-not-matching' | 'transfer-taken' | 'state-forbids' | 'not-found'
