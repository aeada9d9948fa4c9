import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../src/demo/client.ts'
import type { Contestant, Figures } from '../comparison.ts'
import { cpuSeconds } from '../cpu.ts'
import { openInstallation, type Processes, withProcesses } from '../processes.ts'
import type { BenchSet, Stage } from '../stage.ts'

/**
 * One process and several on one log: how long a write takes where the log is followed and where it is not, whether
 * another process answers by what it was before, what a sale costs at one rate, and how many sales there are at most.
 */

/** The numbers of processes whose sales a second are compared. */
const FULL_COUNTS = [1, 2, 3] as const
/** Those of which a sale's processor time is compared. */
const COST_COUNTS = [1, 2, 4] as const
/**
 * Seconds of sales in one part of the warming up, for each process. Each has to compile what it runs, and does so later
 * the fewer calls it gets: four processes took 27 ms of processor time for a sale in their first 5 s together, and 9
 * after 30 s.
 */
const WARM_SECONDS = 5
/** The share of the part before by which a sale is still cheaper while processes warm up, and the most parts. */
const WARMER_SHARE = 0.05
const WARM_PARTS_MAX = 6
/** Writes a second of the one caller whose waits are measured. */
const WRITES_PER_SECOND = 20
/** Writes before those that are measured: a sale runs other code than they do. */
const WARM_WRITES = 100
/** Buyers at once. */
const BUYERS = 8

export const processes: BenchSet = {
  name: 'processes',
  title: 'Several processes on one log',
  async run(stage) {
    const seconds = stage.pick(8, 20)
    await compareWaits(stage)
    await compareSales(stage, seconds)
    await compareCosts(stage, seconds)
    if (process.env.EVENTSTORE_URL) await onServer(stage, process.env.EVENTSTORE_URL, seconds)
  },
}

const compareWaits = async (stage: Stage): Promise<void> => {
  const writes = stage.pick(150, 600)
  const old: string[] = []
  const writing = (name: string, count: number, here: number, there: number): Contestant => ({
    name,
    round: alone(stage, count, async (at) => {
      const one = { here, there, old: (what: string) => old.push(`${name}: ${what}`) }
      await toggled(at, { ...one, writes: WARM_WRITES })
      return toggled(at, { ...one, writes })
    }),
  })
  await stage.compare({
    title: `${writes} writes, ${WRITES_PER_SECOND} a second, each read at another process at once`,
    unit: 'writes',
    contestants: [
      writing(ALONE, 1, 0, 0),
      writing('where it is not, of 2', 2, 1, 0),
      writing('where the log is followed, of 3', 3, 0, 2),
      writing('where it is not, of 3', 3, 1, 2),
    ],
    goals: [
      { subject: 'where it is not, of 2', figure: 'p50', atMost: P50_MS },
      { subject: 'where it is not, of 3', figure: 'p50', atMost: P50_MS },
      { subject: 'where it is not, of 3', figure: 'p99', atMost: P99_MS },
      { subject: 'where it is not, of 3', reference: ALONE, figure: 'p50', atMost: 2 },
    ],
    details: async () => [`${old.length} reads elsewhere showed what was before`, ...old.slice(0, 5)],
  })
}

const compareSales = (stage: Stage, seconds: number): Promise<void> =>
  stage.compare({
    title: `Test sales by ${BUYERS} buyers at once, spread over the processes, for ${seconds} s`,
    unit: 'sales',
    contestants: FULL_COUNTS.map((count) => ({
      name: sales(count),
      round: alone(stage, count, (at) => sold(at, seconds)),
    })),
    goals: FULL_GOALS,
  })

/** What a sale costs at half the rate that one process can. */
const compareCosts = async (stage: Stage, seconds: number): Promise<void> => {
  const most = await alone(stage, 1, (at) => sold(at, seconds))()
  const pace = Math.ceil(most.rate / 2)
  await stage.compare({
    title: `${pace} test sales a second, half of what one process can, spread over the processes, for ${seconds} s`,
    unit: 'sales',
    contestants: COST_COUNTS.map((count) => ({
      name: sales(count),
      round: alone(stage, count, (at) => paced(at, pace, seconds)),
    })),
    goals: COST_COUNTS.slice(1).map((count) => ({
      subject: sales(count),
      reference: sales(1),
      figure: 'cpuMs',
      atMost: CPU_RATIO,
    })),
  })
}

/** The same sales on the server that EVENTSTORE_URL names, whose log has to be empty. */
const onServer = async (stage: Stage, url: string, seconds: number): Promise<void> => {
  const { of } = await openInstallation(stage, 'server', url)
  await stage.compare({
    title: `The same on the event store of EVENTSTORE_URL`,
    unit: 'sales',
    contestants: FULL_COUNTS.map((count) => ({
      name: sales(count),
      async round() {
        const processes = await of(count)
        await warmUp(processes)
        return sold(processes, seconds)
      },
    })),
    goals: FULL_GOALS,
  })
}

