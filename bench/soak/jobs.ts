/** A steady load of several kinds: each begins so many times a second, whether or not the one before has ended. */

/** `act` does one piece of work, and tells the milliseconds of each of its calls. */
export type Job = {
  readonly name: string
  readonly perSecond: number
  act(took: (ms: number) => void): Promise<unknown>
}

/** Pieces of work of one kind at once; further ones are not begun and are counted as failed. */
const UNDER_WAY_MAX = 200
const SECOND_MS = 1_000
const SAID_MAX = 20

/** @param pace factor by which the jobs begin more often than they say */
export const startJobs = (jobs: readonly Job[], pace = 1) => {
  let times: number[] = []
  let failed = 0
  let said = 0
  const underWay = new Map<string, number>()
  const fail = (name: string, why: string) => {
    failed += 1
    if (++said <= SAID_MAX) process.stderr.write(`${name}: ${why}\n`)
  }
  const begin = async ({ name, act }: Job) => {
    const now = underWay.get(name) ?? 0
    if (now >= UNDER_WAY_MAX) return fail(name, 'too many are under way')
    underWay.set(name, now + 1)
    await act((ms) => times.push(ms)).catch((error: Error) => fail(name, error.message))
    underWay.set(name, (underWay.get(name) ?? 1) - 1)
  }
  const timers = jobs.map((job) => setInterval(() => void begin(job), SECOND_MS / (pace * job.perSecond)))
  return {
    /** The figures of what was answered since the last call. */
    minute() {
      const sorted = Float64Array.from(times).sort()
      const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
      const minute = { answered: times.length, failed, p50: at(0.5), p99: at(0.99) }
      times = []
      failed = 0
      return minute
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      const until = Date.now() + 10 * SECOND_MS
      while ([...underWay.values()].some((count) => count > 0) && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 50))
    },
  }
}
