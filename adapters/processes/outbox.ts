/** Messages of one kind, of which everything that is to be told at about the same moment goes together. */
export type Outbox<M> = { put(message: M): void }

/**
 * @param together what two messages say, as one
 * @param tell a message that cannot be told is dropped: who waits for it asks again
 */
export const createOutbox = <M>(together: (one: M, other: M) => M, tell: (message: M) => Promise<void>): Outbox<M> => {
  let waiting: M | undefined
  let telling = false
  const flush = async () => {
    while (waiting !== undefined) {
      const message = waiting
      waiting = undefined
      await tell(message).catch(() => {})
    }
    telling = false
  }
  return {
    put(message) {
      waiting = waiting === undefined ? message : together(waiting, message)
      if (telling) return
      telling = true
      setImmediate(() => void flush())
    },
  }
}

/** The higher of two positions of which each may be missing. */
export const higher = (one: string | undefined, other: string | undefined): string | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  return BigInt(one) > BigInt(other) ? one : other
}
