import type { RecordedEvent } from './recorded-event.ts'

/**
 * One live reading of the log for everybody in this process who follows it. The newest events stay in memory; a
 * follower that is further behind reads pages from the store until it has caught up.
 */
export type Feed = {
  /**
   * Pages after a position, without a gap but for those that the follower passes, for ever or until the signal aborts.
   */
  after(position: bigint, signal: AbortSignal, passing?: Passing): AsyncGenerator<readonly RecordedEvent[]>
  /** Position of the newest event that has arrived here, or that was found to be of a type that is left out. */
  head(): bigint
  /** Whether events of all types arrive; while nobody follows the feed, those that are left out need not. */
  hearsAll(): boolean
  /** Nothing that is not left out will arrive from before this position any more. */
  foundUpTo(position: bigint): void
  stop(): Promise<void>
}

/**
 * What a follower of the feed need not be woken for. Most events are for few of the followers, and a page of one event
 * costs each that is woken as much as a page of a thousand.
 */
export type Passing = {
  /** Whether the follower has to see events of a type; a page with one of them is given whole. */
  wants(type: string): boolean
  /** Called in place of a page that has none, with its last event, once all pages before it were taken. */
  passed(last: RecordedEvent): void
}

/** How far a follower of the log has come, and a way to wait for it. */
export type Progress = {
  /** Everything is done up to here. */
  at(): bigint
  /** Everything is done up to here but for what keeps failing, and what waits behind it: nobody waits for that. */
  passed(): bigint
  advance(position: bigint, passed?: bigint): void
  /**
   * The follower has begun again, perhaps from before where it was: a database that crashed may have lost its last
   * steps.
   */
  restart(position: bigint): void
  /** True once the follower has passed the position; false when the time is up first. */
  reached(position: bigint, waitMs: number): Promise<boolean>
  /** Resolves as soon as somebody waits for the follower, or the signal aborts; or after the time. */
  wanted(waitMs: number, signal: AbortSignal): Promise<void>
}
