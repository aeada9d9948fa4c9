import { FIAT_DECIMALS, mulDivFloor, RATE_DECIMALS, toUnits } from '../../../kernel/money.ts'
import { type ChallengeEntry, challengeParts, coinFacts } from '../../../selling/challenge-terms.ts'
import type { EventData } from '../../../write-side/deciders.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

/** A payment as the ledger booked it: the whole price, or a part of it. */
export type BookedPayment = EventData<'ChallengeSettled'> | EventData<'ChallengeUnderpaid'>

/** A booked payment, or one that was taken back, which is worth as much as is missing without it. */
export type WorthyPayment = BookedPayment | EventData<'PaymentReversed'>

/**
 * Millionths of a US dollar that one payment is worth, at the rate that its challenge had locked (A-TOP-03, I-CRD-02).
 * The amount that is asked for in coin may be a little more than the price, so that payments can be told apart: all of
 * it, in however many parts, is worth the price, and less of it is never worth more.
 */
export const worthOfPayment = async (ledger: Ledger, payment: WorthyPayment): Promise<bigint> => {
  const { challengeId, asset, transfer, asked, usd } = payment
  const after = BigInt(payment.paid ?? transfer.amount)
  const before = after - BigInt(transfer.amount)
  const set = await ledger.challenge.recent(challengeParts(challengeId)?.setId ?? '')
  const entry = set.status === 'none' ? undefined : set.entries.find((each) => each.asset === asset)
  const price = { usd: BigInt(usd), asked: BigInt(asked ?? transfer.amount) }
  return worthOf(price, entry, after) - worthOf(price, entry, before)
}

const worthOf = (price: { usd: bigint; asked: bigint }, entry: ChallengeEntry | undefined, units: bigint): bigint => {
  if (units === price.asked) return price.usd
  if (!entry) return mulDivFloor(price.usd, units, price.asked)
  const scale = 10n ** BigInt(RATE_DECIMALS - FIAT_DECIMALS + coinFacts(entry).decimals)
  const worth = mulDivFloor(units, toUnits(entry.rate, RATE_DECIMALS), scale)
  const isLess = units < price.asked
  return worth < price.usd === isLess ? worth : price.usd
}
