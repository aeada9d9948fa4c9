import { looksLikeHash } from '../../../kernel/networks.ts'
import type { Chain } from '../../../kernel/ports.ts'
import { isFinal, refuse } from '../../../kernel/refusal.ts'
import { isClosed, paidSoFar } from '../../../selling/challenge-state.ts'
import { coinFacts, type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import { isFor, leastOf, NOT_THIS } from '../../../selling/judge.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { connectedChain, mustAnswer, type UseCaseContext } from '../../context.ts'
import { type AttributionResult, attributeTransfer } from './attribute-transfer.ts'
import { type AskedChallenge, challengeOf } from './challenge-of.ts'
import { matchTransfer } from './match-transfer.ts'
import { restToPay } from './reserve-rest.ts'
import { transferData } from './settle-payment.ts'

/** The verdict on a posted hash. Amounts are in the smallest unit of the coin, which has so many `decimals`. */
export type HashVerdict =
  | { readonly outcome: 'settled'; readonly test: boolean }
  | { readonly outcome: 'pending'; readonly confirmations: number; readonly required: number }
  | ({ readonly outcome: 'underpaid'; readonly test: boolean } & Shortfall)

/** What was paid of a price, and what is still missing of it. */
type Shortfall = {
  readonly paid: bigint
  readonly asked: bigint
  readonly missing: bigint
  readonly decimals: number
}

/**
 * Looks at the transaction of a posted hash and says what it does for a challenge (J-VER-01). The hash makes the
 * service look and claims nothing: `attributeTransfer` tells what the transfers in it pay, as it would without the hash
 * . `matchedBy` is the key of the seller who was paid, if that key posts the hash: a transfer that is nobody's is
 * then taken for this challenge. Refuses `challenge-not-found`, `challenge-is-test`, `challenge-expired`,
 * `payment-not-matching`, `transfer-taken`, `already-paid`, `invalid-request`.
 */
export const verifyPayment = async (
  flow: UseCaseContext,
  challengeId: string,
  hash: string,
  matchedBy?: string,
): Promise<HashVerdict> => {
  const challenge = await knownChallenge(flow.ledger, challengeId)
  const { set, entry } = challenge
  if (set.test) return verdictOfTest(flow.ledger, challenge)
  if (bookedTxs(challenge).includes(hash.toLowerCase())) return bookedVerdict(flow.ledger, challenge)
  if (!looksLikeHash(entry.network, hash))
    return refuse('invalid-request', `hash: has to be a transaction hash of ${entry.chain}`)
  const chain = connectedChain(flow.chains, entry.network)
  const found = await mustAnswer(entry.network, chain.transfersOf(hash))
  if (found === undefined) return unknownTo(flow, challenge)
  const ours = found.map(transferData).filter((transfer) => isFor(entry, transfer))
  if (ours.length === 0)
    return isClosed(set, entry.asset) ? paidByAnother(challenge) : refuse('payment-not-matching', NOT_THIS)
  return looked(flow, chain, challenge, ours, matchedBy)
}

const knownChallenge = async (ledger: Ledger, challengeId: string): Promise<AskedChallenge> =>
  (await challengeOf(ledger, challengeId)) ?? refuse('challenge-not-found')

/** The verdict on a test. Simulated payments alone settle it; a hash only tells how far they are. */
const verdictOfTest = async (ledger: Ledger, { challengeId, set, entry }: AskedChallenge): Promise<HashVerdict> => {
  if (isClosed(set, entry.asset)) return { outcome: 'settled', test: true }
  if (!set.parts[entry.asset]) return refuse('challenge-is-test')
  return { outcome: 'underpaid', test: true, ...(await shortfallOf(ledger, { challengeId, set, entry })) }
}

/** The verdict when the chain has no such transaction, or not yet. */
const unknownTo = ({ world }: UseCaseContext, challenge: AskedChallenge): HashVerdict => {
  const { set, entry } = challenge
  if (isClosed(set, entry.asset)) return paidByAnother(challenge)
  if (world.now().toISOString() > set.expiresAt) return refuse('challenge-expired')
  return { outcome: 'pending', confirmations: 0, required: entry.confirmations }
}

const paidByAnother = ({ set, entry }: AskedChallenge): never =>
  refuse('already-paid', `this challenge was paid by another transaction: ${txIn(set.settled[entry.asset] ?? '')}`)

/** Books what the transfers pay, and answers for the one that is best for this challenge. */
const looked = async (
  flow: UseCaseContext,
  chain: Chain,
  challenge: AskedChallenge,
  transfers: readonly TransferData[],
  matchedBy: string | undefined,
): Promise<HashVerdict> => {
  const { height: head } = await mustAnswer(challenge.entry.network, chain.head())
  const verdicts: HashVerdict[] = []
  let refusal: unknown
  for (const transfer of transfers)
    try {
      verdicts.push(await lookedAt(flow, challenge, transfer, head, matchedBy))
    } catch (error) {
      if (!isFinal(error)) throw error
      refusal = error
    }
  const best = ORDER.flatMap((outcome) => verdicts.find((verdict) => verdict.outcome === outcome) ?? [])[0]
  if (best) return best
  throw refusal
}

const ORDER = ['settled', 'pending', 'underpaid'] as const

const lookedAt = async (
  flow: UseCaseContext,
  { challengeId, entry }: AskedChallenge,
  found: TransferData,
  head: number,
  matchedBy: string | undefined,
): Promise<HashVerdict> => {
  const { ledger, secondVoice } = flow
  const attributed = await attributeTransfer(ledger, found, secondVoice.heard, head)
  const { transfer } = attributed
  const challenge = await knownChallenge(ledger, challengeId)
  if (isBookedOn(challenge, transfer)) return bookedVerdict(ledger, challenge)
  if (attributed.outcome !== 'unmatched' && attributed.challengeId === challengeId)
    return ownVerdict(ledger, challenge, transfer, attributed)
  if (attributed.outcome !== 'unmatched') return refuse('transfer-taken', 'this transaction pays something else')
  if (isClosed(challenge.set, entry.asset)) return paidByAnother(challenge)
  if (matchedBy !== undefined) {
    // With too few confirmations the transfer could still be gone after the seller has said what it pays: the seller is
    // told to say it again, because nothing else remembers it.
    const confirmations = head - transfer.height + 1
    if (confirmations < entry.confirmations)
      return { outcome: 'pending', confirmations: Math.max(0, confirmations), required: entry.confirmations }
    const match = { accountId: challenge.set.accountId, transferId: transferId(transfer), challengeId, by: matchedBy }
    await matchTransfer(flow, match)
    return bookedVerdict(ledger, await knownChallenge(ledger, challengeId))
  }
  const paid = paidSoFar(challenge.set, entry.asset) + BigInt(transfer.amount)
  if (paid >= BigInt(leastOf(entry)))
    return refuse(
      'payment-not-matching',
      'The amount is not the one that was asked. Ask the seller to say what it pays.',
    )
  const { asked, decimals } = await shortfallOf(ledger, challenge)
  return { outcome: 'underpaid', test: false, paid, asked, missing: asked - paid, decimals }
}

/** Whether a transfer is the payment of this challenge, or a part of it. */
const isBookedOn = ({ set, entry: { asset } }: AskedChallenge, transfer: TransferData): boolean =>
  set.settled[asset] === transferId(transfer) || (set.parts[asset] ?? []).some(({ id }) => id === transferId(transfer))

const bookedVerdict = async (ledger: Ledger, challenge: AskedChallenge): Promise<HashVerdict> =>
  isClosed(challenge.set, challenge.entry.asset)
    ? { outcome: 'settled', test: false }
    : { outcome: 'underpaid', test: false, ...(await shortfallOf(ledger, challenge)) }

/**
 * The verdict on a transfer that is meant for this challenge. A shortfall is told at once: more confirmations do not
 * make it smaller.
 */
const ownVerdict = async (
  ledger: Ledger,
  challenge: AskedChallenge,
  transfer: TransferData,
  booked: Extract<AttributionResult, { readonly challengeId: string }>,
): Promise<HashVerdict> => {
  switch (booked.outcome) {
    case 'pending':
      if (booked.isEnough) return { outcome: 'pending', confirmations: booked.confirmations, required: booked.required }
      return { outcome: 'underpaid', test: false, ...(await shortfallOf(ledger, challenge, BigInt(transfer.amount))) }
    case 'late':
      return refuse('challenge-expired', 'the payment came after the challenge had expired')
    case 'sold_out':
      return refuse('out-of-stock', SOLD_OUT)
    case 'doubled':
      return isClosed(challenge.set, challenge.entry.asset)
        ? refuse(
            'already-paid',
            `this was paid by another transaction, ${txIn(challenge.set.settled[challenge.entry.asset] ?? '')}; this one is recorded as doubled`,
          )
        : refuse('already-paid', 'what was asked for is paid already; this transaction is recorded as doubled')
    default:
      return bookedVerdict(ledger, challenge)
  }
}

const SOLD_OUT =
  'This payment came when there was no piece left. It is recorded as sold_out: ask the seller to give it back, or to sell another piece for it.'

/** What is paid of a challenge's price, and what is missing. `further` came too, and is not booked yet. */
const shortfallOf = async (ledger: Ledger, challenge: AskedChallenge, further = 0n): Promise<Shortfall> => {
  const { challengeId, set, entry } = challenge
  const asked = BigInt(entry.amount)
  const paid = paidSoFar(set, entry.asset) + further
  const missing = further === 0n ? await restToPay(ledger, set, challengeId) : asked - paid
  return { paid, asked, missing, decimals: coinFacts(entry).decimals }
}

/** The transactions that paid this challenge, or a part of it. */
const bookedTxs = ({ set, entry: { asset } }: AskedChallenge): readonly string[] =>
  [set.settled[asset] ?? '', ...(set.parts[asset] ?? []).map(({ id }) => id)].map((id) => txIn(id).toLowerCase())

/** The transaction in a transfer's id: that of `eth:0xabc…:native` is 0xabc… */
const txIn = (id: string): string => id.split(':')[1] ?? ''
