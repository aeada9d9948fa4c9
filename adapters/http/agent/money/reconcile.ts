import { z } from 'zod'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { DIFFERENCES, STATUSES } from '../../../../domain/reading/reconciliation/compare.ts'
import type { ReconciledLine } from '../../../../domain/reading/reconciliation/line.ts'
import { createTally, type Tally } from '../../../../domain/reading/reconciliation/tally.ts'
import {
  FIRST_PAGE,
  type ReconcileCursor,
  type ReconcilePage,
  reconcilePage,
} from '../../../../domain/use-cases/money/reconcile.ts'
import { listsTests } from '../../core/actor.ts'
import { createLooks } from '../../core/bounds/looks.ts'
import { endpoint } from '../../core/endpoint.ts'
import { marked } from '../common/accepts.ts'
import { isTest, page } from '../common/paging.ts'
import { From, To } from '../common/times.ts'

/** The caller's transactions, its books and the chains, held against each other. */

/** Chain transactions that are looked up for one page; the lines beyond say that their chain was not asked. */
const PAGE_LOOKS_MAX = 50
/** Milliseconds after which a page begins no further look. */
const PAGE_LOOKS_MS = 10_000

const Amount = z.object({ units: z.string(), amount: z.string() }).nullable()
const amounts = { transactions: Amount, journal: Amount, chain: Amount }

const Line = z
  .object({
    kind: z.enum(['payment', 'refund', 'transaction', 'posting']),
    status: z.enum(STATUSES),
    differences: z.array(z.object({ where: z.enum(['transactions', 'journal', 'chain']), what: z.enum(DIFFERENCES) })),
    transfer: z.string().nullable(),
    settlement_status: z.string().optional(),
    transaction_id: z.string().nullable(),
    challenge_id: z.string().nullable(),
    hash: z.string().nullable(),
    network: z.string().nullable(),
    asset: z.string(),
    amounts: z.object(amounts),
    confirmations: z.int().nullable(),
    at: z.string(),
    mined_at: z.string().nullable(),
    signed: z.literal(true).optional(),
    matched_by_hand: z.literal(true).optional(),
    edited_by_hand: z.array(z.string()).optional(),
    edited_at: z.string().optional(),
    test: z.literal(true).optional(),
  })
  .meta({
    id: 'ReconciledLine',
    description:
      'One transfer as the lists of transactions, the books and its chain tell it: `amounts` are what each of them has, in the smallest unit (`units`) and in coin. `status` is the first of the `differences`; without any it is `agrees`, or says what is not known yet (`chain not asked`, `chain does not answer`, `few confirmations`). `settlement_status`: what the settlement log says of a payment (`settled`, or why it settles nothing: `late`, `unmatched`). `transaction`: one that no transfer settled, with what did. `posting`: a receipt in the books that no transaction explains. `edited_by_hand`: the keys of the transaction whose values are by hand.',
  })

const Sum = z.object({ asset: z.string(), status: z.enum(STATUSES), count: z.int(), ...amounts })

const Summary = z
  .object({
    all_agree: z.boolean(),
    lines: z.int(),
    differences: z.int(),
    by_hand: z.int(),
    coins: z.array(Sum),
  })
  .meta({
    id: 'ReconcileSummary',
    description:
      'The sums of this page, whatever `status` was asked for. `all_agree` is false, too, while a chain does not answer, or was to be asked and was not.',
  })

const PLACE_MAX = 2n ** 63n - 1n

const Cursor = z
  .string()
  .regex(
    /^(transfers\.\d{1,19}|transactions(\.\d{1,19})?|postings(\.\d{1,19}\.\d{1,5})?)$/,
    'has to be the cursor of the page before',
  )

/** The place that a cursor names in the account's own lists. Refuses `invalid-request` for none that was told. */
const placeOf = (text: string | undefined, accountId: string): ReconcileCursor => {
  if (text === undefined) return FIRST_PAGE
  const [part, place = '-1', line = '0'] = text.split('.')
  if (BigInt(place) > PLACE_MAX) return refuse('invalid-request', 'cursor: has to be the cursor of the page before')
  if (part === 'transfers') return { part, after: place }
  if (part === 'transactions') return { part, after: { accountId, number: place } }
  return { part: 'postings', after: { view: `seller:${accountId}`, position: place, line: Number(line) } }
}

