/** Does together what many ask for at about the same time: a round trip for all of them, in place of one for each. */
export type Gathering<Item> = {
  /** Begins within the time of a round, together with whatever is asked for until then. */
  later(item: Item): Promise<void>
  /** Begins when this turn of the event loop is over, and takes along what was to begin later. */
  soon(item: Item): Promise<void>
}

/**
 * When `act` rejects, everybody who waits for this round is told.
 * @param roundMs milliseconds that lie between two rounds which nobody has asked for sooner
 * @param act answers, in the order of the items, the work that is still left for some of them
 */
export const createGathering = <Item>(
  roundMs: number,
  act: (items: readonly Item[]) => Promise<readonly (Promise<void> | undefined)[]>,
): Gathering<Item> => {
  let waiting: Waiting<Item>[] = []
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  const round = async () => {
    clearTimeout(timer)
    clearImmediate(turn)
    timer = turn = undefined
    const these = waiting
    waiting = []
    try {
      const left = await act(these.map(({ item }) => item))
      for (const [n, { resolve }] of these.entries()) resolve(left[n])
    } catch (error) {
      for (const { reject } of these) reject(error)
    }
  }
  const gathered = (item: Item) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
    })
  return {
    later(item) {
      timer ??= setTimeout(round, roundMs).unref()
      return gathered(item)
    },
    soon(item) {
      turn ??= setImmediate(round)
      return gathered(item)
    },
  }
}

type Waiting<Item> = {
  readonly item: Item
  resolve(left: Promise<void> | undefined): void
  reject(error: unknown): void
}
