import { assetOf } from '../../../kernel/assets.ts'
import { isRefusal } from '../../../kernel/refusal.ts'
import { hoursAfter } from '../../../selling/address-memory.ts'
import { isClosed, type OpenSet, paidSoFar } from '../../../selling/challenge-state.ts'
import { type ChallengeEntry, coinFacts } from '../../../selling/challenge-terms.ts'
import { unitOf } from '../../../selling/free-amount.ts'
import { restOf } from '../../../selling/receive-address.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { HOLD_HOURS } from '../challenges/open-challenge.ts'
import { amountsAt, entryOf } from './challenge-of.ts'

/**
 * Reserves an amount of its own on the address for the rest of a price that was paid in part, so that the rest is told
 * apart like any payment (N-24, Q-55). Where no amount is free, the rest is taken as an odd payment. It is quiet when
 * repeated.
 */
export const reserveRest = async (ledger: Ledger, set: OpenSet, challengeId: string): Promise<void> => {
  const entry = entryOf(set, challengeId)
  if (entry?.match !== 'amount' || isClosed(set, entry.asset) || set.test) return
  const missing = BigInt(entry.amount) - paidSoFar(set, entry.asset)
  if (missing <= 0n) return
  const { accountId, expiresAt: endsAt } = set
  try {
    await ledger.receiveAddress.reserveRest(amountsAt(entry), {
      challengeId,
      accountId,
      missing: String(missing),
      ...roomFor(entry),
      endsAt,
      heldUntil: hoursAfter(endsAt, HOLD_HOURS),
    })
  } catch (error) {
    if (!isRefusal(error, 'no-free-amount')) throw error
  }
}

/**
 * What is still to be paid for a challenge that was paid in part, in the smallest unit: the amount that is kept for it,
 * else what is missing.
 */
export const restToPay = async (ledger: Ledger, set: OpenSet, challengeId: string): Promise<bigint> => {
  const entry = entryOf(set, challengeId)
  if (!entry) return 0n
  const missing = BigInt(entry.amount) - paidSoFar(set, entry.asset)
  if (entry.match !== 'amount' || missing <= 0n) return missing > 0n ? missing : 0n
  const kept = restOf(await ledger.receiveAddress.recent(amountsAt(entry)), challengeId)
  return kept !== undefined && BigInt(kept) >= missing ? BigInt(kept) : missing
}

/** The steps by which an amount of a coin may be moved to tell it apart. */
const roomFor = (entry: ChallengeEntry): ReturnType<typeof unitOf> => {
  const { decimals } = coinFacts(entry)
  const { displayDecimals = assetOf(entry.asset)?.displayDecimals ?? decimals } = entry
  return unitOf({ decimals, displayDecimals }, entry.rate)
}
