/** Leases that one process takes all together, so that a process that stands by asks for one lock and not for each. */
import type { Leases } from '../postgres/lease.ts'

export type LeaseGroup = Leases & {
  /** Whether this process has the group's turn now: what another one does under these leases is then old. */
  leads(): boolean
}

/**
 * Each lease is asked for only by the process that has the group's own. They stay locks of their own, because a process
 * of a former release asks for each by itself.
 */
export const groupLeases = (leases: Leases, group: string): LeaseGroup => {
  const closing = new AbortController()
  const under = new Set<Promise<void>>()
  let turn: AbortSignal | undefined
  let asking: Promise<void> | undefined
  let wake: () => void = () => {}
  let change = new Promise<void>((resolve) => (wake = resolve))
  const setTurn = (to: AbortSignal | undefined) => {
    const spent = wake
    turn = to
    change = new Promise<void>((resolve) => (wake = resolve))
    spent()
  }
  const lead = async (signal: AbortSignal) => {
    setTurn(signal)
    await aborted(signal)
    setTurn(undefined)
    // Whoever is next must not begin beside what has not ended yet.
    await Promise.allSettled(under)
  }
  const turnOf = async (signal: AbortSignal): Promise<AbortSignal | undefined> => {
    while (!turn && !signal.aborted) await Promise.race([change, aborted(signal)])
    return turn
  }

  return {
    async hold(name, outer, work) {
      const signal = AbortSignal.any([outer, closing.signal])
      asking ??= leases.hold(group, closing.signal, lead)
      while (!signal.aborted) {
        const now = await turnOf(signal)
        if (!now || signal.aborted) return
        const run = leases.hold(name, AbortSignal.any([signal, now]), work)
        under.add(run)
        await run.finally(() => under.delete(run))
        if (!now.aborted) return
      }
    },
    holds: leases.holds,
    leads: () => leases.holds(group),
    async close() {
      closing.abort()
      await Promise.allSettled([asking, ...under])
      await leases.close()
    },
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
