import { z } from 'zod'
import { daysUpTo } from '../../../../domain/kernel/calendar.ts'
import { clockOf } from '../../../../domain/use-cases/account/time-zone.ts'
import { endpoint } from '../../core/endpoint.ts'
import { StoreNumber, storeOf } from '../../core/stores.ts'
import { TILL_SALES } from '../../pages/dashboard/till/paths.ts'
import { todayPage } from '../../pages/dashboard/till/today.ts'
import { ofTill } from './keypad.ts'

/** What was sold today at the till of a store. */

const ROWS = 50
const DAYS = 1

const look = endpoint({
  ...ofTill,
  path: TILL_SALES,
  method: 'get',
  summary: 'The sales of today at the till of a store, newest first, with what was taken',
  query: z.object({ store: StoreNumber.optional(), before: z.string().max(64).optional() }),
  refusals: [...ofTill.refusals, 'store-not-found'],
  async answer({ query: { store, before }, flow, queries, actor }) {
    const storeId = await storeOf(flow, actor.actor, store)
    const [day] = daysUpTo(await clockOf(flow, actor.accountId), flow.world.now().toISOString(), DAYS)
    const scope = { accountId: actor.accountId, storeId, from: day?.start ?? '' }
    const [rows, totals, coins] = await Promise.all([
      queries.tillSales(scope, before || undefined, ROWS + 1),
      queries.tillTotals(scope),
      queries.tillCoins(scope),
    ])
    const older = rows.length > ROWS ? rows[ROWS - 1]?.requestId : undefined
    return todayPage({ member: actor, storeId, sales: rows.slice(0, ROWS), totals, coins, older, isFirst: !before })
  },
})

export const tillTodayEndpoints = [look]
