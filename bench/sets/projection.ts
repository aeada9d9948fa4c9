import { mkdir } from 'node:fs/promises'
import { transactionsProjection } from '../../projections/selling/transactions/transactions.ts'
import type { Contestant, Goal } from '../comparison.ts'
import { copiedRows } from '../copied-rows.ts'
import { debianProgram, sayLeftOut } from '../debian.ts'
import type { Made, Question } from '../read-model.ts'
import type { BenchSet, Stage } from '../stage.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * The read model `transactions` made from its events, beside PostgreSQL taking in the ready rows, and beside a peer's
 * rebuild.
 */

const REBUILD = 'rebuild beside the serving tables, and swap'
const FOLLOWING = 'projector with a backlog'
const COPY = 'COPY of the ready rows, key and indexes'
const EMMETT = 'emmett rebuild'

export const projection: BenchSet = {
  name: 'projection',
  title: 'A read model from the log',
  async run(stage) {
    await besideCopy(stage, 'shown', 'four events of a sale make two rows')
    await besideCopy(stage, 'all', 'nine events of a sale, of which four make two rows')
    await besideEmmett(stage)
  },
}

/** Rates are events of the log per second for all: COPY is given every event that its rows were made from. */
const besideCopy = async (stage: Stage, which: 'shown' | 'all', says: string) => {
  const sales = stage.pick(10_000, 250_000)
  const { worker, url } = await readModel(stage, sales, which)
  const { events } = await ask(worker, 'log')
  await ask(worker, 'rebuild')
  const psql = debianProgram('psql')
  if (!psql) sayLeftOut('psql', COPY)
  await stage.compare({
    title: `Read model of ${sales.toLocaleString('en-US')} sales; ${says}, and every rate counts events`,
    unit: 'events',
    contestants: [
      made(worker, REBUILD, 'rebuild'),
      made(worker, FOLLOWING, 'following'),
      ...(psql ? [await copy(stage, psql, url, { sales, events, which })] : []),
    ],
    goals: psql ? COPY_GOALS[which] : [],
  })
  await worker.stop()
}

const COPY_GOALS: Readonly<Record<'shown' | 'all', readonly Goal[]>> = {
  shown: [
    { subject: REBUILD, reference: COPY, atLeast: 0.2 },
    { subject: FOLLOWING, reference: COPY, atLeast: 0.1 },
  ],
  // The events that a follower reads and passes over make no row, so there is no bar for them.
  all: [],
}

const copy = async (
  stage: Stage,
  psql: string,
  url: string,
  { sales, events, which }: { sales: number; events: number; which: string },
): Promise<Contestant> => {
  const dir = `${stage.dir}/${which}-rows`
  await mkdir(dir)
  const load = await copiedRows(psql, url, transactionsProjection, dir)
  return {
    name: COPY,
    round: async () => {
      const { rows, ms } = await load()
      if (rows !== 2 * sales) throw new Error(`${rows} rows were copied for ${sales} sales`)
      return { rate: events / (ms / 1000) }
    },
  }
}

const besideEmmett = async (stage: Stage) => {
  const sales = stage.pick(1_000, 10_000)
  const { worker } = await readModel(stage, sales, 'shown', 'beside-emmett')
  const peer = startWorker('peers/emmett-projection.ts', [(await stage.database()).url, String(sales)])
  stage.closing(() => peer.stop())
  const [log, peerLog] = await Promise.all([ask(worker, 'log'), ask(peer, 'log')])
  if (log.events !== peerLog.events) throw new Error(`${log.events} events here, ${peerLog.events} with emmett`)
  await stage.compare({
    title: `The same read model of ${log.events.toLocaleString('en-US')} events; the peer is counted what it did not skip`,
    unit: 'events',
    contestants: [made(worker, FOLLOWING, 'following'), made(peer, EMMETT, 'rebuild')],
    goals: [{ subject: FOLLOWING, reference: EMMETT, atLeast: 15 }],
  })
}

const readModel = async (stage: Stage, sales: number, which: 'shown' | 'all', name: string = which) => {
  const { url } = await stage.database()
  const worker = startWorker('subjects/read-model.ts', [`${stage.dir}/${name}.db`, url, String(sales), which])
  stage.closing(() => worker.stop())
  return { worker, url }
}

const made = (worker: Worker, name: string, make: Question['make']): Contestant => ({
  name,
  round: async () => {
    const { events, processed, ms } = await ask(worker, make)
    if (processed < events)
      process.stderr.write(`${name}: ${events - processed} of ${events} events were skipped and are not counted\n`)
    return { rate: processed / (ms / 1000) }
  },
})

const MAKE_MS = 900_000

const ask = (worker: Worker, make: Question['make']): Promise<Made> => worker.ask<Made>({ make }, MAKE_MS)
