import { Gauge, type Registry } from 'prom-client'
import type { HeadsReport, WitnessReport } from '../heads/report.ts'

/** How the witnesses of the log stand, where there are some. What is not known has no value. */
export const headGauges = (registry: Registry, report: () => Promise<HeadsReport>): void => {
  for (const [name, { help, value }] of Object.entries(gauges))
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['witness'] as const,
      async collect() {
        this.reset()
        const { witnesses } = await report()
        for (const witness of witnesses) {
          const known = value(witness)
          if (known !== null) this.set({ witness: witness.name }, known)
        }
      },
    })
  new Gauge({
    name: 'daybook_stamp_age_seconds',
    help: 'Seconds since an authority stamped a head of the log',
    registers: [registry],
    async collect() {
      this.reset()
      const { stamp } = await report()
      if (stamp && stamp.age !== null) this.set(stamp.age)
    },
  })
}

const gauges: Readonly<Record<string, { help: string; value(witness: WitnessReport): number | null }>> = {
  daybook_witness_cosigned_age_seconds: {
    help: 'Seconds since a witness signed a head of the log',
    value: ({ age }) => age,
  },
  daybook_witness_behind_events: {
    help: 'Events of the newest head that a witness has not signed',
    value: ({ behind }) => behind,
  },
  daybook_witness_refused: {
    help: '1 while a witness says that it has seen another history of the log, and nothing is sealed',
    value: ({ status }) => (status === 'refused' ? 1 : 0),
  },
}
