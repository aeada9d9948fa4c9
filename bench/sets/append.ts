import type { Contestant, Goal } from '../comparison.ts'
import { debianProgram, sayLeftOut } from '../debian.ts'
import type { Flown } from '../flight.ts'
import { pgbenchInserts } from '../pgbench.ts'
import { EVENT_BYTES } from '../sizes.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { Target } from '../subjects/commands.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * A ledger command to its durable event, beside the disk, PostgreSQL, and the peer that keeps its events in PostgreSQL.
 */

const IN_FLIGHT = [1, 16, 64] as const
const DISK = 'write of 4 KB + fdatasync'

export const append: BenchSet = {
  name: 'append',
  title: 'A ledger command to its durable event',
  async run(stage) {
    const ms = stage.pick(500, 5_000)
    const pgbench = debianProgram('pgbench')
    if (!pgbench) sayLeftOut('pgbench', 'pgbench inserts')
    const ledger = await openLedger(stage)
    const disk = started(stage, 'subjects/fdatasync.ts', `${stage.dir}/disk`)
    await stage.compare({
      title: `One event of ${EVENT_BYTES} bytes of data at a time; the number is how many are in flight`,
      unit: 'events',
      contestants: [
        ...IN_FLIGHT.map((n) => ledgerAt(ledger, `ledger, ${n}`, 'spread', n, ms)),
        ...IN_FLIGHT.map((n) => ledgerAt(ledger, `ledger, one hot stream, ${n}`, 'hot', n, ms)),
        ledgerAt(ledger, 'ledger, a new stream each, 64', 'new', 64, ms),
        { name: DISK, round: () => disk.ask<Flown>({ inFlight: 1, ms }) },
        ...(pgbench ? await pgbenchInserts(stage, pgbench, IN_FLIGHT) : []),
        ...(await emmettAppends(stage, ms)),
      ],
      goals: [...GOALS, ...(pgbench ? PGBENCH_GOALS : [])],
    })
  },
}

const GOALS: readonly Goal[] = [
  { subject: 'ledger, 64', reference: DISK, atLeast: 2.5 },
  { subject: 'ledger, 64', reference: 'emmett append, 64', atLeast: 6 },
  { subject: 'ledger, one hot stream, 64', reference: 'ledger, 64', atLeast: 0.85 },
]
const PGBENCH_GOALS: readonly Goal[] = [
  { subject: 'ledger, 64', reference: 'pgbench insert, 64', atLeast: 1 },
  { subject: 'ledger, 1', reference: 'pgbench insert, 1', atLeast: 0.4 },
]

const started = (stage: Stage, program: string, ...args: string[]): Worker => {
  const worker = startWorker(program, args)
  stage.closing(() => worker.stop())
  return worker
}

const openLedger = async (stage: Stage): Promise<Worker> => {
  const { url } = await stage.database()
  return started(stage, 'subjects/ledger.ts', `${stage.dir}/log.db`, url)
}

const ledgerAt = (ledger: Worker, name: string, target: Target, inFlight: number, ms: number): Contestant => ({
  name,
  round: async () => {
    const flown = await ledger.ask<Flown & { events: number }>({ target, inFlight, ms })
    if (flown.events !== flown.done) throw new Error(`${flown.done} commands, but ${flown.events} events in the log`)
    return flown
  },
})

const emmettAppends = async (stage: Stage, ms: number): Promise<readonly Contestant[]> => {
  const { url, sql } = await stage.database()
  const emmett = started(stage, 'peers/emmett-append.ts', url)
  let known = 0
  const round = async (inFlight: number) => {
    const flown = await emmett.ask<Flown>({ inFlight, ms })
    const [row] = await sql<{ count: string }[]>`select count(*) from emt_messages`
    const events = Number(row?.count) - known
    known += events
    if (events !== flown.done) throw new Error(`emmett answered ${flown.done} appends and wrote ${events} rows`)
    return flown
  }
  return IN_FLIGHT.map((n) => ({ name: `emmett append, ${n}`, round: () => round(n) }))
}
