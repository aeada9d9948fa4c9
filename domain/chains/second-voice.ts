import { mulDivFloor } from '../kernel/money.ts'
import type { OpenSet } from '../selling/challenge-state.ts'
import { type ChallengeEntry, type TransferData, transferId } from '../selling/challenge-terms.ts'
import { paidBefore } from '../selling/judge.ts'

/**
 * When one provider's word is not enough for a payment on a chain (N-24). A provider that lies can invent a payment. So
 * above a sum a second provider has to say the same before a payment is booked; of smaller payments a sample is asked
 * for.
 */

/** A payment that is deep enough to be booked. */
export type PaymentAtStake = {
  readonly transfer: TransferData
  /** The value at stake, in millionths of a US dollar (`usdAtStake`). */
  readonly usd: bigint
  /** Confirmations that it needs. */
  readonly confirmations: number
}

/**
 * Tells how many providers say that a payment stands in its chain. Undefined while too few do, or while they contradict
 * each other: then the payment waits.
 */
export type VoiceCounter = (payment: PaymentAtStake) => number | undefined | Promise<number | undefined>

export type SecondVoice = {
  /** What is known without asking anybody: undefined where a second provider has to be asked first. */
  known(payment: PaymentAtStake): number | undefined
  /** Asks a second provider where it has to; never rejects. */
  heard(payment: PaymentAtStake): Promise<number | undefined>
}

/**
 * What would be lost if the payment were an invention, in millionths of a US dollar: the price, also when the payment
 * is only a part of it, or what came, where that is more. Parts count as the whole, because otherwise a large sum could
 * be invented in small parts.
 */
export const usdAtStake = (set: OpenSet, entry: ChallengeEntry, transfer: TransferData): bigint => {
  const paid = paidBefore(set, entry.asset, transferId(transfer)) + BigInt(transfer.amount)
  const [price, asked] = [BigInt(set.usd), BigInt(entry.amount)]
  return paid > asked && asked > 0n ? mulDivFloor(price, paid, asked) : price
}
