import type { Progress } from '../../domain/kernel/following.ts'

/** A follower's progress, from the position it starts at. */
export const createProgress = (start = -1n): Progress => {
  let at = start
  let passed = start
  const waiting = new Set<{ position: bigint; finish(came: boolean): void }>()

  let begin = () => {}

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
        begin()
      })
    },
    wanted(waitMs, signal) {
      if (waiting.size > 0 || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const timer = setTimeout(end, waitMs)
        signal.addEventListener('abort', end)
        begin = end
      })
    },
  }
}
