import type { Contestant, Goal } from '../comparison.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { Answered, Answering } from '../subjects/policies.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * What follows from settlements, through EventStoreDB's protocol on a network: events of different keys at once, beside
 * every event after the one before it.
 */

const ROUND_TRIPS_MS = [2, 20] as const
/** Events that follow from a settlement: the fee, or also the caller's spending, the transaction and what is told. */
const FOLLOWING = { fee: 1, all: 5 } as const

export const policies: BenchSet = {
  name: 'policies',
  title: 'What follows from settlements',
  async run(stage) {
    const started = (program: string, ...args: string[]): Worker => {
      const worker = startWorker(program, args)
      stage.closing(() => worker.stop())
      return worker
    }
    const node = started('subjects/esdb-node.ts', `${stage.dir}/log.db`)
    const { url } = await node.ask<{ url: string }>({})
    for (const roundTripMs of ROUND_TRIPS_MS) {
      const proxy = started('subjects/delaying-proxy.ts', new URL(url).host, String(roundTripMs))
      const subject = started('subjects/policies.ts', url, (await proxy.ask<{ url: string }>({})).url)
      await compare(stage, subject, `EventStoreDB's protocol, ${roundTripMs} ms of round trip`)
    }
    const own = started('subjects/policies.ts', `${stage.dir}/own.db`, String(ROUND_TRIPS_MS[0]))
    await compare(stage, own, `A log in the same process, each call ${ROUND_TRIPS_MS[0]} ms later`)
  },
}

const compare = async (stage: Stage, subject: Worker, where: string): Promise<void> => {
  const at = (which: Answering['which'], order: Answering['order'], sales: number) =>
    answering(`${which}, ${order}`, subject, { which, order, sales })
  await stage.compare({
    title: `${where}: settlements of 64 sellers, and the fee or all that follows`,
    unit: 'settlements',
    contestants: [
      at('fee', 'by key', stage.pick(1_000, 10_000)),
      at('fee', 'of the log', stage.pick(60, 500)),
      at('all', 'by key', stage.pick(300, 4_000)),
      at('all', 'of the log', stage.pick(30, 300)),
    ],
    goals: (['fee', 'all'] as const).map(
      (which): Goal => ({ subject: `${which}, by key`, reference: `${which}, of the log`, atLeast: 40 }),
    ),
  })
}

/** Sales so far; each is another one, also for the next subject. */
let written = 0

const answering = (name: string, subject: Worker, question: Omit<Answering, 'from'>): Contestant => ({
  name,
  round: async () => {
    const { rate, cpuMs, events } = await subject.ask<Answered>({ ...question, from: written })
    written += question.sales
    const expected = question.sales * FOLLOWING[question.which]
    if (events !== expected) throw new Error(`${name}: ${events} events followed, and not ${expected}`)
    return { rate, cpuMs }
  },
})
