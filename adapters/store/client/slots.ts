/** Runs work side by side, up to a bound. */
import { TooBusy } from './patience.ts'

export type Slots = <T>(work: () => Promise<T>) => Promise<T>

/**
 * `atOnce` pieces of work run together, `waiting` more may wait in the order of the calls; beyond that a call rejects
 * and nothing was done.
 */
export const slots = (atOnce: number, waiting: number, what: string): Slots => {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnce) running++
    else if (queue.length >= waiting) throw new TooBusy(`more than ${waiting} ${what} wait for the store`)
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      // A freed slot is handed over, not given back, so that nobody can slip in before those who wait.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
