import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../src/demo/client.ts'
import type { Contestant, Figures } from '../comparison.ts'
import { cpuSeconds } from '../cpu.ts'
import { openInstallation, type Processes, startProcesses } from '../processes.ts'
import type { BenchSet, Stage } from '../stage.ts'

/**
 * One process and several on one log: how long a write takes where the log is followed and where it is not, whether
 * another process answers by what it was before, what a sale costs at one rate, and how many sales there are at most.
 */

const COUNTS = [1, 2, 3, 4] as const
/** The numbers of processes whose processor time for a sale is compared. */
const PACED_COUNTS = [1, 2, 4] as const
/** The numbers of processes whose sales a second are compared. */
const FULL_COUNTS = [1, 2, 3] as const
/** Seconds of sales before anything is measured, for each process: it has to compile what it runs. */
const WARM_SECONDS = 6
/** Writes a second of the one caller whose waits are measured. */
const WRITES_PER_SECOND = 20
/** Buyers at once. */
const BUYERS = 8

export const processes: BenchSet = {
  name: 'processes',
  title: 'Several processes on one log',
  async run(stage) {
    const installations = new Map<number, Processes>()
    for (const count of COUNTS) installations.set(count, await startProcesses(stage, count))
    const at = (count: number): Processes => installations.get(count) as Processes
    for (const count of COUNTS) await sold(at(count), WARM_SECONDS * count)
    const writes = stage.pick(150, 600)
    const old: string[] = []
    const writing = (name: string, count: number, here: number, there: number): Contestant => ({
      name,
      round: () => toggled(at(count), { here, there, writes, old: (what) => old.push(`${name}: ${what}`) }),
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
    const seconds = stage.pick(8, 20)
    const pace = Math.ceil((await sold(at(1), seconds)).rate / 2)
    await stage.compare({
      title: `${pace} test sales a second, half of what one process can, spread over the processes, for ${seconds} s`,
      unit: 'sales',
      contestants: PACED_COUNTS.map((count) => ({ name: sales(count), round: () => paced(at(count), pace, seconds) })),
      goals: [2, 4].map((count) => ({
        subject: sales(count),
        reference: sales(1),
        figure: 'cpuMs',
        atMost: CPU_RATIO,
      })),
    })
    await stage.compare({
      title: `Test sales by ${BUYERS} buyers at once, spread over the processes, for ${seconds} s`,
      unit: 'sales',
      contestants: FULL_COUNTS.map((count) => ({ name: sales(count), round: () => sold(at(count), seconds) })),
      goals: FULL_GOALS,
    })
    if (process.env.EVENTSTORE_URL) await onServer(stage, process.env.EVENTSTORE_URL, seconds)
  },
}

/** The same sales on the server that EVENTSTORE_URL names, whose log has to be empty. */
const onServer = async (stage: Stage, url: string, seconds: number): Promise<void> => {
  const { of } = await openInstallation(stage, 'server', url)
  const most = Math.max(...FULL_COUNTS)
  await sold(await of(most), WARM_SECONDS * most)
  await stage.compare({
    title: `The same on the event store of EVENTSTORE_URL`,
    unit: 'sales',
    contestants: FULL_COUNTS.map((count) => ({
      name: sales(count),
      async round() {
        const processes = await of(count)
        await sold(processes, WARM_SECONDS)
        return sold(processes, seconds)
      },
    })),
    goals: FULL_GOALS,
  })
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
