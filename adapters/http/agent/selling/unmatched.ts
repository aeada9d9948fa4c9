import { z } from 'zod'
import { coinUnits, toDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { IGNORE_REASONS, type IgnoreReason } from '../../../../domain/selling/transfers/transfer-events.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { returnTransfer } from '../../../../domain/use-cases/selling/refunds/return-transfer.ts'
import type { Queries } from '../../../../projections/index.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { count } from '../common/paging.ts'
import { matchCall, TRANSFER_MAX } from './settlements.ts'
import {
  CandidateShape,
  candidatesOf,
  ownUnmatched,
  shownCandidate,
  shownMoney,
  UnmatchedPlace,
  UnmatchedShape,
  unmatchedFilters,
  unmatchedPage,
} from './unmatched-money.ts'

/** Money that came and settles nothing: what it may be meant for, and what a seller does with it (N-102, N-103). */

const path = '/v1/unmatched'
const ROWS_DEFAULT = 50
const ROWS_MAX = 500
const HASH_MAX = 200
const AMOUNT_MAX = 80

const list = endpoint({
  method: 'get',
  path,
  summary: 'Money that came and settles nothing, newest first; what was ignored or returned, too',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view' },
  query: z.object({ ...unmatchedFilters, limit: count(ROWS_MAX).optional(), before: UnmatchedPlace.optional() }),
  returns: z.object({ unmatched: z.array(UnmatchedShape), next: z.string().nullable() }),
  async answer({ query: { limit = ROWS_DEFAULT, before, ...wish }, actor, queries }) {
    if (limit === 0) return { unmatched: [], next: null }
    const { rows, next } = await unmatchedPage(queries, actor, wish, { limit, before })
    return { unmatched: rows.map(shownMoney), next }
  },
})

const one = endpoint({
  method: 'get',
  path,
  when: { transfer: true },
  summary: 'One payment that settles nothing, with the payments that it may be meant for, and why each of them',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view' },
  query: z.object({ transfer: z.string().min(1).max(TRANSFER_MAX) }),
  returns: z.object({ money: UnmatchedShape, candidates: z.array(CandidateShape) }),
  refusals: ['transfer-not-found'],
  async answer({ query: { transfer }, actor, queries }) {
    const row = await ownUnmatched(queries, actor, transfer)
    const candidates = await candidatesOf(queries, actor, row)
    return { money: shownMoney(row), candidates: candidates.map((each) => shownCandidate(each, row.decimals)) }
  },
})

/** What an act on such money declares. Addresses belong to the account: what came there may be for any store. */
const act = {
  method: 'post',
  path,
  auth: 'key',
  reach: 'account',
} as const

const Transfer = z.string().min(1).max(TRANSFER_MAX)

const match = endpoint({
  ...matchCall,
  method: 'post',
  path,
  when: { action: 'match' },
  query: z.object({ action: z.literal('match') }),
})

const Returned = z.object({
  transfer: z.string(),
  returned_amount: z.string(),
  return_status: z.enum(['recorded', 'pending', 'sent']),
  hash: z.string().optional(),
  confirmations: z.int().optional(),
  required: z.int().optional(),
})

const giveBack = endpoint({
  ...act,
  when: { action: 'return' },
  summary: 'Note that it was sent back; a hash is looked up on its chain, which then says that it was',
  callers: { capability: 'transactions.refund' },
  query: z.object({ action: z.literal('return') }),
  body: z.object({
    transfer: Transfer,
    amount: z.string().max(AMOUNT_MAX).optional(),
    hash: z.string().min(1).max(HASH_MAX).optional(),
  }),
  returns: Returned,
  refusals: ['transfer-not-found', 'state-forbids', 'payment-not-matching', 'transfer-taken', 'unavailable'],
  answer: ({ body, actor, flow, queries }) => noteReturned({ flow, queries, actor }, body),
})

const Ignored = z.object({ transfer: z.string(), state: z.enum(['ignored', 'open']) })

const ignore = endpoint({
  ...act,
  when: { action: 'ignore' },
  summary: 'Leave it as it is: it stays in suspense and asks for no hand, until that is taken back or it is matched',
  callers: { capability: 'transactions.edit' },
  query: z.object({ action: z.literal('ignore') }),
  body: z.object({ transfer: Transfer, reason: z.enum(IGNORE_REASONS) }),
  returns: Ignored,
  refusals: ['transfer-not-found', 'state-forbids'],
  answer: ({ body: { transfer, reason }, actor, flow }) => ignoreMoney(flow, actor, transfer, reason),
})

const reopen = endpoint({
  ...act,
  when: { action: 'reopen' },
  summary: 'Take back that it was ignored or returned; what a chain shows to be returned stays',
  callers: { capability: 'transactions.edit' },
  query: z.object({ action: z.literal('reopen') }),
  body: z.object({ transfer: Transfer }),
  returns: Ignored,
  refusals: ['transfer-not-found', 'state-forbids'],
  answer: ({ body: { transfer }, actor, flow }) => reopenMoney(flow, actor, transfer),
})

export const unmatchedEndpoints = [list, one, match, giveBack, ignore, reopen]

type Acting = { readonly flow: UseCaseContext; readonly queries: Queries; readonly actor: Actor }
type ReturnBody = {
  readonly transfer: string
  readonly amount?: string | undefined
  readonly hash?: string | undefined
}

/** Notes a return; an amount is a decimal of the coin. Refuses as `returnTransfer` does. */
export const noteReturned = async (
  { flow, queries, actor }: Acting,
  { transfer, amount, hash }: ReturnBody,
): Promise<z.input<typeof Returned>> => {
  const row = await ownUnmatched(queries, actor, transfer)
  if (amount !== undefined && !/^\d{1,30}(\.\d{1,30})?$/.test(amount))
    refuse('invalid-request', 'amount: has to be a plain decimal number')
  const coin = { code: row.asset, decimals: row.decimals }
  const result = await returnTransfer(flow, {
    accountId: actor.accountId,
    transferId: transfer,
    by: actor.keyId,
    ...(amount !== undefined && { amount: String(coinUnits(amount, coin, 'amount')) }),
    ...(hash !== undefined && { hash: hash.trim() }),
  })
  return {
    transfer,
    returned_amount: toDecimal(BigInt(result.amount), row.decimals),
    return_status: result.sent ? 'sent' : result.pending ? 'pending' : 'recorded',
    ...(result.hash !== undefined && { hash: result.hash }),
    ...result.pending,
  }
}

/** Refuses `transfer-not-found`, `state-forbids`. */
export const ignoreMoney = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  { accountId, keyId: by }: Actor,
  transfer: string,
  reason: IgnoreReason,
): Promise<z.input<typeof Ignored>> => {
  await ledger.transfer.ignore(transfer, { accountId, reason, by })
  return { transfer, state: 'ignored' }
}

/** Refuses `transfer-not-found`, `state-forbids`. */
export const reopenMoney = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  { accountId, keyId: by }: Actor,
  transfer: string,
): Promise<z.input<typeof Ignored>> => {
  await ledger.transfer.reopen(transfer, { accountId, by })
  return { transfer, state: 'open' }
}
