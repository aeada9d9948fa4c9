import { decider } from '../decider.ts'

/** The log itself: where it was copied from another store, or put back after a part of it was lost. */

export type LogEvents = {
  /**
   * Every event before this one was copied from another store and carries its old place in the ledger's order; what follows was written
   * here. It comes last, once the copy is verified, so a log of copied events that lacks it is half a copy.
   */
  LogCopied: {
    /** The identity of the log that was copied: the id of its own newest LogCopied, or else of its first event. */
    from: string
    /** Where that was, without credentials. */
    source: string
    events: number
    /** The largest place in the ledger's order among them; everything written here comes after it. */
    lastOrder: string
  }
  /**
   * The end of the log was lost, and was put back from its mirror: the events before this one that carry their place in
   * the ledger's order are the ones that were lost.
   */
  LogRefilled: LogIdentity & {
    /** Who did it, as the machine knows them. */
    by: string
    /** Where the log ended, and where it ends now: the last event's place in the ledger's order, `-1` of an empty log. */
    from: string
    to: string
    /** How many events were put back. */
    events: number
  }
}

/** What a store would otherwise take from the event that ends a copy. */
export type LogIdentity = {
  /** What tells this log from every other: the id of its own newest LogCopied, or else of its first event. */
  log: string
  /** What the ledger's order adds to the positions of events that were written in this store. */
  base: string
}

export type LogCommands = { recordCopy: LogEvents['LogCopied']; recordRefill: LogEvents['LogRefilled'] }

type State = { from: string }

/** The one log of a store; its stream is `log-copies`. */
export const LOG_ID = 'copies'

export const log = decider<LogEvents, LogCommands, State>({
  category: 'log',
  stateVersion: 1,
  initial: { from: '' },
  decide: {
    recordCopy: (state, data) => (state.from === data.from ? [] : [{ type: 'LogCopied', data }]),
    recordRefill: (_, data) => [{ type: 'LogRefilled', data }],
  },
  evolve: {
    LogCopied: (_, { from }) => ({ from }),
    LogRefilled: (state) => state,
  },
})

/** The stream that a store looks into to know where its own order begins. */
export const LOG_STREAM = `${log.category}-${LOG_ID}`
