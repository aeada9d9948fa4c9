import { toUnits } from '../../../kernel/money.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { type ChallengeEntry, challengeParts, coinFacts } from '../../../selling/challenge-terms.ts'
import type { UseCaseContext } from '../../context.ts'
import { requestedSet } from './requested-set.ts'

export type SimulationResult = {
  outcome: 'settled' | 'underpaid' | 'pending'
  confirmations: number
  required: number
  hash: string
}

/**
 * Simulates a payment of a test challenge, with so many confirmations more; enough of them settle it, or leave it
 * underpaid (J-SIM-01, J-SIM-02). `amount` is a decimal of the coin; it is what was asked unless given. The hash is
 * made from the challenge and the amount, so that calls which say the same speak of one payment. Refuses
 * `challenge-not-found`, `challenge-is-live`, `challenge-closed`, `challenge-expired`.
 */
export const simulatePayment = async (
  { ledger, world }: UseCaseContext,
  challengeId: string,
  { confirmations: added, amount }: { confirmations: number; amount?: string | undefined },
): Promise<SimulationResult> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await ledger.challenge.recent(setId)
  const entry = set.status === 'none' ? undefined : set.entries.find((each) => each.asset === asset)
  if (!entry) return refuse('challenge-not-found')
  if (set.status !== 'none' && world.now().toISOString() > (await requestedSet(ledger, set)).expiresAt)
    return refuse('challenge-expired', 'this challenge has expired')
  const paid = amount === undefined ? {} : { amount: unitsOf(amount, entry) }
  const hash = world.idFrom('test', 'simulated-payment', challengeId, paid.amount ?? '')
  const { events } = await ledger.challenge.simulate(setId, { challengeId, asset, added, tx: hash, ...paid })
  const { confirmations, required } =
    events.flatMap((e) => (e.type === 'PaymentSimulated' ? [e.data] : []))[0] ?? refuse('internal')
  const last = events.at(-1)?.type
  const outcome = last === 'ChallengeSettled' ? 'settled' : last === 'ChallengeUnderpaid' ? 'underpaid' : 'pending'
  return { outcome, confirmations, required, hash }
}

const unitsOf = (amount: string, entry: ChallengeEntry): string => {
  const { decimals } = coinFacts(entry)
  if ((amount.split('.')[1] ?? '').length > decimals)
    return refuse('invalid-request', `${entry.asset} has at most ${decimals} places after the point`)
  const units = toUnits(amount, decimals)
  return units > 0n ? String(units) : refuse('amount-not-positive', 'nothing is no payment')
}
