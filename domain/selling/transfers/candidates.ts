/**
 * Which payments money may have been meant for that settles nothing, and why each of them: pure facts that a person can
 * check (N-103). Nothing is settled by them: the seller says what it pays.
 */

/** What came, in the coin's smallest unit. */
export type Money = {
  readonly paid: bigint
  readonly hash: string
  readonly payer: string
  /** The address that it came to; undefined where that is not known. */
  readonly payee: string | undefined
  readonly minedAt: string
  /** The challenges that the ledger itself found when the money came. */
  readonly named: readonly string[]
}

/** A payment that still waits, in the same coin. */
export type WaitingPayment = {
  readonly challengeId: string
  readonly transactionId: string | null
  readonly title: string | null
  readonly payTo: string
  readonly openedAt: string
  readonly expiresAt: string
  readonly asked: bigint
  /** What came for it before; the sender of a part of it is among `payers`. */
  readonly came: bigint
  readonly payers: readonly string[]
  /** The hash that somebody named for it; empty where nobody did. */
  readonly hash: string
}

/**
 * `hash-named`: somebody said that this very transaction pays it. `amount-equal`, `rest-equal`: it is what was asked,
 * or what is missing of that. `same-sender`: a part of it came from there before. `same-address`: it came to its
 * address. `in-time`, `late`: it came while that was asked for, or after. `part`: it is less than is missing.
 */
export const CANDIDATE_REASONS = [
  'hash-named',
  'amount-equal',
  'rest-equal',
  'same-sender',
  'same-address',
  'in-time',
  'late',
  'part',
] as const
type CandidateReason = (typeof CANDIDATE_REASONS)[number]

export type Candidate = WaitingPayment & { readonly reasons: readonly CandidateReason[]; readonly missing: bigint }

/** How much each reason says; what has no reason but the last ones is no candidate. */
const WEIGHTS: Readonly<Record<CandidateReason, number>> = {
  'hash-named': 100,
  'amount-equal': 50,
  'rest-equal': 50,
  'same-sender': 30,
  'same-address': 10,
  'in-time': 3,
  late: 2,
  part: 1,
}
const LEAST = 10

/** The payments that the money may be meant for, the likeliest first. */
export const candidatesFor = (money: Money, waiting: readonly WaitingPayment[], max: number): readonly Candidate[] =>
  waiting
    .map((each) => candidateOf(money, each))
    .filter(({ reasons, challengeId }) => money.named.includes(challengeId) || weightOf(reasons) >= LEAST)
    .toSorted((a, b) => weightOf(b.reasons) - weightOf(a.reasons) || (a.openedAt < b.openedAt ? 1 : -1))
    .slice(0, max)

const weightOf = (reasons: readonly CandidateReason[]): number =>
  reasons.reduce((sum, reason) => sum + WEIGHTS[reason], 0)

const candidateOf = (money: Money, each: WaitingPayment): Candidate => {
  const { paid, hash, payer, payee, minedAt } = money
  const { asked, came, payers, payTo, expiresAt } = each
  const missing = asked > came ? asked - came : 0n
  const holds: Readonly<Record<CandidateReason, boolean>> = {
    'hash-named': each.hash !== '' && each.hash.toLowerCase() === hash.toLowerCase(),
    'amount-equal': paid === asked,
    'rest-equal': came > 0n && paid === missing,
    'same-sender': payer !== '' && payers.includes(payer),
    'same-address': payee === payTo,
    'in-time': minedAt <= expiresAt,
    late: minedAt > expiresAt,
    part: paid < missing,
  }
  return { ...each, missing, reasons: CANDIDATE_REASONS.filter((reason) => holds[reason]) }
}
