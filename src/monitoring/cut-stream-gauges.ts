import { Gauge, type Registry } from 'prom-client'
import type { CutStreams } from '../../adapters/store/base/cut-streams.ts'

/** Streams that have a label of their own; `daybook_streams_cut` counts all. */
const NAMED_MAX = 100

/** Which streams the event store does not show whole, and whether this process still appends. */
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
