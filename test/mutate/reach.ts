/** Which places of some sources run while a test file does. */
import { Session } from 'node:inspector/promises'

/** From the start of a source on; the innermost one that holds a place tells whether it ran. */
export type ReachedRange = { readonly start: number; readonly end: number; readonly ran: boolean }

/** By the address of a source. One that is missing did not run in this process, and may have in another one. */
export type Reach = Readonly<Record<string, readonly ReachedRange[]>>

export const isReached = (ranges: readonly ReachedRange[] | undefined, place: number): boolean => {
  const around = ranges?.filter(({ start, end }) => start <= place && place < end) ?? []
  const [inmost] = around.toSorted((one, other) => one.end - one.start - (other.end - other.start))
  return inmost?.ran ?? true
}

/** Begins to watch; what comes back ends it and tells what of the sources ran. */
export const watchReach = async (): Promise<(urls: readonly string[]) => Promise<Reach>> => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return async (urls) => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
    const seen = result.flatMap(({ url, functions }) => {
      const watched = urls.find((each) => url === each || url.startsWith(`${each}?`))
      return watched ? [[watched, functions.flatMap(({ ranges }) => ranges)] as const] : []
    })
    return Object.fromEntries(
      seen.map(([url, ranges]) => [
        url,
        ranges.map(({ startOffset: start, endOffset: end, count }) => ({ start, end, ran: count > 0 })),
      ]),
    )
  }
}
