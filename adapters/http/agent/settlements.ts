import { z } from 'zod'
import { toDecimal } from '../../../domain/money.ts'
import type { SettlementRow } from '../../../projections/settlements.ts'
import { endpoint } from '../endpoint.ts'
import { marked } from './accepts.ts'
import { fiatNumber } from './amounts.ts'
import { page } from './paging.ts'

/** The settlement log: what came in, and what it was taken for. */

const Settlement = z
  .object({
    challenge_id: z.string().nullable(),
    res_id: z.string().nullable(),
    status: z.enum(['settled', 'underpaid', 'late', 'doubled', 'unmatched']),
    amount: z.number().nullable(),
    currency: z.string().nullable(),
    asset: z.string(),
    asset_amount: z.string(),
    asset_amount_asked: z.string().nullable(),
    hash: z.string(),
    payer: z.string(),
    fee: z.number(),
    gas_fee: z.number(),
    at: z.string(),
    test: z.literal(true).optional(),
  })
  .meta({
    id: 'Settlement',
    description:
      'A payment that reached the seller. `late`, `doubled` and `unmatched` ones sold nothing: they are the seller’s to return.',
  })

const settlements = endpoint({
  method: 'get',
  path: '/v1/settlements',
  summary:
    'What was paid, newest first: settled, underpaid, and what could not be taken for a payment; to a sandbox key, what was simulated',
  auth: 'key',
  reach: 'store',
  sandbox: 'secret',
  capability: 'transactions.view',
  query: z.object(page.query),
  returns: z.object({ settlements: z.array(Settlement) }),
  async answer({ query, actor, queries }) {
    const { limit, offset } = page.of(query)
    const rows = await queries.settlements(
      actor.accountId,
      { test: actor.testOnly, stores: actor.storeScope },
      limit,
      offset,
    )
    return { settlements: rows.map(shown) }
  },
})

const shown = (row: SettlementRow): z.input<typeof Settlement> => {
  const coin = (units: string) => toDecimal(BigInt(units), row.decimals)
  return {
    challenge_id: row.challengeId,
    res_id: row.resId,
    status: row.status as z.input<typeof Settlement>['status'],
    amount: row.amount === null ? null : fiatNumber(row.amount),
    currency: row.currency,
    asset: row.asset,
    asset_amount: coin(row.paid),
    asset_amount_asked: row.asked === null ? null : coin(row.asked),
    hash: row.hash,
    payer: row.payer,
    fee: fiatNumber(row.fee),
    gas_fee: fiatNumber(row.gasFee),
    at: row.at,
    ...marked(row),
  }
}

export const settlementEndpoints = [settlements]
