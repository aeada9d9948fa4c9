import { z } from 'zod'
import { nameOf } from '../../../../domain/account/named.ts'
import { spanOfDay, type ZoneClock } from '../../../../domain/kernel/calendar.ts'
import { clockOf } from '../../../../domain/use-cases/account/time-zone.ts'
import type { Downloads } from '../../agent/common/downloads.ts'
import {
  Filters,
  filters,
  transactionDownload,
  transactionRows,
  type Wish,
} from '../../agent/selling/transaction-lists.ts'
import { inScope } from '../../core/actor.ts'
import { endpoint } from '../../core/endpoint.ts'
import { paymentsPage } from '../../pages/dashboard/payments/list.ts'
import { PAYMENTS, type PaymentFilters } from '../../pages/dashboard/payments/paths.ts'
import { type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { maybePaid } from './still-due.ts'

/** Every transaction of the account, by the list that `GET /v1/transactions` answers, and the same as CSV. */

const ROWS = 50
const FIELD_MAX = 200

const text = z.string().max(FIELD_MAX).optional()
/** As a form sends them: an empty field narrows nothing. What is wrong with one is said beside it. */
const asked = {
  search: text,
  status: text,
  asset: text,
  type: text,
  store_id: text,
  amount_from: text,
  amount_to: text,
  from: text,
  to: text,
  test: text,
}

const list = endpoint({
  ...ofMembers,
  path: PAYMENTS,
  method: 'get',
  reach: 'store',
  callers: { capability: 'transactions.view' },
  summary: 'The payments of the account, newest first, narrowed by the filters in the address',
  query: z.object({ ...asked, before: text }),
  async answer({ query: { before, ...given }, actor, flow, queries }) {
    const { wish, errors } = understood(given, await clockOf(flow, actor.accountId))
    const rows = errors
      ? []
      : await transactionRows(queries, actor.actor, { ...wish, ...(before && { before }), limit: ROWS + 1 })
    const shown = rows.slice(0, ROWS)
    return paymentsPage({
      member: actor,
      filters: given,
      errors,
      rows: shown,
      maybePaid: await maybePaid({ queries, actor }, shown),
      isFirst: !before,
      older: rows.length > ROWS ? rows[ROWS - 1]?.id : undefined,
      stores: await storesOf({ flow, actor }),
    })
  },
})

const csv = (downloads: Downloads) =>
  endpoint({
    auth: 'member',
    path: `${PAYMENTS}.csv`,
    method: 'get',
    reach: 'store',
    callers: { capability: 'transactions.export' },
    summary: 'The payments that the list shows, as CSV, oldest first',
    ignores: 'query',
    query: z.object(asked),
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    async answer({ query, actor, flow, queries }) {
      const clock = await clockOf(flow, actor.accountId)
      return await transactionDownload(
        downloads,
        flow,
        queries,
        actor.actor,
        Filters.parse(wishOf(query, clock)),
        clock,
      )
    },
  })

export const paymentListEndpoints = (downloads: Downloads) => [list, csv(downloads)]

/** The filters in the shapes of the API, or what is wrong with each. */
const understood = (
  given: PaymentFilters,
  clock: ZoneClock,
): { readonly wish: Wish; readonly errors: Readonly<Record<string, string>> | undefined } => {
  const read = Filters.safeParse(wishOf(given, clock))
  if (read.success) return { wish: read.data, errors: undefined }
  const errors = Object.fromEntries(read.error.issues.map(({ path, message }) => [String(path[0]), message]))
  return { wish: {}, errors }
}

/** A day is one of the account's own clocks. */
const wishOf = ({ test, from, to, ...given }: PaymentFilters, clock: ZoneClock) => ({
  ...(from && { from: isDay(from) ? spanOfDay(clock, from).from : from }),
  ...(to && { to: isDay(to) ? spanOfDay(clock, to).to : to }),
  ...Object.fromEntries(
    Object.entries(given).filter(([name, value]) => name in filters && value !== undefined && value !== ''),
  ),
  is_test: test === '1' ? '1' : '0',
})

const isDay = (typed: string): boolean => z.iso.date().safeParse(typed).success

/** The stores that the member may see, by their numbers. */
export const storesOf = async ({
  flow: { ledger, vault },
  actor: { accountId, actor },
}: Pick<MemberRequest, 'flow' | 'actor'>): Promise<readonly (readonly [id: string, label: string])[]> => {
  const { stores } = await ledger.stores.recent(accountId)
  const seen = Object.entries(stores).filter(([id]) => inScope(actor, Number(id)))
  return await Promise.all(seen.map(async ([id, { label }]) => [id, (await nameOf(vault, label)) || id] as const))
}