/** A round of so many processes that have sold until they are warm, while no others stand on the machine. */
const alone = (stage: Stage, count: number, measure: (at: Processes) => Promise<Figures>) => () =>
  withProcesses(stage, count, async (at) => {
    await warmUp(at)
    return measure(at)
  })

/** Sells until a sale takes hardly less processor time than in the part before. */
const warmUp = async (at: Processes): Promise<void> => {
  let last = Number.POSITIVE_INFINITY
  for (let parts = 0; parts < WARM_PARTS_MAX; parts++) {
    const { cpuMs = 0 } = await sold(at, WARM_SECONDS * at.pids.length)
    if (cpuMs > last * (1 - WARMER_SHARE)) return
    last = cpuMs
  }
}

const ALONE = 'one process'
const sales = (count: number) => `${count} ${count === 1 ? 'process' : 'processes'}`
const FULL_GOALS = [2, 3].map(
  (count) => ({ subject: sales(count), reference: sales(1), figure: 'rate', atLeast: 1 }) as const,
)
/** Milliseconds. */
const P50_MS = 15
const P99_MS = 60
/** Processor time of a sale beside that of one process. */
const CPU_RATIO = 1.15

type Toggling = {
  readonly here: number
  readonly there: number
  readonly writes: number
  old(what: string): void
}

/** Suspends a sub-key and makes it active again, and calls by it at the other process after each answer. */
const toggled = async ({ clients, key }: Processes, { here, there, writes, old }: Toggling): Promise<Figures> => {
  const [writer, reader] = [clients[here] as Client, clients[there] as Client]
  const made = await writer.json('POST', '/v1/subagents', { key, body: { role: 'admin' } })
  const path = `/v1/subagents?subagent_id=${made.subagent.id}`
  const times: number[] = []
  const began = performance.now()
  for (let n = 0; n < writes; n++) {
    await pause(Math.max(0, began + (n * 1_000) / WRITES_PER_SECOND - performance.now()))
    const status = n % 2 === 0 ? 'suspended' : 'active'
    const asked = performance.now()
    await writer.json('PUT', path, { key, body: { status } })
    times.push(performance.now() - asked)
    const seen = await reader.call('GET', '/v1/wallets', { key: made.api_key })
    if (seen.status !== (status === 'active' ? 200 : 401)) old(`${status}, and the answer was ${seen.status}`)
  }
  await writer.json('DELETE', path, { key })
  times.sort((a, b) => a - b)
  const of = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { rate: (writes * 1_000) / (performance.now() - began), p50: of(0.5), p99: of(0.99) }
}

/** A sale is an offer and its payment, each at the next process. */
const selling = ({ clients, pids, key, resId }: Processes) => {
  let turn = 0
  const next = () => clients[turn++ % clients.length] as Client
  const times: number[] = []
  const cpu = cpuSeconds(pids)
  const began = performance.now()
  return {
    async sell() {
      const asked = performance.now()
      const offer = await next().json('POST', '/v1/challenge', { key, body: { res_id: resId } })
      const body = { challengeId: offer.accepts[0].challengeId }
      const paid = await next().json('POST', '/v1/simulate-payment', { key, body })
      if (!paid.settled) throw new Error(`a payment was not settled: ${JSON.stringify(paid)}`)
      times.push(performance.now() - asked)
    },
    figures(): Figures {
      const took = performance.now() - began
      const cpuMs = ((cpuSeconds(pids) - cpu) * 1_000) / times.length
      times.sort((a, b) => a - b)
      const of = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
      return { rate: (times.length * 1_000) / took, p50: of(0.5), p99: of(0.99), cpuMs }
    },
  }
}

/** Each buyer begins another sale when the last is settled. */
const sold = async (at: Processes, seconds: number): Promise<Figures> => {
  const { sell, figures } = selling(at)
  const until = performance.now() + seconds * 1_000
  const buyer = async () => {
    while (performance.now() < until) await sell()
  }
  await Promise.all(Array.from({ length: BUYERS }, buyer))
  return figures()
}

/** A sale begins at its time, or later where as many as there are buyers have not ended. */
const paced = async (at: Processes, perSecond: number, seconds: number): Promise<Figures> => {
  const { sell, figures } = selling(at)
  const began = performance.now()
  let sales = 0
  const buyer = async () => {
    for (let n = sales++; n < seconds * perSecond; n = sales++) {
      await pause(Math.max(0, began + (n * 1_000) / perSecond - performance.now()))
      await sell()
    }
  }
  await Promise.all(Array.from({ length: BUYERS }, buyer))
  return figures()
}
