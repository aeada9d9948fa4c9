import { mkdir } from 'node:fs/promises'
import type { Contestant } from '../comparison.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { AsOfAnswer, AsOfFilled, AsOfQuestion } from '../subjects/as-of.ts'
import { startWorker, type Worker } from '../worker.ts'

/** The books of yesterday on logs of several lengths, beside a replay from the first event. */

const EVENTS_PER_SALE = 9
const SIZES = { small: [60_000, 120_000], full: [60_000, 250_000, 1_000_000] } as const
const LIMIT_MS = 3_600_000

const WAYS = { replay: 'replay --as-of', books: 'books --as-of', first: 'from the first event' } as const

export const asOf: BenchSet = {
  name: 'as-of',
  title: 'The books of a past time on a log that grows',
  async run(stage) {
    const logs: { readonly events: number; readonly worker: Worker }[] = []
    for (const events of SIZES[stage.size]) logs.push({ events, worker: await filled(stage, events) })
    const [smallest, largest] = [logs[0]?.events ?? 0, logs.at(-1)?.events ?? 0]
    const seen = new Map<number, string>()
    const read = new Map<string, number>()
    await stage.compare({
      title: 'A time half a block from both its edges; p50 is the milliseconds of one answer',
      unit: 'answers',
      contestants: logs.flatMap(({ events, worker }) =>
        (['replay', 'books', 'first'] as const).map((what): Contestant => {
          const name = nameOf(what, events)
          return { name, round: () => answered(worker, { what }, { events, name, seen, read }) }
        }),
      ),
      goals: [
        ...(['replay', 'books'] as const).map((what) => ({
          subject: nameOf(what, largest),
          reference: nameOf(what, smallest),
          figure: 'p50' as const,
          atMost: 1.5,
        })),
        {
          subject: nameOf('replay', largest),
          reference: nameOf('first', largest),
          atLeast: stage.pick(2, 10),
        },
      ],
      details: async () => [[...read].map(([name, folded]) => `${name}: ${counted(folded)} events folded`).join('\n')],
    })
  },
}

const counted = (count: number) => count.toLocaleString('en-US')
const nameOf = (what: keyof typeof WAYS, events: number) => `${WAYS[what]}, ${counted(events)} events`

const answered = async (
  worker: Worker,
  question: AsOfQuestion,
  { events, name, seen, read }: { events: number; name: string; seen: Map<number, string>; read: Map<string, number> },
) => {
  const answer = await worker.ask<AsOfAnswer>(question, LIMIT_MS)
  read.set(name, answer.read)
  if ((seen.get(events) ?? answer.balances) !== answer.balances) throw new Error(`${name} has other books`)
  seen.set(events, answer.balances)
  return { rate: 1_000 / answer.ms, p50: answer.ms }
}

const filled = async (stage: Stage, events: number): Promise<Worker> => {
  const dir = `${stage.dir}/${events}`
  await mkdir(dir)
  const [{ url }, empty] = [await stage.database(), await stage.database()]
  const sales = String(Math.round(events / EVENTS_PER_SALE))
  const worker = startWorker('subjects/as-of.ts', [sales, dir, url, empty.url])
  stage.closing(() => worker.stop())
  const question: AsOfQuestion = { what: 'fill' }
  const { logSeconds, rowSeconds, ...made } = await worker.ask<AsOfFilled>(question, LIMIT_MS)
  const rows = `journal ${rowSeconds.toFixed(1)} s`
  process.stderr.write(`${counted(made.events)} events: log ${logSeconds.toFixed(1)} s, ${rows}\n`)
  return worker
}
