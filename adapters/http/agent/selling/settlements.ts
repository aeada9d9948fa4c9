import { z } from 'zod'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { challengeToMatch, matchTransfer } from '../../../../domain/use-cases/selling/settling/match-transfer.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { SettlementRow } from '../../../../projections/selling/settlement-queries.ts'
import { listsTests } from '../../core/actor.ts'
import { NamedId } from '../../core/bounds/named-id.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { ownTransaction } from '../../core/own-transaction.ts'
import { marked } from '../common/accepts.ts'
import { fiatNumber } from '../common/amounts.ts'
import { isTest, page } from '../common/paging.ts'

/** The settlement log: what came in, and what it was taken for. */

const Settlement = z
  .object({
    transfer: z.string(),
    transaction_id: z.string().nullable(),
    challenge_id: z.string().nullable(),
    res_id: z.string().nullable(),
    status: z.enum([
      'settled',
      'part',
      'underpaid',
      'late',
      'doubled',
      'sold_out',
      'unmatched',
      'ignored',
      'returned',
      'reversed',
    ]),
    amount: z.number().nullable(),
    currency: z.string().nullable(),
    asset: z.string(),
    asset_amount: z.string(),
    asset_amount_asked: z.string().nullable(),
    received_amount: z.string(),
    hash: z.string(),
    payer: z.string(),
    fee: z.number(),
    gas_fee: z.number(),
    gas: z.object({ billed: z.number(), spent: z.number(), kept: z.number() }).optional(),
    at: z.string(),
    reversed_at: z.string().optional(),
    candidates: z.array(z.string()).optional(),
    voices: z.int().positive().optional(),
    matched_by_hand: z.literal(true).optional(),
    test: z.literal(true).optional(),
  })
  .meta({
    id: 'Settlement',
    description:
      'A payment that reached the seller. `part`: an earlier part of a price that was paid in full. `underpaid`: a part, and the rest is missing. `late`, `doubled` and `unmatched` ones sold nothing: the seller matches them with what they were meant for (`action=match`), notes that they were `returned`, or leaves them `ignored` (/v1/unmatched). `reversed`: its block was replaced and no other has it (`reversed_at`), so it paid nothing, and its fee was given back. `candidates`: the challenges that an unmatched one may have been meant for. `asset_amount`: what this payment was; `received_amount`: all that had come for the same by then, in however many parts. `voices`: how many providers of its chain said that it is there when it was booked. `matched_by_hand`: somebody said by `action=match` what it pays.',
  })

const settlements = endpoint({
  method: 'get',
  path: '/v1/settlements',
  summary:
    'What was paid, newest first: settled, underpaid, and what could not be taken for a payment; with is_test=1, and to a sandbox key, what was simulated',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  query: z.object({ ...page.query, is_test: isTest }),
  returns: z.object({ settlements: z.array(Settlement) }),
  async answer({ query, actor, queries }) {
    const { limit, offset } = page.of(query)
    const rows = await queries.settlements(
      actor.accountId,
      { test: listsTests(actor, query.is_test), stores: actor.storeScope },
      limit,
      offset,
    )
    return { settlements: rows.map(shown) }
  },
})

const shown = (row: SettlementRow): z.input<typeof Settlement> => {
  const coin = (units: string) => toDecimal(BigInt(units), row.decimals)
  return {
    transfer: row.transferId,
    transaction_id: row.transactionId,
    challenge_id: row.challengeId,
    res_id: row.resId,
    status: row.status as z.input<typeof Settlement>['status'],
    amount: row.amount === null ? null : fiatNumber(row.amount),
    currency: row.currency,
    asset: row.asset,
    asset_amount: coin(row.paid),
    asset_amount_asked: row.asked === null ? null : coin(row.asked),
    received_amount: coin(row.received),
    hash: row.hash,
    payer: row.payer,
    fee: fiatNumber(row.fee),
    gas_fee: fiatNumber(row.gasFee),
    ...gasOf(row),
    at: row.at,
    ...(row.reversedAt !== null && { reversed_at: row.reversedAt }),
    ...(row.candidates && { candidates: [...row.candidates] }),
    ...(row.voices !== null && { voices: row.voices }),
    ...(row.matched && { matched_by_hand: true as const }),
    ...marked(row),
  }
}

/**
 * The gas of a payment by signature: what was billed for it, what it cost, and what the platform kept or bore.
 */
const gasOf = ({ gasFee, gasSpent }: SettlementRow) =>
  gasSpent === '0'
    ? {}
    : {
        gas: {
          billed: fiatNumber(gasFee),
          spent: fiatNumber(gasSpent),
          kept: fiatNumber(String(BigInt(gasFee) - BigInt(gasSpent))),
        },
      }

/** Characters of the name of a transfer: network, hash and place. */
export const TRANSFER_MAX = 300

/** What a payment that was set aside pays, as its seller says: a challenge, or a transaction in whose coin it came. */
const MatchBody = z
  .object({
    transfer: z.string().min(1).max(TRANSFER_MAX),
    challenge_id: NamedId.optional(),
    transaction_id: z.string().min(1).max(20).optional(),
  })
  .refine(
    ({ challenge_id, transaction_id }) => (challenge_id === undefined) !== (transaction_id === undefined),
    'challenge_id or transaction_id: say one of them',
  )

/**
 * What became of a matched payment: it settled what was asked, is a part of it, or came too late because another
 * payment was faster.
 */
const Matched = z.object({
  transfer: z.string(),
  challenge_id: z.string(),
  status: z.enum(['settled', 'underpaid', 'doubled']),
})

type MatchRequest = {
  readonly flow: UseCaseContext
  readonly queries: Queries
  readonly actor: Actor
  readonly body: z.output<typeof MatchBody>
}

/** Refuses as `matchTransfer` does. */
export const matched = async ({ flow, queries, actor, body }: MatchRequest): Promise<z.input<typeof Matched>> => {
  const { accountId, keyId: by } = actor
  const { transfer: transferId, challenge_id, transaction_id: transactionId = '' } = body
  if (transactionId !== '') await ownTransaction(flow.ledger, actor, transactionId)
  const challengeId =
    challenge_id ??
    (await challengeToMatch(flow, { accountId, transactionId, transferId }, (requestId) =>
      queries.challengesOfRequest(requestId),
    ))
  const status = await matchTransfer(flow, { accountId, transferId, challengeId, by })
  return { transfer: transferId, challenge_id: challengeId, status }
}

/** What the JSON API and the console declare alike of this call. */
export const matchCall = {
  summary: 'Say what a payment pays that was set aside: it settles that, or is a part of its price',
  auth: 'key',
  // Addresses belong to the account: what came there may be for any store.
  reach: 'account',
  callers: { capability: 'transactions.edit' },
  body: MatchBody,
  returns: Matched,
  refusals: [
    'transfer-not-found',
    'transfer-taken',
    'transaction-not-found',
    'state-forbids',
    'challenge-not-found',
    'challenge-is-test',
    'payment-not-matching',
    'already-paid',
    'out-of-stock',
    'unavailable',
  ],
  answer: matched,
} as const

const match = endpoint({
  ...matchCall,
  method: 'post',
  path: '/v1/settlements',
  when: { action: 'match' },
  query: z.object({ action: z.literal('match') }),
})

export const settlementEndpoints = [settlements, match]
