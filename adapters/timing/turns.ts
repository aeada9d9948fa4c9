/** Runs work in turns: resolves with undefined, and does nothing, when too many wait already. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T | undefined>

/** `atOnce` pieces of work run together, `waitingMax` more wait in the order in which they came. */
export const createTurns = (atOnce: number, waitingMax: number): Turns => {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= waitingMax) return undefined
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
