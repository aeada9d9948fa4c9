import { type Flight, fly } from '../flight.ts'
import { ACCOUNTS } from '../sizes.ts'

/** One round: appends for some time, or one reading of the first `readAll` events. */
type EsdbRound = Flight & { readonly readAll?: number }

/** The calls that both sides measure in the same way. */
type EsdbSide = {
  /** Appends one event and answers its revision. */
  append(stream: string, expected: bigint): Promise<bigint>
  /** Reads this many events from the start of the log, or a page more, and answers how many it was. */
  readAll(count: number): Promise<number>
}

export const esdbRounds = ({ append, readAll }: EsdbSide) => {
  const revisions = new Map<string, bigint>()
  const next = async (stream: string) => revisions.set(stream, await append(stream, revisions.get(stream) ?? -1n))
  return async ({ readAll: count, ...flight }: EsdbRound) => {
    if (count !== undefined) return reading(() => readAll(count))
    const per = ACCOUNTS / flight.inFlight
    return fly(flight, (lane, piece) => next(`${process.pid}-${lane * per + (piece % per)}`))
  }
}

const reading = async (read: () => Promise<number>) => {
  const start = performance.now()
  const done = await read()
  return { done, rate: (done * 1000) / (performance.now() - start) }
}
