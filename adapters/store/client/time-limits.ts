/** The times that the adapter waits for a store, in ms. */
export type TimeLimits = {
  /** One try of an append. */
  readonly appendTryMs: number
  /** An append with all its tries and the wait for its turn. */
  readonly appendMs: number
  /** One try of a page of a read. */
  readonly pageMs: number
  /** A page with all its tries and the wait for its turn. */
  readonly readMs: number
  /** The time from asking for a subscription until the server confirms it. */
  readonly confirmMs: number
  /** Silence of a subscription after which the head of the log is looked at. */
  readonly quietMs: number
}

export const TIME_LIMITS: TimeLimits = {
  appendTryMs: 5_000,
  appendMs: 20_000,
  pageMs: 10_000,
  readMs: 20_000,
  confirmMs: 10_000,
  quietMs: 60_000,
}
