import { isRefusal, Refusal } from '../../../kernel/refusal.ts'
import { challengeParts } from '../../../selling/challenge-terms.ts'
import { isGone, type Transaction } from '../../../selling/transactions/transaction.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import type { UseCaseContext } from '../../context.ts'
import { challengesOf, type PaymentLookups } from './payment-so-far.ts'
import { scanChallenges, type WaitingPayments } from './scan-challenges.ts'
import { submitHash } from './submit-hash.ts'

/** Noted as the one who says what a hash pays, where the merchant wrote the hash on its record. */
const BY_HAND = 'record'
/** Challenges looked for in one call, the newest first. */
const CHALLENGES_MAX = 500

/** Questions about transactions that the ledger itself does not answer. */
export type TransactionLookups = Pick<PaymentLookups, 'challengesOfRequest'> & {
  readonly waitingPayments: WaitingPayments
}

/** `challenges` are those that were looked for; `isWhole` is false when a chain could not be asked. */
export type TransactionsCheck = { readonly challenges: readonly string[]; readonly isWhole: boolean }

/**
 * Looks on the chains right now for what pays these transactions, whether anybody watches or not (M-TXN-08, M-TXN-09).
 * One that completed, or that is a test, is left alone; one whose time was up is looked for too, because it may have
 * been paid in time.
 */
export const checkTransactions = async (
  flow: UseCaseContext,
  transactionIds: readonly string[],
  known: TransactionLookups,
): Promise<TransactionsCheck> => {
  const challenges: string[] = []
  let isWhole = true
  for (const id of transactionIds) {
    const transaction = await flow.ledger.transaction.read(id)
    if (isGone(transaction) || transaction.status === 'C' || transaction.test) continue
    if (challenges.length < CHALLENGES_MAX) challenges.push(...(await challengesOf(transaction, known)))
    isWhole = (await submitted(flow, id, transaction, known)) && isWhole
  }
  const looked = challenges.slice(0, CHALLENGES_MAX)
  return { challenges: looked, isWhole: (await scanChallenges(flow, looked, known.waitingPayments)) && isWhole }
}

/** Looks at some challenges as they are now, so that an answer waits for what another call has just booked. */
export const sawChallenges = async (
  { challenge }: Pick<Ledger, 'challenge'>,
  ids: readonly string[],
): Promise<void> => {
  for (const setId of new Set(ids.map((id) => challengeParts(id)?.setId))) if (setId) await challenge.read(setId)
}

/**
 * Looks up once more the hash that the transaction is known by, or that its merchant wrote on it; false when its chain
 * does not answer.
 */
const submitted = async (
  flow: UseCaseContext,
  id: string,
  { status, edits, ...facts }: Transaction,
  known: TransactionLookups,
) => {
  const hash = edits.hash ?? facts.hash
  if ((status !== 'P' && facts.rejected !== 'underpaid') || hash === '') return true
  try {
    await submitHash(flow, id, hash, known.challengesOfRequest, edits.hash === undefined ? undefined : BY_HAND)
  } catch (error) {
    if (!(error instanceof Refusal) || isRefusal(error, 'busy')) throw error
    return !isRefusal(error, 'unavailable')
  }
  return true
}