const cursorOf = (next: ReconcileCursor | undefined): string | null => {
  if (next === undefined) return null
  if (next.part === 'transfers') return `transfers.${next.after}`
  if (next.part === 'transactions') return next.after.accountId === '' ? next.part : `${next.part}.${next.after.number}`
  return next.after.view === '' ? next.part : `${next.part}.${next.after.position}.${next.after.line}`
}

const query = z.object({
  from: From.optional(),
  to: To.optional(),
  by: z.enum(['settled', 'mined']).optional(),
  status: z.enum(STATUSES).optional(),
  chain: z.enum(['yes', 'no']).optional(),
  is_test: isTest,
  limit: page.query.limit,
  cursor: Cursor.optional(),
})

export const reconcileEndpoints = () => {
  const looks = createLooks<ReconcilePage>()
  return [
    endpoint({
      method: 'get',
      path: '/v1/reports/reconcile',
      summary:
        'Transactions, books and chains held against each other, transfer by transfer, the oldest first; `chain=no` asks no chain',
      auth: 'key',
      reach: 'store',
      callers: { capability: 'transactions.view', sandbox: 'secret' },
      query,
      returns: z.object({ lines: z.array(Line), summary: Summary, cursor: z.string().nullable() }),
      refusals: ['busy'],
      async answer({ query: asked, actor, flow, queries }) {
        const { accountId, storeScope: stores } = actor
        const { limit } = page.of(asked)
        const { status, chain = 'yes', cursor, from, to, by } = asked
        if (from !== undefined && to !== undefined && to < from) refuse('invalid-request', 'from: has to be before to')
        const test = listsTests(actor, asked.is_test)
        const wish = { accountId, stores, test, from, to, by }
        const place = placeOf(cursor, accountId)
        const context = { chains: chain === 'yes' ? flow.chains : undefined, world: flow.world }
        const look = () =>
          reconcilePage(queries, context, wish, place, { limit, most: PAGE_LOOKS_MAX, withinMs: PAGE_LOOKS_MS })
        const found =
          chain === 'no' || test ? await look() : await looks(JSON.stringify([wish, place, limit]), accountId, look)
        const tally = createTally()
        for (const line of found.lines) tally.add(line)
        const lines = found.lines.filter((line) => status === undefined || line.status === status)
        return {
          lines: lines.map((line) => shown(line, test)),
          summary: summaryOf(tally.found(), chain === 'yes'),
          cursor: cursorOf(found.next),
        }
      },
    }),
  ]
}

const summaryOf = (tally: Tally, isAsked: boolean): z.input<typeof Summary> => ({
  all_agree: tally.differences + tally.unanswered + (isAsked ? tally.unasked : 0) === 0,
  lines: tally.lines,
  differences: tally.differences,
  by_hand: tally.byHand,
  coins: tally.rows.map(({ asset, decimals, status, count, transactions, journal, chain }) => ({
    asset,
    status,
    count,
    transactions: exact(transactions, decimals),
    journal: exact(journal, decimals),
    chain: exact(chain, decimals),
  })),
})

const exact = (units: string | null, decimals: number) =>
  units === null ? null : { units, amount: toDecimal(BigInt(units), decimals) }

const shown = (line: ReconciledLine, test: boolean): z.input<typeof Line> => {
  const { decimals } = line
  return {
    kind: line.kind,
    status: line.status,
    differences: [...line.differences],
    transfer: line.transferId,
    ...(line.settlementStatus !== null && { settlement_status: line.settlementStatus }),
    transaction_id: line.transactionId,
    challenge_id: line.challengeId,
    hash: line.hash,
    network: line.network,
    asset: line.asset,
    amounts: {
      transactions: exact(line.amounts.transactions, decimals),
      journal: exact(line.amounts.journal, decimals),
      chain: exact(line.amounts.chain, decimals),
    },
    confirmations: line.confirmations,
    at: line.at,
    mined_at: line.minedAt,
    ...(line.signed && { signed: true as const }),
    ...(line.matched && { matched_by_hand: true as const }),
    ...(line.edited.length > 0 && { edited_by_hand: [...line.edited] }),
    ...(line.editedAt !== null && { edited_at: line.editedAt }),
    ...marked({ test }),
  }
}
