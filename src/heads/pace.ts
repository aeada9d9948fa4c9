/** How often something outside is asked: not again for a while, and ever more rarely while it fails. */
export type Pace = {
  /** Whether it may be asked now. */
  due(): boolean
  /** Asks; true means that it went well. Never rejects. */
  run(work: () => Promise<boolean>): Promise<void>
}

/** The longest pause while it fails, in milliseconds, unless the usual pause is longer. */
const PAUSE_MAX_MS = 3_600_000
const DOUBLINGS_MAX = 16

export const createPace = (everyMs: number): Pace => {
  let busy = false
  let failures = 0
  let notBefore = Number.NEGATIVE_INFINITY
  return {
    due: () => !busy && performance.now() >= notBefore,
    async run(work) {
      busy = true
      failures = (await work().catch(() => false)) ? 0 : Math.min(failures + 1, DOUBLINGS_MAX)
      notBefore = performance.now() + Math.max(everyMs, Math.min(everyMs * 2 ** failures, PAUSE_MAX_MS))
      busy = false
    },
  }
}
