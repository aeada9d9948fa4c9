import { Gauge, type Registry } from 'prom-client'
import type { RatesReport } from '../../adapters/rates/quotes/market.ts'
import type { ChainReport } from '../engine/watching.ts'
import type { RelayersReport } from '../outside/relayers.ts'

/** Gauges of the chains, as they were last checked. Where a value is not known, there is none. */
export const chainGauges = (registry: Registry, chains: () => ReadonlyMap<string, ChainReport>): void => {
  for (const [name, { help, value }] of Object.entries(gauges))
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['network'] as const,
      collect() {
        this.reset()
        for (const [network, health] of chains()) {
          const known = value(health)
          if (known !== null) this.set({ network }, known)
        }
      },
    })
  new Gauge({
    name: 'daybook_chain_provider_closed',
    help: '1 while a provider is asked like any other, 0 while it is left alone; numbered in the order of the setting',
    registers: [registry],
    labelNames: ['network', 'provider'] as const,
    collect() {
      this.reset()
      for (const [network, { providers }] of chains())
        for (const [n, state] of providers.entries())
          this.set({ network, provider: String(n + 1) }, state === 'closed' ? 1 : 0)
    },
  })
}

const BEHIND: ReadonlySet<ChainReport['status']> = new Set(['down', 'stale', 'behind'])

type ChainGauge = { help: string; value(health: ChainReport): number | null }

const gauges: Readonly<Record<string, ChainGauge>> = {
  daybook_chain_head_height: { help: 'The newest block that any provider has', value: ({ head }) => head },
  daybook_chain_head_age_seconds: {
    help: 'Seconds since that block was made, by its own time',
    value: ({ headAgeSeconds }) => headAgeSeconds,
  },
  daybook_chain_behind: {
    help: '1 while no provider answers, no new block has come for long, or the watch has not read the newest ones',
    value: ({ status }) => (BEHIND.has(status) ? 1 : 0),
  },
  daybook_chain_cursor_behind_blocks: {
    help: 'Blocks that the watch has not read yet; only in the process that watches the chain',
    value: ({ cursorBehindBlocks }) => cursorBehindBlocks,
  },
  daybook_chain_providers_answering: {
    help: 'Providers that answered the last check; 0 means that the chain is down',
    value: ({ answering }) => answering,
  },
  daybook_chain_providers_disagree: {
    help: '1 while providers show different chains, or one is far behind another',
    value: ({ disagree }) => (disagree ? 1 : 0),
  },
  daybook_chain_voices: {
    help: 'Providers that can be asked apart from one another; 1 decides alone over what is paid',
    value: ({ voices }) => voices,
  },
  daybook_chain_payments_disputed: {
    help: 'Payments that providers contradict each other about; they are not booked',
    value: ({ payments }) => payments.disputedCount,
  },
  daybook_chain_payments_unconfirmed: {
    help: 'Payments that wait for a second provider to say the same, the disputed ones included',
    value: ({ payments }) => payments.waitingCount,
  },
}

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

/** Gauges of the relayers of signed payments. Where a value is not known, there is none. */
export const relayerGauges = (registry: Registry, relayers: () => Promise<RelayersReport>): void => {
  const shared = { registers: [registry], labelNames: ['network'] as const }
  new Gauge({
    ...shared,
    name: 'daybook_relayer_balance',
    help: 'What a relayer has left for gas, in whole coins of its network',
    async collect() {
      this.reset()
      for (const [network, { balance }] of await relayers())
        if (balance !== undefined) this.set({ network }, Number(balance) / WHOLE_COIN)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_short',
    help: '1 while a relayer is running out of coin for gas',
    async collect() {
      this.reset()
      for (const [network, { status }] of await relayers())
        if (status !== 'unknown') this.set({ network }, status === 'short' ? 1 : 0)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_payments_waiting',
    help: 'Signed payments that were taken and have neither settled nor failed',
    async collect() {
      this.reset()
      for (const [network, { waiting }] of await relayers()) this.set({ network }, waiting)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_oldest_seconds',
    help: 'How long the signed payment that waits longest has done so; 0 when none waits',
    async collect() {
      this.reset()
      for (const [network, { oldestSeconds }] of await relayers()) this.set({ network }, oldestSeconds ?? 0)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_lost_usd',
    help: 'What was lost within the hour to payments that came to nothing, in US dollars',
    async collect() {
      this.reset()
      for (const [network, { lostUsd }] of await relayers()) this.set({ network }, Number(lostUsd) / MILLIONTHS)
    },
  })
  new Gauge({
    ...shared,
    name: 'daybook_relayer_lost_limit_usd',
    help: 'What may be lost in an hour (RELAY_LOSS_PER_HOUR), in US dollars',
    async collect() {
      this.reset()
      for (const [network, { limitUsd }] of await relayers()) this.set({ network }, Number(limitUsd) / MILLIONTHS)
    },
  })
}

/** Every EVM network's own coin has 18 digits; a gauge is for looking at and need not be exact. */
const WHOLE_COIN = 1e18

const MILLIONTHS = 1e6
