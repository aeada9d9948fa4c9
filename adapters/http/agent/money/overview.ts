import { z } from 'zod'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import { type Overview, overviewOf, type SoldInCoin } from '../../../../domain/use-cases/money/overview.ts'
import { listsTests } from '../../core/actor.ts'
import { endpoint } from '../../core/endpoint.ts'
import { fiatNumber } from '../common/amounts.ts'
import { isTest } from '../common/paging.ts'
import { PeriodName } from '../common/times.ts'

/** The figures of a seller's last days. */

const Coin = z.object({
  asset: z.string(),
  sales: z.int(),
  sold_usd: z.number(),
  settled_amount: z.string(),
  settled_units: z.string(),
  settled_usd: z.number(),
})

const MatterShape = z.object({
  kind: z.enum(['unmatched', 'underpaid', 'webhooks-failed', 'disputed', 'low-credit', 'chains-behind']),
  count: z.int(),
  transactions: z.array(z.string()),
  networks: z.array(z.string()).optional(),
})

const OverviewShape = z
  .object({
    period: PeriodName,
    from: z.string(),
    to: z.string(),
    zone: z.string(),
    sold: z.object({ sales: z.int(), usd: z.number() }),
    settled: z.object({ usd: z.number(), coins: z.array(Coin) }),
    refunded_usd: z.number().nullable(),
    fees: z.object({ platform: z.number(), gas: z.number().nullable() }),
    days: z.array(z.object({ day: z.string(), sales: z.int(), sold_usd: z.number(), coins: z.array(Coin) })),
    credit: z.object({ balance: z.number(), days_left: z.int().nullable() }).nullable(),
    needs_hand: z.array(MatterShape),
    test: z.literal(true).optional(),
  })
  .meta({
    id: 'Overview',
    description:
      'What was sold in the period, by day and coin. `sold`: the prices of all sales, in US dollars. `settled`: what came for them, in each coin and by its worth at the rate of the sale; of payments by card, `asset` is the currency. What a chain takes back, or the seller gives back (`refunded_usd`), is taken off on the day on which that happens. `fees` are those of the sales, `gas` what was billed for signed payments. `credit.days_left`: how long the credit lasts while as much is charged a day as in the last 30 days; null where nothing was. `needs_hand`: what of the last 30 days waits for somebody, with at most 100 counted and the newest transactions named. A key of single stores sees no refunds, gas and credit, which are those of the account.',
  })

const overview = endpoint({
  method: 'get',
  path: '/v1/reports/overview',
  summary: 'What was sold today, in the last 7 or 30 days, how long the credit lasts, and what needs a hand',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  query: z.object({ period: PeriodName.optional(), is_test: isTest }),
  returns: OverviewShape,
  async answer({ query, actor, ...parts }) {
    const test = listsTests(actor, query.is_test)
    return shown(await overviewOf(parts, actor, { period: query.period ?? '7d', test }))
  },
})

export const overviewEndpoints = [overview]

const shown = (given: Overview): z.input<typeof OverviewShape> => {
  const { days, credit, matters, gasFee, refundedUsd } = given
  return {
    period: given.period,
    from: days[0]?.day ?? '',
    to: days.at(-1)?.day ?? '',
    zone: given.zone,
    sold: { sales: given.sold.sales, usd: fiatNumber(given.sold.usd) },
    settled: { usd: fiatNumber(given.settledUsd), coins: given.coins.map(coinShown) },
    refunded_usd: refundedUsd === null ? null : fiatNumber(refundedUsd),
    fees: { platform: fiatNumber(given.fee), gas: gasFee === null ? null : fiatNumber(gasFee) },
    days: days.map(({ day, sales, usd, coins }) => ({
      day,
      sales,
      sold_usd: fiatNumber(usd),
      coins: coins.map(coinShown),
    })),
    credit: credit && { balance: fiatNumber(credit.balance), days_left: credit.daysLeft },
    needs_hand: matters.map(({ kind, count, transactions, networks }) => ({
      kind,
      count,
      transactions: [...transactions],
      ...(networks && { networks: [...networks] }),
    })),
    ...(given.test && { test: true as const }),
  }
}

const coinShown = ({ asset, decimals, sales, usd, settled, settledUsd }: SoldInCoin): z.input<typeof Coin> => ({
  asset,
  sales,
  sold_usd: fiatNumber(usd),
  settled_amount: toDecimal(settled, decimals),
  settled_units: String(settled),
  settled_usd: fiatNumber(settledUsd),
})
