import type { LedgerEvent } from './deciders.ts'

/** How this process hears of what others write. */
export type StreamHearing = {
  /** Whether other processes rely on what they keep of a stream. */
  isKept(stream: string): boolean
  /**
   * Whether an event changes a row that processes keep, whichever stream it is of, so that they have to hear of it
   * before it is answered.
   */
  changesRow(event: LedgerEvent): boolean
  /** Whether what others write to a stream arrives here. */
  arrives(stream: string): boolean
  /**
   * Whether everything that any process has answered so far of a stream has arrived here; while it has not, a recent
   * state is read from the store as well.
   */
  isFresh(stream: string): boolean
}

/** Where everything arrives, or nobody else writes. */
export const HEARS_ALL: StreamHearing = {
  isKept: () => true,
  changesRow: () => true,
  arrives: () => true,
  isFresh: () => true,
}
