import { type SecondVoice, usdAtStake } from '../../../chains/second-voice.ts'
import { coinOf } from '../../../kernel/assets.ts'
import { PLATFORM } from '../../../kernel/platform.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { isClosed, type OpenSet } from '../../../selling/challenge-state.ts'
import { type ChallengeEntry, challengeParts, type TransferData } from '../../../selling/challenge-terms.ts'
import { isGone } from '../../../selling/transactions/transaction.ts'
import type { UseCaseContext } from '../../context.ts'
import { isPaidElsewhere } from '../challenges/pays-request.ts'
import { keepPieces } from '../stock/lend-pieces.ts'
import { challengeOf } from './challenge-of.ts'
import { finishSettlement, paymentOf, type TransferOutcome } from './settle-payment.ts'

/** What became of a payment that its seller has matched: it is never late. */
export type MatchOutcome = Exclude<TransferOutcome, 'late' | 'sold_out'>

/** A seller's word on money that was set aside: what it pays, and which of the seller's keys says so. */
export type Match = {
  readonly accountId: string
  readonly transferId: string
  readonly challengeId: string
  /** The key that said so. */
  readonly by: string
  /**
   * The account that the money was set aside for, where that is not the seller: the platform, for the operator to
   * settle.
   */
  readonly holder?: string
}

/**
 * What a match needs. Without `secondVoice` the one who matches vouches for the payment: the operator, whose commands
 * ask no chain.
 */
type MatchContext = Pick<UseCaseContext, 'ledger'> & Partial<Pick<UseCaseContext, 'secondVoice'>>

/**
 * Matches a payment that was set aside with the challenge that the seller names: it settles the challenge, or is a part
 * of its price, whenever it came (N-24, Q-55). Quiet when repeated. Refuses `transfer-not-found`, `transfer-taken`,
 * `challenge-not-found`, `challenge-is-test`, `already-paid`, `payment-not-matching` for another coin, `out-of-stock`
 * while there is no piece left, `unavailable` while a second provider has to confirm the payment and has not.
 */
export const matchTransfer = async (
  { ledger, secondVoice }: MatchContext,
  { accountId, transferId, challengeId, by, holder = accountId }: Match,
): Promise<MatchOutcome> => {
  const { set, entry } = (await challengeOf(ledger, challengeId)) ?? refuse('challenge-not-found')
  const { asset } = entry
  if (set.accountId !== accountId) return refuse('challenge-not-found')
  if (set.test) return refuse('challenge-is-test', 'a test is paid by /v1/simulate-payment alone')
  const known = await ledger.transfer.read(transferId)
  let voices: number | undefined
  if (known.aside?.accountId === holder && known.transfer) {
    const { network, asset: coin } = known.transfer
    if (network !== entry.network || coin !== coinOf(entry))
      return refuse('payment-not-matching', 'this challenge is paid in another coin')
    if (isClosed(set, asset) || (await isPaidElsewhere(ledger, set, challengeId)))
      return refuse('already-paid', 'this challenge is paid already')
    voices = secondVoice && (await confirmed(secondVoice, set, entry, known.transfer))
  }
  const counted = voices !== undefined && { voices }
  // The seller takes the payment for a piece that is there: nothing is matched without one.
  const { setId } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  if (known.transfer)
    await keepPieces(
      ledger,
      { ...set, paymentId: challengeId, setId },
      paymentOf({ transfer: known.transfer, again: known.reversed }),
    )
  const { state } = await ledger.transfer.match(transferId, { accountId, challengeId, asset, by, holder, ...counted })
  const { transfer = refuse('internal'), inBooks, holder: before, reversed: again } = state
  const booking = {
    matched: true as const,
    ...(inBooks && { inBooks: true as const }),
    ...(before !== undefined && { holder: before }),
    ...(again > 0 && { again }),
    ...counted,
  }
  const outcome = await finishSettlement(ledger, { accountId, challengeId, asset, transfer, ...booking })
  return outcome === 'late' || outcome === 'sold_out' ? refuse('internal') : outcome
}

/**
 * Asks for the word of a second provider. Without it a payment that one provider invented would become a sale by the
 * seller's own word. Refuses `unavailable`.
 */
const confirmed = async (secondVoice: SecondVoice, set: OpenSet, entry: ChallengeEntry, transfer: TransferData) => {
  const usd = usdAtStake(set, entry, transfer)
  const voices = await secondVoice.heard({ transfer, usd, confirmations: entry.confirmations })
  return voices ?? refuse('unavailable', 'no second provider of the chain has confirmed this payment yet')
}

/**
 * Matches, for the operator, a payment that only the platform can match: it came to the platform's own address, or to
 * one that several accounts contest, whichever of them is the seller. Refuses as `matchTransfer` does, and
 * `transfer-not-found` for a payment that a seller has to match.
 */
export const matchForPlatform = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  { transferId, challengeId }: { transferId: string; challengeId: string },
): Promise<MatchOutcome> => {
  const { set } = (await challengeOf(ledger, challengeId)) ?? refuse('challenge-not-found')
  const { accountId } = set
  return matchTransfer({ ledger }, { accountId, transferId, challengeId, by: OPERATOR, holder: PLATFORM })
}
const OPERATOR = 'operator'

/**
 * The challenge of a transaction that a payment in this coin may be matched with: the newest, where a request has
 * several. Refuses `transaction-not-found`, `state-forbids` when nobody was asked for this coin.
 */
export const challengeToMatch = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  { accountId, transactionId, transferId }: { accountId: string; transactionId: string; transferId: string },
  challengesOf: (requestId: string) => Promise<readonly string[]>,
): Promise<string> => {
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction) || transaction.accountId !== accountId) return refuse('transaction-not-found')
  const { requestId, challengeId } = transaction
  const { transfer, aside } = await ledger.transfer.read(transferId)
  if (!transfer || aside?.accountId !== accountId) return refuse('transfer-not-found')
  for (const each of requestId ? await challengesOf(requestId) : challengeId ? [challengeId] : [])
    if (await asksFor(ledger, each, transfer)) return each
  return refuse('state-forbids', 'this transaction was not asked for in this coin')
}

const asksFor = async (
  ledger: UseCaseContext['ledger'],
  challengeId: string,
  transfer: TransferData,
): Promise<boolean> => {
  const { entry } = (await challengeOf(ledger, challengeId)) ?? refuse('challenge-not-found')
  return entry.network === transfer.network && coinOf(entry) === transfer.asset
}
