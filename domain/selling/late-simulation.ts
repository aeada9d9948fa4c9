import { refuse } from '../kernel/refusal.ts'
import type { ChallengeEvents, ChallengeRef } from './challenge-events.ts'
import { type ChallengeState, isClosed, type OpenSet } from './challenge-state.ts'
import { askedOf, type ChallengeEntry, madeUp } from './challenge-terms.ts'

/** A test challenge whose time is ended by hand, and whose payment comes afterwards. No money moves. */

/** One for each asset; the same said again is nothing new. `tx` is the hash of the payment. */
export const lateSimulation = (set: OpenSet, entry: ChallengeEntry, place: ChallengeRef, tx: string, now: string) => {
  const { test, amount, currency, expiresAt, late } = set
  if (!test) return refuse('challenge-is-live', 'this challenge is paid with money: nothing can be simulated')
  if (isClosed(set, place.asset))
    return refuse('challenge-closed', 'this challenge was paid, and takes no payment any more')
  if (late?.[place.asset] !== undefined) return []
  const came = { ...place, transfer: madeUp(entry, tx, entry.amount, now), ...askedOf(entry) }
  const endedAt = expiresAt < now ? expiresAt : now
  return [{ type: 'LatePaymentSimulated', data: { ...came, amount, currency, endedAt } } as const]
}

export const endedEarly = (
  state: ChallengeState,
  { asset, transfer, endedAt }: ChallengeEvents['LatePaymentSimulated'],
): ChallengeState =>
  state.status === 'none' ? state : { ...state, expiresAt: endedAt, late: { ...state.late, [asset]: transfer.tx } }
