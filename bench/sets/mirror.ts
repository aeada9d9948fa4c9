import type { Contestant } from '../comparison.ts'
import { EVENT_BYTES } from '../sizes.ts'
import type { BenchSet } from '../stage.ts'
import type { Way } from '../subjects/mirrored-log.ts'
import { startWorker } from '../worker.ts'

/** The whole log of EventStoreDB from its local mirror and over the protocol, and what the mirror costs to write. */

const FROM_MIRROR = 'events from the mirror'
const FROM_STORE = 'events over the protocol'
const LINES = 'lines of the mirror, checked against its seals'
const SHA256 = 'SHA-256 of its segments, and nothing else'
const STORE_LINES = 'lines over the protocol'
const WRITE = 'the same, written to a mirror'

/** Times that the mirror is read in a round, because one reading is too short to measure. */
const TIMES = 8

type Read = { readonly events: number; readonly ms: number; readonly peakMb: number }

export const mirror: BenchSet = {
  name: 'mirror',
  title: 'The local mirror of the log of EventStoreDB',
  async run(stage) {
    const events = stage.pick(10_000, 300_000)
    const node = startWorker('subjects/esdb-node.ts', [`${stage.dir}/log.db`, String(events)])
    stage.closing(() => node.stop())
    const { url } = await node.ask<{ url: string }>({})
    const kept = `${stage.dir}/mirror`
    const ways = { [FROM_MIRROR]: 'mirror', [FROM_STORE]: 'store', [LINES]: 'lines', [SHA256]: 'sha256' } as const
    const contestant = (name: string, way: Way, times = 1): Contestant => {
      // Each has a process of its own, whose memory is its own.
      const worker = startWorker('subjects/mirrored-log.ts', [url, kept])
      stage.closing(() => worker.stop())
      return {
        name,
        round: async () => {
          const { events: read, ms, peakMb } = await worker.ask<Read>({ way, times })
          if (read !== events * times && way !== 'sha256' && way !== 'write')
            throw new Error(`${name}: ${read} of ${times} × ${events} events`)
          return { rate: (events * times * 1000) / ms, peakMb }
        },
      }
    }
    await stage.compare({
      title: `The mirror of ${events.toLocaleString('en-US')} events from nothing`,
      unit: 'events',
      contestants: [contestant(STORE_LINES, 'store-lines'), contestant(WRITE, 'write')],
      goals: [
        { subject: WRITE, reference: STORE_LINES, atLeast: 0.6 },
        { subject: WRITE, reference: STORE_LINES, figure: 'peakMb', atMost: 1.25 },
      ],
    })
    await stage.compare({
      title: `${events.toLocaleString('en-US')} events of ${EVENT_BYTES} bytes of data`,
      unit: 'events',
      contestants: Object.entries(ways).map(([name, way]) => contestant(name, way, way === 'store' ? 1 : TIMES)),
      goals: [
        { subject: FROM_MIRROR, reference: FROM_STORE, atLeast: 2 },
        { subject: FROM_MIRROR, reference: FROM_STORE, figure: 'peakMb', atMost: 1.2 },
        { subject: LINES, reference: SHA256, atLeast: 0.4 },
        { subject: LINES, figure: 'peakMb', atMost: 200 },
      ],
    })
  },
}
