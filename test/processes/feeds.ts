/** Processes that tell each other how far the log has arrived, with the real table of processes and real channels. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { openChannels } from '../../adapters/processes/channels.ts'
import { type Freshness, watchFreshness } from '../../adapters/processes/freshness.ts'
import type { Peers } from '../../adapters/processes/homes.ts'
import { joinProcesses } from '../../adapters/processes/presence.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { testDatabase } from '../support/postgres.ts'

const LEFT_OUT: ReadonlySet<string> = new Set(['ChallengeOpened'])

/** No connections: processes speak by PostgreSQL. */
const unconnected = (): Peers => ({ tell: () => false, listen: () => () => {} })

/** A log that exists by its positions alone, and processes on it, which hear of an event when they are told to. */
export const setUp = async (t: ExecutionContext, peersOf: (id: string) => Peers = unconnected) => {
  const { url, sql } = await testDatabase(t)
  let head = 10n
  let looks = 0
  /** Positions of the events that everybody has to hear of. */
  const heard = [head]
  const messages: string[] = []
  const hearing = openChannels(url)
  t.teardown(() => hearing.close())
  const listening = new Promise<void>((renewed) =>
    hearing.listen('daybook_feeds', { heard: (message) => messages.push(message), renewed }),
  )
  const store = {
    head: async () => {
      looks++
      return head
    },
    newestBeside: async (_: ReadonlySet<string>, after: bigint) =>
      heard.reduce((newest, each) => (each > newest ? each : newest), after),
  }
  await listening
  const write = (type = 'AccountOpened'): bigint => {
    head++
    if (!LEFT_OUT.has(type)) heard.push(head)
    return head
  }
  const process = async (own = url, hearsAll = true, lookAnywayMs = 60_000) => {
    const channels = openChannels(own)
    t.teardown(() => channels.close())
    const presence = await joinProcesses(sql, channels, { address: undefined, parts: [] })
    t.teardown(() => presence.close())
    const isKept = (stream: string) => stream.startsWith('account-')
    const changesRow = ({ type }: RecordedEvent) => type === 'ChallengeSettled'
    const parts = { channels, peers: peersOf(presence.id), presence, store, isKept, changesRow, leftOut: LEFT_OUT }
    const freshness = watchFreshness(parts, lookAnywayMs)
    let [hears, found] = [hearsAll, -1n]
    freshness.follows({ head: () => head, hearsAll: () => hears, foundUpTo: (position) => (found = position) })
    t.teardown(() => freshness.close())
    const arrives = (position: bigint, stream = 'account-1', type = 'AccountOpened') =>
      freshness.arrived([{ stream, type, position } as RecordedEvent])
    return {
      freshness,
      presence,
      arrives,
      place: () => freshness.place(),
      found: () => found,
      hearsAllFromNowOn() {
        hears = true
        freshness.missed()
      },
      hangs: () => channels.close(),
    }
  }
  return { url, sql, process, messages, looks: () => looks, write }
}

/** Waits until a process trusts in what it keeps of a stream, or in its rows. That ends when it hangs for a moment. */
export const fresh = async ({ freshness }: { readonly freshness: Freshness }, stream?: string) => {
  for (let tries = 0; tries < 2_000; tries++) {
    if (freshness.isFresh(stream)) return
    await sleep(10)
  }
  throw new Error('it did not come up')
}

/** Whether work is over before any timer, or anything from outside. */
export const isAtOnce = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))])
