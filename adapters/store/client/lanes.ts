/** Work in lanes: one at a time within a lane, in the order of the calls; different lanes side by side, up to a bound. */

export type InTurn = <T>(lane: string, work: () => Promise<T>) => Promise<T>

/** `atOnce` pieces of work run together over all lanes, `waiting` more may wait; beyond that a call rejects and nothing was done. */
export const lanes = (atOnce: number, waiting: number): InTurn => {
  const tails = new Map<string, Promise<unknown>>()
  const queue: (() => void)[] = []
  let running = 0
  let taken = 0
  const slot = async () => {
    if (running >= atOnce) return new Promise<void>((resolve) => queue.push(resolve))
    running++
  }
  // A freed slot is handed over, not given back, so that nobody can slip in before those who wait.
  const release = () => {
    const next = queue.shift()
    if (next) next()
    else running--
  }
  return async (lane, work) => {
    if (taken >= atOnce + waiting) throw new Error(`more than ${waiting} appends wait for the store`)
    taken++
    const turn = (tails.get(lane) ?? Promise.resolve()).then(slot).then(work).finally(release)
    const tail = turn.then(
      () => undefined,
      () => undefined,
    )
    tails.set(lane, tail)
    try {
      return await turn
    } finally {
      taken--
      if (tails.get(lane) === tail) tails.delete(lane)
    }
  }
}
