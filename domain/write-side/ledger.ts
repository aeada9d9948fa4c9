import type { Decider } from '../kernel/decider.ts'
import type { Cause, EventStore, RecordedEvent, Snapshots, World } from '../kernel/ports.ts'
import { type Deciders, deciderOf, deciders, type LedgerEvent } from './deciders.ts'
import { decideForOther, transact } from './handing-over.ts'
import { HEARS_ALL, type StreamHearing } from './hearing.ts'
import {
  type CommandMessage,
  type ContentionCounts,
  createContention,
  type HomeAnswer,
  type Homes,
  NO_HOMES,
} from './homes.ts'
import { createLanes } from './lanes.ts'
import type { Allowance, AnyDoorDecider, WriteContext } from './transact.ts'

/**
 * The one door for writes: `ledger.creditAccount.charge(id, {...})`. It is made from the deciders, so it has no code of
 * its own per command. A lost race is decided again; a refusal, or "nothing to do", is only given on the newest state
 * there is.
 */

type CommandResult<State> = { state: State; position: bigint; events: readonly LedgerEvent[] }

type Door<D> =
  D extends Decider<infer _E, infer C, infer S>
    ? { [K in keyof C]: (id: string, data: C[K]) => Promise<CommandResult<S>> } & {
        /** The newest state there is, whoever wrote it. */
        read(id: string): Promise<S>
        /**
         * The newest state that this process knows of: what another one wrote a moment ago may be missing. Reads the
         * store only when the stream is not in memory.
         */
        recent(id: string): Promise<S>
        /**
         * The state after the stream's first so many events, for a caller who is to get the same answer as then. Reads
         * the stream from its start.
         */
        after(id: string, events: number): Promise<S>
      }
    : never
export type Ledger = { readonly [K in keyof Deciders]: Door<Deciders[K]> }

/** The doors as one cause sees them, and what it has written or seen so far, on which its answer rests. */
type Session = {
  readonly ledger: Ledger
  /** The newest log position of that. */
  position(): bigint
  /** The newest log position of that in a stream, or of a change of a row, that other processes keep. */
  kept(): bigint
}
export type OpenLedger = (cause: Cause, allowance?: Allowance) => Session

export type LedgerDoors = {
  readonly open: OpenLedger
  /** Position of the newest event that anybody in this process has written or seen. */
  newest(): bigint
  /** Hears of every event that arrives, so that what is kept in memory does not outlive what another process writes. */
  arrived(events: readonly RecordedEvent[]): void
  /** Events may have been missed: what is kept in memory is not trusted any more. */
  missed(): void
  /** Decides a command that another process hands over because this one is the home of its stream. */
  decide(message: CommandMessage): Promise<HomeAnswer>
  /** Another process has lost a race for a stream, which is in the log up to a revision. */
  contended(stream: string, revision: bigint): void
  readonly counts: Readonly<ContentionCounts>
}

type LedgerMeans = {
  /** Where commands for contended streams are decided. */
  readonly homes?: Homes | undefined
  readonly hearing?: StreamHearing | undefined
}

export const createLedger = (
  store: EventStore,
  world: World,
  snapshots: Snapshots,
  { homes = NO_HOMES, hearing = HEARS_ALL }: LedgerMeans = {},
): LedgerDoors => {
  const lanes = createLanes(store, snapshots, (stream) => (hearing.arrives(stream) ? deciderOf(stream) : undefined))
  const contention = createContention(world)
  const means = { store, lanes, world, homes, contention, hearing }
  let newest = -1n
  const noteNewest = (position: bigint) => {
    if (position > newest) newest = position
  }

  const open: OpenLedger = (cause, allowance) => {
    let [last, kept] = [-1n, -1n]
    const note = (stream: string, { position, events = [] }: Known) => {
      if (position > last) last = position
      if (position > kept && (hearing.isKept(stream) || events.some(hearing.changesRow))) kept = position
      noteNewest(position)
    }
    return { ledger: ledgerOf({ ...means, cause, allowance, note }), position: () => last, kept: () => kept }
  }
  return {
    open,
    newest: () => newest,
    arrived(events) {
      lanes.arrived(events)
      for (const { stream, revision } of events) contention.arrived(stream, revision)
    },
    missed: lanes.missed,
    async decide(message) {
      const answer = await decideForOther({ ...means, cause: message.cause, allowance: undefined }, message)
      if (answer.outcome === 'decided') noteNewest(answer.position)
      return answer
    },
    contended: (stream, revision) => void contention.note(stream, revision),
    counts: contention.counts,
  }
}

/** How one request, or one reaction, writes: what it hears of is what its answer rests on. */
type Writing = WriteContext & { note(stream: string, known: Known): void }

/** How far a stream is known, and what was written to it just now. */
type Known = { readonly position: bigint; readonly events?: readonly LedgerEvent[] }

/** Each door is made when it is first used: a request uses two or three of them. */
const ledgerOf = (writing: Writing): Ledger => Object.create(lazyDoors, { writing: { value: writing } })

/**
 * Makes doors of one decider. Every request makes some, so what they have in common is prepared, and nothing is listed
 * anew for each.
 */
const doorsOf = (name: string, decider: AnyDoorDecider): ((writing: Writing) => object) => {
  const commands = Object.keys(decider.decide)
  const stream = (id: string) => `${decider.category}-${id}`
  return (writing) => {
    const { lanes, hearing, note } = writing
    const noted = <C extends Known>(name: string, known: C): C => {
      note(name, known)
      return known
    }
    const state = async (name: string, fresh: boolean) => noted(name, await lanes.durable(decider, name, fresh)).state
    const door: Record<string, unknown> = {
      read: (id: string) => state(stream(id), true),
      recent: (id: string) => state(stream(id), !hearing.isFresh(stream(id))),
      after: (id: string, events: number) => lanes.after(decider, stream(id), events),
    }
    for (const command of commands)
      door[command] = async (id: string, data: object) => {
        const call = { door: name, decider, command, stream: stream(id), data }
        return noted(call.stream, await transact(writing, call))
      }
    return door
  }
}

const lazyDoors = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(deciders).map(([name, decider]) => {
      const door = doorsOf(name, decider as unknown as AnyDoorDecider)
      const get = function (this: { writing: Writing }) {
        const value = door(this.writing)
        Object.defineProperty(this, name, { value })
        return value
      }
      return [name, { get }]
    }),
  ),
)
