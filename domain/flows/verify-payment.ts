import { coinOf } from '../assets.ts'
import type { Ledger } from '../ledger.ts'
import type { Transfer } from '../ports.ts'
import { refuse } from '../refusal.ts'
import { isClosed, type OpenSet } from '../sell/challenge.ts'
import { type ChallengeEntry, challengeParts } from '../sell/challenge-terms.ts'
import { isFor, leastOf, NOT_THIS } from '../sell/judge.ts'
import { holderOf, mayBeOf, receiveAddressId } from '../sell/receive-address.ts'
import { bookTransfer } from './book-transfer.ts'
import { answered, type Flow } from './flow.ts'
import { transferData } from './settle-payment.ts'

export type Verdict =
  | { outcome: 'settled'; test: boolean }
  | { outcome: 'pending'; confirmations: number; required: number }
  | { outcome: 'underpaid'; test: boolean }

/**
 * Looks up a posted transaction hash and books what it pays for a challenge (J-VER-01). A settled challenge stays settled whatever is
 * posted, and an underpaid one underpaid (N-25). `bySeller`: whoever posts it is the one who was paid, and knows for what. Refuses
 * `challenge-not-found`, `challenge-is-test`, `challenge-expired`, `payment-not-matching`, `transfer-taken`, `already-paid`.
 */
export const verifyPayment = async (
  flow: Flow,
  challengeId: string,
  hash: string,
  bySeller: boolean,
): Promise<Verdict> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await flow.ledger.challenge.read(setId)
  if (set.status === 'none') return refuse('challenge-not-found')
  const entry = set.entries.find((e) => e.asset === asset) ?? refuse('challenge-not-found')
  if (set.settled[asset] !== undefined) return { outcome: 'settled', test: set.test }
  if (set.underpaid[asset] !== undefined) return { outcome: 'underpaid', test: set.test }
  if (set.test) return refuse('challenge-is-test')
  const chain = flow.chains.get(entry.network) ?? refuse('unavailable', `${entry.network} is not connected`)

  const transfers = await answered(entry.network, chain.transfersOf(hash))
  if (transfers === undefined) {
    if (flow.world.now().toISOString() > set.expiresAt) return refuse('challenge-expired')
    return { outcome: 'pending', confirmations: 0, required: entry.confirmations }
  }
  const transfer = await choose(flow, challengeId, entry, transfers, bySeller)
  const { height } = await answered(entry.network, chain.head())
  const confirmations = Math.max(0, height - transfer.height + 1)
  return verdict(flow, set, challengeId, transfer, confirmations)
}

/** Too little is said at once, confirmed or not: more confirmations make it no more. */
const verdict = async (
  { ledger }: Flow,
  set: OpenSet,
  challengeId: string,
  transfer: Transfer,
  confirmations: number,
): Promise<Verdict> => {
  const booked = await bookTransfer(ledger, challengeId, transferData(transfer), confirmations)
  switch (booked.outcome) {
    case 'pending':
      return booked.isEnough ? booked : { outcome: 'underpaid', test: false }
    case 'late':
      return refuse('challenge-expired', 'the payment came after the challenge had expired')
    case 'doubled':
      return set.paymentRequest
        ? refuse('already-paid', 'what was asked for is paid already')
        : { outcome: 'settled', test: false }
    default:
      return { outcome: booked.outcome, test: false }
  }
}

/**
 * The transfer that pays: the exact amount if there is one, else one that pays enough, else the largest; but none whose amount another
 * open challenge asks for, because then it is that one's payment, whoever posts its hash. An amount that nobody was asked for may be
 * the mistake of any buyer of the address: unless this is the only one it could pay, only the seller says whose it is.
 */
const choose = async (
  { ledger }: Flow,
  challengeId: string,
  entry: ChallengeEntry,
  transfers: readonly Transfer[],
  bySeller: boolean,
): Promise<Transfer> => {
  const ours = transfers.filter((transfer) => isFor(entry, transfer))
  const asked = BigInt(entry.amount)
  const exact = ours.find((t) => t.amount === asked)
  // Nobody else was ever asked for a reserved amount; a price that had to stay without one may be another challenge's amount.
  if (exact && entry.match === 'amount') return exact
  const address = await ledger.receiveAddress.read(
    receiveAddressId({ network: entry.network, coin: coinOf(entry), to: entry.payTo }),
  )
  const free = ours
    .filter((t) => [undefined, challengeId].includes(holderOf(address, t.amount, t.minedAt)))
    .toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
  const enough = free.findLast((t) => t.amount >= asked) ?? free.find((t) => t.amount >= BigInt(leastOf(entry)))
  const exactly = free.find((t) => t.amount === asked)
  const chosen = exactly ?? enough ?? free[0] ?? refuse('payment-not-matching', NOT_THIS)
  if (
    chosen === enough &&
    chosen !== exactly &&
    !bySeller &&
    (await anyOpen(ledger, mayBeOf(address, challengeId, chosen.amount, chosen.minedAt)))
  )
    return refuse(
      'payment-not-matching',
      'the amount is not the one that was asked: the seller has to say what it pays',
    )
  return chosen
}

/** Challenges that are looked at before a payment is left to the seller. */
const OTHERS_MAX = 50

/** Whether one of these still waits for its payment; so many that nobody would look through them count as one that does. */
const anyOpen = async (ledger: Ledger, challengeIds: readonly string[]): Promise<boolean> => {
  if (challengeIds.length > OTHERS_MAX) return true
  for (const challengeId of challengeIds) {
    const parts = challengeParts(challengeId)
    const set = parts && (await ledger.challenge.recent(parts.setId))
    if (!parts || !set || set.status === 'none' || !isClosed(set, parts.asset)) return true
  }
  return false
}
