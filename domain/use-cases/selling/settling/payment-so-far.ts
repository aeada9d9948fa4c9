import { isClosed, type OpenSet, paidSoFar, seenSoFar } from '../../../selling/challenge-state.ts'
import { coinFacts } from '../../../selling/challenge-terms.ts'
import { leastOf, paidBefore } from '../../../selling/judge.ts'
import type { Transaction } from '../../../selling/transactions/transaction.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { type AskedChallenge, challengeOf } from './challenge-of.ts'
import { restToPay } from './reserve-rest.ts'

/** Money that came to an address and pays nothing yet; `candidates` are the challenges that it may be meant for. */
export type UnmatchedPayment = {
  readonly transferId: string
  readonly hash: string
  /** In the coin's smallest unit. */
  readonly paid: string
  readonly candidates: readonly string[]
  readonly at: string
}

/** What came on the chain for a transaction, in the smallest unit of its coin, which has so many `decimals`. */
export type PaymentSoFar = {
  readonly asset: string
  readonly asked: bigint
  readonly paid: bigint
  readonly missing: bigint
  readonly decimals: number
  /** What came to its address, and is not known to be for it. */
  readonly unmatched: readonly UnmatchedPayment[]
}

/** Questions about the payments of a transaction that the ledger itself does not answer. */
export type PaymentLookups = {
  /** Challenges of a request, the newest first. */
  challengesOfRequest(requestId: string): Promise<readonly string[]>
  /** Payments of an account since a time that may have been meant for some challenges, the newest first. */
  unmatchedFor(accountId: string, challengeIds: readonly string[], since: string): Promise<readonly UnmatchedPayment[]>
}

/** The challenges by which a transaction is paid, the newest first. */
export const challengesOf = async (
  { requestId, challengeId }: Pick<Transaction, 'requestId' | 'challengeId'>,
  known: Pick<PaymentLookups, 'challengesOfRequest'>,
): Promise<readonly string[]> => (requestId ? known.challengesOfRequest(requestId) : challengeId ? [challengeId] : [])

const DAY_MS = 86_400_000

/**
 * Says what is paid of a transaction, and what is missing, without the hash of any payment (M-TXN-08). What is paid is
 * what was booked, what waits for confirmations, and, as for a posted hash, what is too little and can only have been
 * meant for it. Where several coins were offered, it is the one in which the most came. Undefined where no coin
 * was asked for.
 */
export const paymentSoFar = async (
  ledger: Ledger,
  transaction: Transaction,
  known: PaymentLookups,
): Promise<PaymentSoFar | undefined> => {
  const ids = await challengesOf(transaction, known)
  const found = (await Promise.all(ids.map((id) => challengeOf(ledger, id)))).filter((one) => one !== undefined)
  if (found.length === 0) return undefined
  // The challenge of a resource is opened before its transaction is known, but no whole day before.
  const since = new Date(Date.parse(transaction.createdAt) - DAY_MS).toISOString()
  const unmatched = await known.unmatchedFor(transaction.accountId, ids, since)
  const sums = await Promise.all(found.map((challenge) => sumOf(ledger, challenge, unmatched)))
  return sums.reduce((best, each) => (isMore(each, best) ? each : best))
}

const isMore = (one: PaymentSoFar, other: PaymentSoFar): boolean =>
  one.paid * other.asked > other.paid * one.asked ||
  (one.paid === 0n && other.paid === 0n && one.unmatched.length > other.unmatched.length)

const sumOf = async (
  ledger: Ledger,
  challenge: AskedChallenge,
  all: readonly UnmatchedPayment[],
): Promise<PaymentSoFar> => {
  const { challengeId, set, entry } = challenge
  const facts = { asset: entry.asset, asked: BigInt(entry.amount), decimals: coinFacts(entry).decimals }
  if (isClosed(set, entry.asset)) return { ...facts, paid: settledSum(set, entry.asset), missing: 0n, unmatched: [] }
  const unmatched = all.filter(({ candidates }) => candidates.includes(challengeId))
  const booked = paidSoFar(set, entry.asset)
  const seen = seenSoFar(set, entry.asset)
  const only = unmatched.reduce((sum, { candidates, paid }) => (candidates.length === 1 ? sum + BigInt(paid) : sum), 0n)
  // What would be enough waits for the seller's word, and counts as nothing until then.
  const guessed = booked + seen + only < BigInt(leastOf(entry)) ? only : 0n
  const paid = booked + seen + guessed
  const missing = paid === booked ? await restToPay(ledger, set, challengeId) : facts.asked - paid
  return { ...facts, paid, missing: missing > 0n ? missing : 0n, unmatched }
}

/** What paid a challenge that has settled: its parts and the payment that completed them. */
const settledSum = (set: OpenSet, asset: string): bigint => {
  const last = set.last[asset]
  return paidBefore(set, asset, last?.id ?? '') + BigInt(last?.amount ?? 0)
}
