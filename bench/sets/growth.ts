import { mkdir } from 'node:fs/promises'
import type { Figure, Goal } from '../comparison.ts'
import type { Flown } from '../flight.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { Filled, GrowthQuestion } from '../subjects/growth.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * Measures the same work at several sizes of the log, each beside the smallest. All sizes are there at once, so that
 * they share each minute.
 */

const SIZES = { small: [10_000, 100_000], full: [10_000, 100_000, 1_000_000, 10_000_000] } as const
const FILL_LIMIT_MS = 3_600_000

type Measured = {
  readonly what: GrowthQuestion['what']
  readonly title: string
  readonly unit: string
  /** Bounds for each figure of the largest size over that of the smallest. */
  readonly atMost?: Partial<Record<Figure, number>>
}

const MEASURED: readonly Measured[] = [
  {
    what: 'append',
    title: 'A ledger command that begins a stream, to its durable event; 64 in flight',
    unit: 'events',
    atMost: { p50: 1.3, p99: 2 },
  },
  { what: 'stream', title: 'A stream of two events; 8 in flight', unit: 'reads' },
  { what: 'row', title: 'One transaction by its id; 8 in flight', unit: 'reads', atMost: { p50: 1.6 } },
  { what: 'list', title: "An account's newest 25 transactions; 8 in flight", unit: 'reads', atMost: { p50: 2.5 } },
  { what: 'open', title: 'Opening the log', unit: 'openings' },
  {
    what: 'long',
    title: 'The state of an account with four tenths of all events, by a process that does not know it yet',
    unit: 'reads',
  },
]

export const growth: BenchSet = {
  name: 'growth',
  title: 'The same work on a log that grows',
  async run(stage) {
    const sizes = SIZES[stage.size]
    const ms = stage.pick(300, 2_000)
    const workers: { readonly name: string; readonly worker: Worker }[] = []
    for (const events of sizes) workers.push({ name: named(events), worker: await filled(stage, events) })
    for (const { what, title, unit, atMost = {} } of MEASURED)
      await stage.compare({
        title,
        unit,
        contestants: workers.map(({ name, worker }) => ({ name, round: () => worker.ask<Flown>({ what, ms }) })),
        goals: Object.entries(atMost).map(([figure, most]) => goalOf(sizes, figure as Figure, most)),
      })
  },
}

const named = (events: number) => `${events.toLocaleString('en-US')} events`

const goalOf = (sizes: readonly number[], figure: Figure, atMost: number): Goal => ({
  subject: named(sizes.at(-1) ?? 0),
  reference: named(sizes[0] ?? 0),
  figure,
  atMost,
})

const filled = async (stage: Stage, events: number): Promise<Worker> => {
  const dir = `${stage.dir}/${events}`
  await mkdir(dir)
  const { url } = await stage.database()
  const worker = startWorker('subjects/growth.ts', [String(events), dir, url])
  stage.closing(() => worker.stop())
  const question: GrowthQuestion = { what: 'fill', ms: 0 }
  const { eventBytes, logSeconds, rowSeconds } = await worker.ask<Filled>(question, FILL_LIMIT_MS)
  const rows = `rows ${rowSeconds.toFixed(1)} s`
  process.stderr.write(`${named(events)} of ${eventBytes} bytes: log ${logSeconds.toFixed(1)} s, ${rows}\n`)
  return worker
}
