import { toUnits } from '../../../kernel/money.ts'
import { refuse } from '../../../kernel/refusal.ts'
import type { OpenSet } from '../../../selling/challenge-state.ts'
import { type ChallengeEntry, challengeParts, coinFacts, madeUp } from '../../../selling/challenge-terms.ts'
import { isEnough } from '../../../selling/judge.ts'
import { statusAt } from '../../../selling/payment-request.ts'
import type { UseCaseContext } from '../../context.ts'
import { keepPieces } from '../stock/lend-pieces.ts'
import { paysRequest } from './pays-request.ts'
import { requestedSet } from './requested-set.ts'

export type SimulationResult = {
  outcome: 'settled' | 'underpaid' | 'pending'
  confirmations: number
  required: number
  hash: string
}

type Simulated = {
  readonly confirmations: number
  readonly amount?: string | undefined
  /** Tells payments of one amount apart. */
  readonly payment?: string | undefined
}

/**
 * Simulates a payment of a test challenge, with so many confirmations more; enough of them settle it, or leave it
 * underpaid (J-SIM-01, J-SIM-02). `amount` is a decimal of the coin; it is what was asked unless given. The hash is
 * made from the challenge, the amount and the `payment` that is named, so that calls which say the same speak of one
 * payment. Refuses
 * `challenge-not-found`, `challenge-is-live`, `challenge-closed`, `challenge-expired`.
 */
export const simulatePayment = async (
  flow: UseCaseContext,
  challengeId: string,
  { confirmations: added, amount, payment }: Simulated,
): Promise<SimulationResult> => {
  const { ledger, world } = flow
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await ledger.challenge.recent(setId)
  if (set.status === 'none') return refuse('challenge-not-found')
  const entry = set.entries.find((each) => each.asset === asset) ?? refuse('challenge-not-found')
  if (world.now().toISOString() > (await requestedSet(ledger, set)).expiresAt)
    return refuse('challenge-expired', 'this challenge has expired')
  if (set.test) await mustTakePayment(flow, set, challengeId)
  const paid = amount === undefined ? {} : { amount: unitsOf(amount, entry) }
  const hash = world.idFrom('test', 'simulated-payment', challengeId, paid.amount ?? '', ...(payment ? [payment] : []))
  // A test is settled by the very call, so that its pieces are decided before; less than the price sells none.
  const isWhole =
    set.test && isEnough(set, entry, madeUp(entry, hash, paid.amount ?? entry.amount, world.now().toISOString()))
  if (isWhole) await keepPieces(ledger, { ...set, paymentId: challengeId, setId })
  const { events } = await ledger.challenge.simulate(setId, { challengeId, asset, added, tx: hash, ...paid })
  const { confirmations, required } =
    events.flatMap((e) => (e.type === 'PaymentSimulated' ? [e.data] : []))[0] ?? refuse('internal')
  const last = events.at(-1)?.type
  const outcome = last === 'ChallengeSettled' ? 'settled' : last === 'ChallengeUnderpaid' ? 'underpaid' : 'pending'
  if (outcome === 'settled') await paysRequest(ledger, set, challengeId)
  return { outcome, confirmations, required, hash }
}

/**
 * Ends the time of a test challenge, and simulates that its payment comes afterwards, which settles nothing. Refuses
 * `challenge-not-found`, `challenge-is-live`, `challenge-closed`.
 */
export const simulateLatePayment = async (
  { ledger, world }: UseCaseContext,
  challengeId: string,
): Promise<{ hash: string; required: number }> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const tx = world.idFrom('test', 'late-payment', challengeId)
  const { state } = await ledger.challenge.simulateLate(setId, { challengeId, asset, tx })
  const entries = state.status === 'none' ? [] : state.entries
  return { hash: tx, required: entries.find((each) => each.asset === asset)?.confirmations ?? 0 }
}

/** Refuses when the payment request that the challenge is for takes no payment any more (J-PRQ-03). */
const mustTakePayment = async (
  { ledger, world }: UseCaseContext,
  { paymentRequest }: OpenSet,
  challengeId: string,
): Promise<void> => {
  const request = paymentRequest && (await ledger.paymentRequest.read(paymentRequest.requestId))
  if (!request || request.status === 'none') return
  if (request.paidBy !== undefined && request.paidBy !== challengeId)
    refuse('challenge-closed', 'this request was paid by another challenge')
  if (statusAt(request, world.now().toISOString()) === 'expired')
    refuse('challenge-expired', 'this request has expired')
}

const unitsOf = (amount: string, entry: ChallengeEntry): string => {
  const { decimals } = coinFacts(entry)
  if ((amount.split('.')[1] ?? '').length > decimals)
    return refuse(
      'invalid-request',
      `amount: has to have at most ${decimals} places after the point, as ${entry.asset} does`,
    )
  const units = toUnits(amount, decimals)
  return units > 0n ? String(units) : refuse('amount-not-positive', 'nothing is no payment')
}
