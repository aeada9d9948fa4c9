import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'

/** The authorizations that wait to be carried out on each network, kept up to date by the events of the log. */

/** The name of the turn that one process takes on a network. */
export const relayTurn = (network: string): string => `relay-${network}`

export type RelayQueue = ReturnType<typeof createRelayQueue>

/** `now` is in milliseconds, of any clock that only goes forward. */
export const createRelayQueue = (now = () => performance.now()) => {
  /** The time since which each waits, as far as this process knows; keyed by network and id, the oldest first. */
  const waiting = new Map<string, Map<string, number>>()
  const sent = new Map<string, string>()
  const listeners = new Set<() => void>()
  let version = 0
  const of = (network: string) => {
    const known = waiting.get(network) ?? new Map<string, number>()
    waiting.set(network, known)
    return known
  }
  const waits = (id: string) => {
    const known = of(networkOf(id))
    if (!known.has(id)) known.set(id, now())
  }
  const ended = (id: string) => {
    of(networkOf(id)).delete(id)
    sent.delete(id)
  }

  return {
    /** Called with every event that arrives. */
    arrived(events: readonly RecordedEvent[]) {
      for (const { type, stream, data } of events.filter(({ unreadable }) => unreadable === undefined)) {
        if (type === 'AuthorizationAccepted') waits(idOf(stream))
        else if (type === 'AuthorizationSettled' || type === 'AuthorizationFailed') ended(idOf(stream))
        else if (type === 'RelayTransactionSent') {
          const { authorizations, hash } = data as EventData<'RelayTransactionSent'>
          for (const id of authorizations) if (of(networkOf(id)).has(id)) sent.set(id, hash)
        } else continue
        version++
        for (const listener of listeners) listener()
      }
    },
    /** Adds the authorizations that waited before anybody listened. */
    add(ids: readonly string[]) {
      for (const id of ids) waits(id)
    },
    /** The ids of the authorizations that wait, the oldest first. */
    waiting: (network: string): readonly string[] => [...of(network).keys()],
    /** Seconds that the oldest one has waited, as far as this process knows; undefined when none waits. */
    oldestSeconds(network: string): number | undefined {
      const [since] = of(network).values()
      return since === undefined ? undefined : Math.floor((now() - since) / 1_000)
    },
    sentIn: (id: string): string | undefined => sent.get(id),
    /** A number that rises with everything that arrives. */
    version: () => version,
    /** Resolves once something has arrived since a version, the time is up, or the signal aborts. */
    async changed(since: number, ms: number, signal: AbortSignal): Promise<void> {
      if (version !== since || signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      listeners.add(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      clearTimeout(timer)
      listeners.delete(resolve)
    },
  }
}

/** The id of an authorization starts with its network. */
const networkOf = (id: string): string => id.slice(0, id.indexOf(':'))
