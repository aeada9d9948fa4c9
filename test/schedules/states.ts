/**
 * The states that an exploration has come to. What a process has in memory follows from what its tasks have learnt. So
 * two schedules in which every process has learnt the same in the same order, and which left the outside the same, have
 * the same continuations, and these need be explored only once.
 */
export type States = {
  /** The number of a history that goes on with something; one and the same history has one number. */
  after(history: number, what: string): number
  /** Whether this state was come to before with no more used up; remembers it if not. */
  known(histories: string, shared: string, used: Used): boolean
}
type Used = { readonly preemptions: number; readonly crashes: number }

export const createStates = (): States => {
  const texts = new Map<string, number>()
  const histories = new Map<string, number>()
  const seen = new Set<string>()
  const numbered = (numbers: Map<string, number>, text: string) => {
    const number = numbers.get(text) ?? numbers.size + 1
    numbers.set(text, number)
    return number
  }
  return {
    after: (history, what) => numbered(histories, `${history} ${numbered(texts, what)}`),
    known(own, shared, { preemptions, crashes }) {
      const state = `${own} ${numbered(texts, shared)}`
      for (let p = 0; p <= preemptions; p++)
        for (let c = 0; c <= crashes; c++) if (seen.has(`${state} ${p} ${c}`)) return true
      seen.add(`${state} ${preemptions} ${crashes}`)
      return false
    },
  }
}
