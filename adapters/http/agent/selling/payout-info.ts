import { z } from 'zod'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { completePayout, requestPayout } from '../../../../domain/use-cases/selling/challenges/payouts.ts'
import type { PayoutRow } from '../../../../projections/selling/payouts.ts'
import { endpoint } from '../../core/endpoint.ts'
import { ownTransaction } from '../../core/own-transaction.ts'
import { StoreId, storeOf } from '../../core/stores.ts'
import { longPage } from '../common/paging.ts'

/** Payouts that a seller makes by itself, and notes here (J-PAY-01 to J-PAY-03, N-38). */

const ASSET_MAX = 32
/** Characters of a note about a payout, by the seller or by the payee. */
export const PAYOUT_DETAILS_MAX = 2_000

const common = { path: '/v1/payout-info', auth: 'key', reach: 'account' } as const

const PayoutRequest = z
  .object({
    transaction_id: z.string(),
    link: z.url(),
    payout_asset: z.string(),
    details: z.string(),
    payee_details: z.string().nullable(),
    status: z.enum(['requested', 'completed']),
    store_id: z.int(),
    created_at: z.string(),
    completed_at: z.string().nullable(),
  })
  .meta({
    id: 'PayoutRequest',
    description: 'A payout that the seller makes itself; `payee_details` is what was said at its `link`.',
  })

const list = endpoint({
  ...common,
  method: 'get',
  summary: 'Payouts that were noted, newest first',
  callers: { capability: 'payouts.view' },
  query: z.object(longPage.query),
  returns: z.object({ requests: z.array(PayoutRequest) }),
  async answer({ query, actor: { accountId }, flow, queries }) {
    const { limit, offset } = longPage.of(query)
    const rows = await queries.payouts(accountId, limit, offset)
    return { requests: await Promise.all(rows.map((row) => shown(flow, row))) }
  },
})

const request = endpoint({
  ...common,
  method: 'post',
  summary: 'Note a payout that you make yourself; whoever is paid says where to at its link. Daybook moves no money',
  callers: { capability: 'payouts.request' },
  idempotent: true,
  body: z.strictObject({
    payout_asset: z.string().trim().min(1).max(ASSET_MAX),
    details: z.string().trim().min(1).max(PAYOUT_DETAILS_MAX),
    store_id: StoreId.optional(),
  }),
  returns: z.object({ transaction_id: z.string(), link: z.url() }),
  refusals: ['unknown-asset', 'store-not-found'],
  async answer({ body: { payout_asset: asset, details, store_id }, actor, flow, once }) {
    const storeId = await storeOf(flow, actor, store_id)
    const made = await requestPayout(flow, once, { accountId: actor.accountId, storeId, asset, details })
    return { transaction_id: made.transactionId, link: payoutUrl(flow.origins.pay, made.payoutId) }
  },
})

const complete = endpoint({
  ...common,
  method: 'post',
  when: { transaction_id: true, action: 'complete' },
  summary: 'Say that a payout was made. No webhook tells of it, and it costs nothing',
  callers: { capability: 'payouts.request' },
  query: z.object({ transaction_id: z.string().max(32), action: z.literal('complete') }),
  returns: z.object({ completed: z.literal(true), id: z.string() }),
  refusals: ['transaction-not-found'],
  async answer({ query: { transaction_id: id }, actor, flow }) {
    const { payoutId } = await ownTransaction(flow.ledger, actor, id)
    await completePayout(
      flow,
      payoutId ??
        refuse(
          'transaction-not-found',
          'This transaction is no payout of this account. Look for its number in GET /v1/transactions.',
        ),
      actor.kind,
    )
    return { completed: true as const, id }
  },
})

/** The address of the page on which the payee says where to be paid. */
export const payoutUrl = (pay: string, payoutId: string): string => `${pay}/payout/${payoutId}`

const shown = async ({ vault, origins }: UseCaseContext, row: PayoutRow): Promise<z.input<typeof PayoutRequest>> => ({
  transaction_id: row.transactionId,
  link: payoutUrl(origins.pay, row.payoutId),
  payout_asset: row.asset,
  details: await openedText(vault, row.details),
  payee_details: row.payeeDetails === null ? null : await openedText(vault, row.payeeDetails),
  status: row.completedAt === null ? 'requested' : 'completed',
  store_id: row.storeId,
  created_at: row.requestedAt,
  completed_at: row.completedAt,
})

export const payoutInfoEndpoints = [list, request, complete]
