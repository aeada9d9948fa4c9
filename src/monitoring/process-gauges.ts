import { Gauge, type Registry } from 'prom-client'

/** Which followers this process runs, of those that there are, and how many processes serve. */
export type ProcessSource = {
  followers(): readonly string[]
  running(): readonly string[]
  alive(): number
}

/** Gauges of what this process does beside the others. The labels are the names of followers in the code. */
export const processGauges = (registry: Registry, { followers, running, alive }: ProcessSource): void => {
  new Gauge({
    name: 'daybook_follower_runs_here',
    help: '1 for each follower of the log that this process runs, 0 for those that it stands by for',
    labelNames: ['follower'] as const,
    registers: [registry],
    collect() {
      const here = new Set(running())
      for (const follower of followers()) this.set({ follower }, here.has(follower) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'daybook_processes',
    help: 'Processes that serve the same log and are alive, this one included; 0 while it has lost its place',
    registers: [registry],
    collect() {
      this.set(alive())
    },
  })
}
