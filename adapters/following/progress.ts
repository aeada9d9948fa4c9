import type { Progress } from '../../domain/ports.ts'

/** A follower's progress, from the position it starts at. */
export const createProgress = (start = -1n): Progress => {
  let at = start
  let waiting: { position: bigint; done(): void }[] = []

  return {
    at: () => at,
    advance(position) {
      if (position <= at) return
      at = position
      const ready = waiting.filter((w) => w.position <= at)
      waiting = waiting.filter((w) => w.position > at)
      for (const w of ready) w.done()
    },
    reached(position, waitMs) {
      if (position <= at) return Promise.resolve(true)
      return new Promise((resolve) => {
        const entry = { position, done: () => finish(true) }
        const timer = setTimeout(() => finish(false), waitMs)
        const finish = (came: boolean) => {
          clearTimeout(timer)
          waiting = waiting.filter((w) => w !== entry)
          resolve(came)
        }
        waiting.push(entry)
      })
    },
  }
}
