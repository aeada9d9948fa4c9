import type { Figures } from './comparison.ts'

/** The figures of pieces of work that were kept under way. */
export type Flown = Figures & { readonly done: number; readonly p50: number; readonly p99: number }

/**
 * Keeps `inFlight` pieces of work under way, until `ms` have passed or `count` were begun. `piece` counts within its
 * lane.
 */
export const fly = async (
  { inFlight, ms = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY }: Flight,
  work: (lane: number, piece: number) => PromiseLike<unknown>,
): Promise<Flown> => {
  const times: number[] = []
  let begun = 0
  const start = performance.now()
  const end = start + ms
  const lane = async (number: number) => {
    for (let piece = 0; begun < count; piece++) {
      const from = performance.now()
      if (from >= end) return
      begun++
      await work(number, piece)
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, number) => lane(number)))
  const seconds = (performance.now() - start) / 1000
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { done: times.length, rate: times.length / seconds, p50: at(0.5), p99: at(0.99) }
}

export type Flight = { readonly inFlight: number; readonly ms?: number; readonly count?: number }
