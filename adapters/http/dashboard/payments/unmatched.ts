import { z } from 'zod'
import { spanOfDay, type ZoneClock } from '../../../../domain/kernel/calendar.ts'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import { clockOf } from '../../../../domain/use-cases/account/time-zone.ts'
import type { UnmatchedRow } from '../../../../projections/selling/unmatched-queries.ts'
import { type CsvColumns, pagedCsv } from '../../../csv/lines.ts'
import type { Downloads } from '../../agent/common/downloads.ts'
import {
  returnStatusOf,
  stateOf,
  UnmatchedFilters,
  UnmatchedPlace,
  type UnmatchedWish,
  unmatchedPage,
} from '../../agent/selling/unmatched-money.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { UNMATCHED, type UnmatchedParts } from '../../pages/dashboard/payments/paths.ts'
import { unmatchedListPage } from '../../pages/dashboard/payments/unmatched.ts'
import { ofMembers } from '../of-dashboard.ts'

/** Money that settles nothing, by the list that `GET /v1/unmatched` answers, and the same as CSV. */

const ROWS = 50
const CSV_ROWS = 500
const FIELD_MAX = 200

const text = z.string().max(FIELD_MAX).optional()
/** As a form sends them: an empty field narrows nothing. What is wrong with one is said beside it. */
const asked = { search: text, state: text, reason: text, asset: text, from: text, to: text }

const list = endpoint({
  ...ofMembers,
  path: UNMATCHED,
  method: 'get',
  reach: 'store',
  callers: { capability: 'transactions.view' },
  summary: 'Money that came and settles nothing, narrowed by the filters in the address',
  query: z.object({ ...asked, before: UnmatchedPlace.optional(), done: text }),
  async answer({ query: { before, done, ...given }, actor, flow, queries }) {
    const { wish, errors } = understood(given, await clockOf(flow, actor.accountId))
    const { rows, next } = errors
      ? { rows: [], next: null }
      : await unmatchedPage(queries, actor.actor, wish, { limit: ROWS, before })
    const isMatched = done === 'match'
    return unmatchedListPage({ member: actor, filters: given, errors, rows, isFirst: !before, older: next, isMatched })
  },
})

const csv = (downloads: Downloads) =>
  endpoint({
    auth: 'member',
    path: `${UNMATCHED}.csv`,
    method: 'get',
    reach: 'store',
    callers: { capability: 'transactions.export' },
    summary: 'The money that the list shows, as CSV, newest first',
    ignores: 'query',
    query: z.object(asked),
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    async answer({ query, actor, flow, queries }) {
      const wish = UnmatchedFilters.parse(wishOf(query, await clockOf(flow, actor.accountId)))
      const next = (before: string | undefined) =>
        unmatchedPage(queries, actor.actor, wish, { limit: CSV_ROWS, before })
      const body = await downloads.start(actor.accountId, async () => pagedCsv(COLUMNS, next))
      return new Reply(200, body, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="unmatched.csv"',
      })
    },
  })

export const unmatchedListEndpoints = (downloads: Downloads) => [list, csv(downloads)]

const COLUMNS: CsvColumns<UnmatchedRow> = {
  transfer: ({ transferId }) => transferId,
  at: ({ at }) => at,
  mined_at: ({ minedAt }) => minedAt,
  state: ({ status }) => stateOf(status),
  reason: ({ status }) => (stateOf(status) === 'open' ? status : null),
  asset: ({ asset }) => asset,
  asset_amount: ({ paid, decimals }) => toDecimal(BigInt(paid), decimals),
  hash: ({ hash }) => hash,
  payer: ({ payer }) => payer,
  address: ({ payee }) => payee,
  transaction_id: ({ transactionId }) => transactionId,
  ignored_for: ({ ignoredFor }) => ignoredFor,
  returned_amount: ({ returned, decimals }) => (returned === null ? null : toDecimal(BigInt(returned), decimals)),
  return_status: ({ returnState, isSought }) => (returnState === null ? null : returnStatusOf(returnState, isSought)),
  return_hash: ({ returnHash }) => returnHash,
  handled_at: ({ handledAt }) => handledAt,
}

/** The filters in the shapes of the API, or what is wrong with each. */
const understood = (
  given: UnmatchedParts,
  clock: ZoneClock,
): { readonly wish: UnmatchedWish; readonly errors: Readonly<Record<string, string>> | undefined } => {
  const read = UnmatchedFilters.safeParse(wishOf(given, clock))
  if (read.success) return { wish: read.data, errors: undefined }
  const errors = Object.fromEntries(read.error.issues.map(({ path, message }) => [String(path[0]), message]))
  return { wish: {}, errors }
}

/** Without a state the page shows what needs a hand. A day is one of the account's own clocks. */
const wishOf = ({ state, reason, from, to, asset, search }: UnmatchedParts, clock: ZoneClock) => ({
  ...(state !== 'all' && { state: state || 'open' }),
  ...(reason && { reason }),
  ...(asset && { asset }),
  ...(search && { search }),
  ...(from && { from: isDay(from) ? spanOfDay(clock, from).from : from }),
  ...(to && { to: isDay(to) ? spanOfDay(clock, to).to : to }),
})

const isDay = (typed: string): boolean => z.iso.date().safeParse(typed).success
