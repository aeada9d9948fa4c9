import { fileURLToPath } from 'node:url'
import { startChild } from '../child.ts'
import type { Contestant } from '../comparison.ts'
import type { Flown } from '../flight.ts'
import { IN_FLIGHT, type Taken } from '../posts.ts'
import type { BenchSet } from '../stage.ts'
import type { Delivered, Delivering } from '../subjects/deliveries.ts'
import type { Sending } from '../subjects/posts.ts'
import { startWorker, type Worker } from '../worker.ts'

/** Webhooks from the intent in the log to the outcome in the log, beside the same POSTs without either. */

const DAYBOOK = 'deliveries, signed and logged'
const POOL = 'undici Pool'
const FETCH = 'global fetch'
/**
 * Deliveries of a round: as many as the ledger remembers streams, as a service that keeps up never falls further
 * behind.
 */
const BACKLOG_MAX = 8_000

type Receiver = { readonly hostPort: string; readonly url: string }

export const webhooks: BenchSet = {
  name: 'webhooks',
  title: 'Webhook deliveries',
  async run(stage) {
    const count = stage.pick(2_000, BACKLOG_MAX)
    const program = fileURLToPath(new URL('../subjects/receiver.ts', import.meta.url))
    const receiver = await startChild<Receiver>(program)
    stage.closing(() => receiver.stop())
    const { url } = await stage.database()
    const daybook = startWorker('subjects/deliveries.ts', [`${stage.dir}/log.db`, url, receiver.hostPort])
    stage.closing(() => daybook.stop())
    const bare = startWorker('subjects/posts.ts', [receiver.url])
    stage.closing(() => bare.stop())
    const [pool, fetching] = [posting(bare, receiver, 'pool', count), posting(bare, receiver, 'fetch', count)]
    const delivering = deliveries(daybook, receiver, count)
    for (const warmUp of [delivering, pool, fetching]) await warmUp.round()
    await stage.compare({
      title: `POSTs to one receiver, ${IN_FLIGHT} in flight`,
      unit: 'deliveries',
      contestants: [delivering, pool, fetching],
      goals: [
        { subject: DAYBOOK, reference: POOL, atLeast: 0.5 },
        { subject: DAYBOOK, reference: FETCH, atLeast: 3 },
      ],
    })
  },
}

const deliveries = (daybook: Worker, receiver: Receiver, count: number): Contestant => {
  let from = 0
  return {
    name: DAYBOOK,
    round: async () => {
      const { accepted, ms } = await daybook.ask<Delivered>({ from, count } satisfies Delivering)
      from += count
      await mustHaveTaken(receiver, count)
      if (accepted !== count) throw new Error(`${accepted} of ${count} deliveries were logged as accepted`)
      return { rate: count / (ms / 1000) }
    },
  }
}

const posting = (bare: Worker, receiver: Receiver, by: Sending['by'], count: number): Contestant => ({
  name: by === 'pool' ? POOL : FETCH,
  round: async () => {
    const flown = await bare.ask<Flown>({ by, from: 0, count, inFlight: IN_FLIGHT } satisfies Sending)
    await mustHaveTaken(receiver, count)
    return flown
  },
})

/** Throws unless every POST came once, whole and signed. */
const mustHaveTaken = async ({ url }: Receiver, count: number): Promise<void> => {
  const taken = (await (await fetch(`${url}/taken`)).json()) as Taken
  if (taken.posts !== count || taken.signed !== count || taken.bytes < count * 500)
    throw new Error(`${count} deliveries became ${JSON.stringify(taken)}`)
}
