import { decider } from '../kernel/decider.ts'

/** The log itself: where it was copied from another store, or put back after a part of it was lost. */

export type LogEvents = {
  /**
   * Every event before this one was copied from another store and carries its old place in the ledger's order; what
   * follows was written here. It comes last, once the copy is verified, so a log of copied events that lacks it is half
   * a copy.
   */
  LogCopied: {
    /** The identity of the log that was copied: the id of its own newest LogCopied, or else of its first event. */
    from: string
    /** The place of the store that was copied, without credentials. */
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
    /** The machine's user name of whoever did it. */
    by: string
    /**
     * Where the log ended, and where it ends now: the last event's place in the ledger's order, `-1` for an empty log.
     */
    from: string
    to: string
    /** How many events were put back. */
    events: number
  }
  /**
   * The log was put back from a backup, and the operator goes on with it knowingly: events that came after the event
   * before this one are gone. Read models were built anew, and policies began again at the first event.
   */
  LogFellBack: LogIdentity & {
    /** `by`: the machine's user name of whoever did it. `reason`: why. */
    by: string
    reason: string
    /** The newest event that the log still had. */
    head: { id: string; order: string; at: string }
    /** The part of the system that had seen most of what is gone, and how far it had come. */
    seen: { by: string; reach: string; at: string | null }
    /** How many events are gone; null where nobody could tell. */
    gone: number | null
    /**
     * A mark in the name by which witnesses know the log. It tells the log from here on from the log before: witnesses
     * have signed heads that this log does not go on from.
     */
    branch: string
  }
  /**
   * Data keys are gone, and that was accepted: what this log has sealed for their subjects reads as lost from here on.
   */
  DataKeysLost: LogIdentity & {
    /** `by`: the machine's user name of whoever accepted it. `reason`: why. */
    by: string
    reason: string
    /** `lost`: subjects that have no key any more. `subjects`: all that the log has sealed a value for. */
    lost: number
    subjects: number
  }
}

/** The identity of a log, which a store would otherwise take from the event that ends a copy. */
export type LogIdentity = {
  /** What tells this log from every other: the id of its own newest LogCopied, or else of its first event. */
  log: string
  /** What the ledger's order adds to the positions of events that were written in this store. */
  base: string
}

export type LogCommands = {
  recordCopy: LogEvents['LogCopied']
  recordRefill: LogEvents['LogRefilled']
  /** Quiet when it was recorded already, by a run that was cut off. */
  recordFallBack: LogEvents['LogFellBack']
  recordLostKeys: LogEvents['DataKeysLost']
}

/** `lost` says what was gone when the log fell back last; `branch` is empty until it did. */
type State = { from: string; lost: string; branch: string }

/** The one log of a store; its stream is `log-copies`. */
export const LOG_ID = 'copies'

export const log = decider<LogEvents, LogCommands, State>({
  category: 'log',
  stateVersion: 3,
  initial: { from: '', lost: '', branch: '' },
  decide: {
    recordCopy: (state, data) => (state.from === data.from ? [] : [{ type: 'LogCopied', data }]),
    recordRefill: (_, data) => [{ type: 'LogRefilled', data }],
    recordLostKeys: (_, data) => [{ type: 'DataKeysLost', data }],
    recordFallBack: ({ lost }, data) => (lost === lostOf(data) ? [] : [{ type: 'LogFellBack', data }]),
  },
  evolve: {
    LogCopied: (state, { from }) => ({ ...state, from }),
    LogRefilled: (state) => state,
    DataKeysLost: (state) => state,
    LogFellBack: (state, data) => ({ ...state, lost: lostOf(data), branch: data.branch }),
  },
})

const lostOf = ({ seen }: LogEvents['LogFellBack']): string => `${seen.by} ${seen.reach}`

/** The stream that a store looks into to know where its own order begins. */
export const LOG_STREAM = `${log.category}-${LOG_ID}`
