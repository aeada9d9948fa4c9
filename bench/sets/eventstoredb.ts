import type { Contestant, Figures } from '../comparison.ts'
import { EVENT_BYTES } from '../sizes.ts'
import type { BenchSet } from '../stage.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * EventStoreDB's client through Daybook's adapter and by itself, both against one local node that speaks the protocol.
 */

const IN_FLIGHT = [1, 16, 64] as const

export const eventstoredb: BenchSet = {
  name: 'eventstoredb',
  title: "EventStoreDB's client through the adapter and by itself",
  async run(stage) {
    const ms = stage.pick(500, 5_000)
    const events = stage.pick(10_000, 100_000)
    const started = (program: string, ...args: string[]): Worker => {
      const worker = startWorker(program, args)
      stage.closing(() => worker.stop())
      return worker
    }
    const node = started('subjects/esdb-node.ts', `${stage.dir}/log.db`, String(events))
    const { url } = await node.ask<{ url: string }>({})
    const { url: databaseUrl } = await stage.database()
    const sides = {
      ledger: started('subjects/esdb-ledger.ts', url, databaseUrl),
      adapter: started('subjects/esdb-adapter.ts', url),
      client: started('subjects/esdb-bare.ts', url),
      batches: started('subjects/esdb-bare.ts', url, 'batches'),
    }
    const appends = (name: string, side: Worker, more: object = {}) =>
      IN_FLIGHT.map((inFlight) => appendsAt(`${name}, ${inFlight}`, node, side, { inFlight, ms, ...more }))
    await stage.compare({
      title: `One event of ${EVENT_BYTES} bytes of data an append; the number is how many are in flight`,
      unit: 'events',
      contestants: [
        ...appends('ledger', sides.ledger, { target: 'spread' }),
        ...appends('adapter', sides.adapter),
        ...appends('client', sides.client),
        ...appends('client in batches', sides.batches),
      ],
      goals: [
        { subject: 'adapter, 64', reference: 'client, 64', atLeast: 2 },
        { subject: 'adapter, 64', reference: 'client in batches, 64', atLeast: 0.8 },
      ],
    })
    await stage.compare({
      title: `The first ${events.toLocaleString('en-US')} events of the log`,
      unit: 'events',
      contestants: [readsAt('adapter', sides.adapter, events), readsAt('client', sides.client, events)],
      goals: [{ subject: 'adapter', reference: 'client', atLeast: 0.8 }],
    })
  },
}

type Done = Figures & { readonly done: number }

const appendsAt = (name: string, node: Worker, side: Worker, round: object): Contestant => ({
  name,
  round: async () => {
    const figures = await side.ask<Done>(round)
    const { events } = await node.ask<{ events: number }>({})
    if (events !== figures.done) throw new Error(`${name}: ${figures.done} appends, but ${events} events in the log`)
    return figures
  },
})

const readsAt = (name: string, side: Worker, readAll: number): Contestant => ({
  name,
  round: async () => {
    const figures = await side.ask<Done>({ readAll })
    if (figures.done < readAll) throw new Error(`${name}: read ${figures.done} of ${readAll} events`)
    return figures
  },
})
