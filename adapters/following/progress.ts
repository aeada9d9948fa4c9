import type { Progress } from '../../domain/kernel/ports.ts'

/** A follower's progress, from the position it starts at. */
export const createProgress = (start = -1n): Progress => {
  let at = start
  const waiting = new Set<{ position: bigint; finish(came: boolean): void }>()

  const stand = (position: bigint) => {
    at = position
    for (const wait of waiting) if (wait.position <= at) wait.finish(true)
  }

  return {
    at: () => at,
    advance(position) {
      if (position > at) stand(position)
    },
    restart: stand,
    reached(position, waitMs) {
      if (position <= at) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(() => wait.finish(false), waitMs)
        const wait = {
          position,
          finish(came: boolean) {
            clearTimeout(timer)
            waiting.delete(wait)
            resolve(came)
          },
        }
        waiting.add(wait)
      })
    },
  }
}
