import { decider } from '../decider.ts'

/** The log itself, where it was copied from another store by `daybook migrate`. */

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
}

export type LogCommands = { recordCopy: LogEvents['LogCopied'] }

type State = { from: string }

/** The one log of a store; its stream is `log-copies`. */
export const LOG_ID = 'copies'

export const log = decider<LogEvents, LogCommands, State>({
  category: 'log',
  stateVersion: 1,
  initial: { from: '' },
  decide: {
    recordCopy: (state, data) => (state.from === data.from ? [] : [{ type: 'LogCopied', data }]),
  },
  evolve: {
    LogCopied: (_, { from }) => ({ from }),
  },
})

/** The stream that a store looks into to know where its own order begins. */
export const LOG_STREAM = `${log.category}-${LOG_ID}`
