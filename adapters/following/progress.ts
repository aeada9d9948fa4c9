import type { Progress } from '../../domain/kernel/ports.ts'

/** A follower's progress, from the position it starts at. */
export const createProgress = (start = -1n): Progress => {
  let at = start
  let passed = start
  const waiting = new Set<{ position: bigint; finish(came: boolean): void }>()

  const pass = (position: bigint) => {
    passed = position
    for (const wait of waiting) if (wait.position <= passed) wait.finish(true)
  }

  return {
    at: () => at,
    passed: () => passed,
    advance(position, beyond = position) {
      if (position > at) at = position
      if (beyond > passed) pass(beyond)
    },
    restart(position) {
      at = position
      pass(position)
    },
    reached(position, waitMs) {
      if (position <= passed) return Promise.resolve(true)
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
