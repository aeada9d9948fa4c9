import { Gauge, type Registry } from 'prom-client'
import type { CutStreams } from '../../adapters/store/base/cut-streams.ts'
import type { EventReading } from '../../adapters/store/base/event-reading.ts'
import type { MirrorWorker } from '../engine/mirror.ts'
import type { HeadsReport, WitnessReport } from '../heads/report.ts'

/** Streams that have a label of their own; `daybook_streams_cut` counts all. */
const NAMED_MAX = 100

/** Gauges of the streams that the event store does not show whole, and of whether this process still appends. */
export const cutStreamGauges = (registry: Registry, cuts: Pick<CutStreams, 'all' | 'writable'>): void => {
  new Gauge({
    name: 'daybook_streams_cut',
    help: 'Streams of the ledger that the event store does not show whole any more',
    registers: [registry],
    collect() {
      this.set(cuts.all().length)
    },
  })
  new Gauge({
    name: 'daybook_stream_cut',
    help: '1 for each such stream, at most 100 of them, with what was done to it',
    labelNames: ['stream', 'reason'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const cut of cuts.all().slice(0, NAMED_MAX)) this.set(cut, 1)
    },
  })
  new Gauge({
    name: 'daybook_appends_stopped',
    help: '1 once an append has landed elsewhere than it was sent to: this process appends nothing until it is started again',
    registers: [registry],
    collect() {
      this.set(cuts.writable() ? 0 : 1)
    },
  })
}

/** Gauges of the events that are not read, and of the followers of this process that stand at one. */
export const readingGauges = (
  registry: Registry,
  { unreadable, foreign }: Pick<EventReading, 'unreadable' | 'foreign'>,
  stops: () => ReadonlyMap<string, unknown>,
): void => {
  new Gauge({
    name: 'daybook_unreadable_events',
    help: 'Events of the log that this process has met and cannot read, and that nobody has set aside',
    registers: [registry],
    collect() {
      this.set(unreadable().length)
    },
  })
  new Gauge({
    name: 'daybook_foreign_events',
    help: 'Events of other programs that this process has passed over in the log, by the category of their streams',
    labelNames: ['category'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [category, count] of foreign()) this.set({ category }, count)
    },
  })
  new Gauge({
    name: 'daybook_follower_stopped',
    help: '1 for each follower of this process that stands at an event that cannot be read',
    labelNames: ['follower'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const follower of stops().keys()) this.set({ follower }, 1)
    },
  })
}

/** Gauges of the witnesses of the log, where there are some. Where a value is not known, there is none. */
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

/** Gauges of the mirror of the log, in a service that has one. */
export const mirrorGauges = (registry: Registry, { report, head }: Pick<MirrorWorker, 'report' | 'head'>): void => {
  new Gauge({
    name: 'daybook_mirror_stopped',
    help: '1 while the mirror of the log cannot be written',
    registers: [registry],
    collect() {
      this.set(report().state === 'stopped' ? 1 : 0)
    },
  })
  new Gauge({
    name: 'daybook_mirror_lag_positions',
    help: 'Log positions between the newest event and the last in the mirror, where this process writes it',
    registers: [registry],
    collect() {
      const { state, at } = report()
      if (state === 'standby') this.remove()
      else this.set(Math.max(0, Number(head() - at)))
    },
  })
}
