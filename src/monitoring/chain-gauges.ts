import { Gauge, type Registry } from 'prom-client'
import type { ChainReport } from '../engine/watching.ts'

/** How the chains are, as it was last checked. What is not known has no value. */
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

type ChainGauge = { help: string; value(health: ChainReport): number | null }

const gauges: Readonly<Record<string, ChainGauge>> = {
  daybook_chain_head_height: { help: 'The newest block that any provider has', value: ({ head }) => head },
  daybook_chain_head_age_seconds: {
    help: 'Seconds since that block was made, by its own time',
    value: ({ headAgeSeconds }) => headAgeSeconds,
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
