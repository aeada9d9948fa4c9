import { Gauge, type Registry } from 'prom-client'
import type { ContentionCounts } from '../../domain/write-side/homes.ts'

/** Gauges of the commands for streams that several processes write to, counted since the start of this one. */
export const contentionGauges = (registry: Registry, counts: () => Readonly<ContentionCounts>): void => {
  new Gauge({
    name: 'daybook_lost_races',
    help: 'Commands since the start that were decided again because another process had written to their stream',
    registers: [registry],
    collect() {
      this.set(counts().lostRaces)
    },
  })
  new Gauge({
    name: 'daybook_commands_handed_over',
    help: 'Commands since the start that were handed over to the home of their stream, by what came of it',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      const { decided, declined, unknown } = counts()
      for (const [outcome, count] of Object.entries({ decided, declined, unknown })) this.set({ outcome }, count)
    },
  })
  new Gauge({
    name: 'daybook_commands_decided_for_others',
    help: 'Commands since the start that this process decided for others, as the home of their streams',
    registers: [registry],
    collect() {
      this.set(counts().forOthers)
    },
  })
}
