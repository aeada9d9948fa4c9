import { Gauge, type Registry } from 'prom-client'
import type { RatesReport } from '../../adapters/rates/quotes/market.ts'

/** Prometheus metrics of the prices; none of them has a value while rates are fixed. */
export const rateGauges = (registry: Registry, rates: () => RatesReport | undefined): void => {
  const shared = { registers: [registry] }
  new Gauge({
    ...shared,
    name: 'daybook_rate_quote_age_seconds',
    help: 'Age of the newest quote of a source of rates',
    labelNames: ['source'] as const,
    collect() {
      this.reset()
      for (const { name, ageMs } of rates()?.sources ?? [])
        if (ageMs !== undefined) this.set({ source: name }, ageMs / 1_000)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_rate_held_back',
    help: '1 while what most sources say that a coin or currency costs is not believed, and is no price',
    labelNames: ['code'] as const,
    collect() {
      this.reset()
      const { coins = [], heldBack = [] } = rates() ?? {}
      for (const { symbol } of coins) this.set({ code: symbol }, 0)
      for (const code of heldBack) this.set({ code }, 1)
    },
  })
  coinGauges(registry, () => rates()?.coins ?? [])
}

const coinGauges = (registry: Registry, coins: () => RatesReport['coins']): void => {
  const gauge = (name: string, help: string, value: (coin: RatesReport['coins'][number]) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['coin'] as const,
      collect() {
        for (const coin of coins()) this.set({ coin: coin.symbol }, value(coin))
      },
    })
  gauge(
    'daybook_rate_sources',
    'Sources that agree on the price of a coin; below 2 it is not offered',
    ({ sources }) => sources,
  )
  gauge('daybook_rate_against', 'Sources that say something else than the price a coin has', ({ against }) => against)
  gauge('daybook_rate_depegged', '1 while a stablecoin is not worth a dollar and is not offered', ({ depegged }) =>
    Number(depegged),
  )
}
