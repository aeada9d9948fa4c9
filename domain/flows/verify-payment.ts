import { assetOf } from '../assets.ts'
import type { Transfer } from '../ports.ts'
import { Refusal, refuse } from '../refusal.ts'
import { type ChallengeEntry, challengeParts } from '../sell/challenge.ts'
import { holderOf } from '../sell/receive-address.ts'
import { answered, type Flow } from './flow.ts'
import { settlePayment, transferData } from './settle-payment.ts'

export type Verdict =
  | { outcome: 'settled' }
  | { outcome: 'pending'; confirmations: number; required: number }
  | { outcome: 'underpaid' }

/**
 * Looks up a posted transaction hash and settles the challenge it pays (J-VER-01). A settled challenge stays settled whatever is posted
 * . Refuses `challenge-not-found`, `challenge-is-test`, `challenge-expired`, `payment-not-matching`, `transfer-taken`.
 */
export const verifyPayment = async (flow: Flow, challengeId: string, hash: string): Promise<Verdict> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await flow.ledger.challenge.read(setId)
  if (set.status === 'none') return refuse('challenge-not-found')
  const entry = set.entries.find((e) => e.asset === asset) ?? refuse('challenge-not-found')
  if (set.settled[asset] !== undefined) return { outcome: 'settled' }
  if (set.test) return refuse('challenge-is-test')
  const chain = flow.chains.get(entry.network) ?? refuse('unavailable', `${entry.network} is not connected`)

  const transfers = await answered(entry.network, chain.transfersOf(hash))
  if (transfers === undefined) {
    if (flow.world.now().toISOString() > set.expiresAt) return refuse('challenge-expired')
    return { outcome: 'pending', confirmations: 0, required: entry.confirmations }
  }
  const transfer = await choose(flow, challengeId, entry, transfers)
  if (transfer === 'too-low') return { outcome: 'underpaid' }
  const { height } = await answered(entry.network, chain.head())
  const confirmations = Math.max(0, height - transfer.height + 1)
  if (confirmations < entry.confirmations) {
    await flow.ledger.challenge.detect(setId, { challengeId, asset, transfer: transferData(transfer), confirmations })
    return { outcome: 'pending', confirmations, required: entry.confirmations }
  }
  await settlePayment(flow.ledger, challengeId, transferData(transfer))
  return { outcome: 'settled' }
}

/** The transfer that pays: the exact amount if there is one, else a larger one that no other open challenge asks for. */
const choose = async (
  { ledger, world }: Flow,
  challengeId: string,
  entry: ChallengeEntry,
  transfers: readonly Transfer[],
): Promise<Transfer | 'too-low'> => {
  const ours = transfers.filter(
    (t) => t.asset === entry.asset && t.to === entry.payTo && t.height > entry.heightAtIssue,
  )
  const asked = BigInt(entry.amount)
  const exact = ours.find((t) => t.amount === asked)
  // Nobody else was ever asked for a reserved amount; a price that had to stay without one may be another challenge's amount.
  if (exact && entry.match === 'amount') return exact
  const slots = await ledger.receiveAddress.read(`${entry.network}:${assetOf(entry.asset)?.code}:${entry.payTo}`)
  const now = world.now().toISOString()
  const unclaimed = ours.filter((t) => [undefined, challengeId].includes(holderOf(slots, t.amount, now)))
  const enough = unclaimed.find((t) => t.amount === asked) ?? unclaimed.find((t) => t.amount > asked)
  if (enough) return enough
  if (unclaimed.length > 0) return 'too-low'
  throw new Refusal('payment-not-matching', 'the transaction does not pay this challenge')
}
