/** Does together what many ask for at about the same time: a round trip for all of them, in place of one for each. */
export type Gathering<Item, Answer = void> = {
  /** Begins within the time of a round, together with whatever is asked for until then. */
  later(item: Item): Promise<Answer>
  /** Begins when this turn of the event loop is over, and takes along what was to begin later. */
  soon(item: Item): Promise<Answer>
}

/**
 * When `act` rejects, everybody who waits for this round is told.
 * @param roundMs milliseconds that lie between two rounds which nobody has asked for sooner
 * @param act answers for each item, in their order: the answer, or the work that is still left for it
 */
export const createGathering = <Item, Answer = void>(
  roundMs: number,
  act: (items: readonly Item[]) => Promise<readonly (Answer | Promise<Answer>)[]>,
): Gathering<Item, Answer> => {
  let waiting: Waiting<Item, Answer>[] = []
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined
  const round = async () => {
    clearTimeout(timer)
    clearImmediate(turn)
    timer = turn = undefined
    const these = waiting
    waiting = []
    try {
      const answers = await act(these.map(({ item }) => item))
      for (const [n, { resolve }] of these.entries()) resolve(answers[n] as Answer | Promise<Answer>)
    } catch (error) {
      for (const { reject } of these) reject(error)
    }
  }
  const gathered = (item: Item) =>
    new Promise<Answer>((resolve, reject) => {
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

type Waiting<Item, Answer> = {
  readonly item: Item
  resolve(answer: Answer | Promise<Answer>): void
  reject(error: unknown): void
}
