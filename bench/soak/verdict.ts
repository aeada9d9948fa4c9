/** The outcome of a long run: each minute in a row, and whether memory and latency stayed where they were. */

export type Minute = {
  readonly n: number
  /** MB: resident at its most, and the heap after a collection at the end of the minute. */
  readonly rss: number
  readonly heap: number
  /** Milliseconds: the lag of the event loop, and the times of answers. */
  readonly lag: number
  readonly p50: number
  readonly p99: number
  readonly files: number
  readonly connections: number
  readonly answered: number
  readonly failed: number
}

/** The growth that a process may have in the time that is looked at, as a share of its memory. */
const GROWTH_MAX = 0.1
/** The median of the last minutes over that of the first ones, at most. */
const SLOWER_MAX = 1.25
/** The first sixth of a run warms up; a sixth at each end is compared. */
const SIXTH = 6

export const titles = [
  '| minute | answers | failed | p50 ms | p99 ms | RSS MB | heap MB | loop lag p99 ms | files | connections |',
  '|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
].join('\n')

export const rowOf = ({ n, answered, failed, p50, p99, rss, heap, lag, files, connections }: Minute): string =>
  `| ${[n, answered, failed, ...[p50, p99, rss, heap, lag].map((each) => each.toFixed(1)), files, connections].join(' | ')} |`

export const verdictOf = (minutes: readonly Minute[]): { lines: string[]; isFlat: boolean } => {
  const sixth = Math.max(1, Math.floor(minutes.length / SIXTH))
  const warm = minutes.slice(sixth)
  const [first, last] = [minutes.slice(sixth, 2 * sixth), minutes.slice(-sixth)]
  const grown = (['rss', 'heap'] as const).map((what) => {
    const slope = slopeOf(warm.map((each) => each[what]))
    const share = (slope * warm.length) / mean(warm.map((each) => each[what]))
    return { what, slope, share, isFlat: share <= GROWTH_MAX }
  })
  const slower = (['p50', 'p99'] as const).map((what) => {
    const ratio = median(last.map((each) => each[what])) / median(first.map((each) => each[what]))
    return { what, ratio, isFlat: ratio <= SLOWER_MAX }
  })
  const failed = minutes.reduce((sum, minute) => sum + minute.failed, 0)
  // A value that was not measured counts as one that grew.
  const leaks = (['files', 'connections'] as const).filter(
    (what) => !(median(last.map((each) => each[what])) <= 2 * median(first.map((each) => each[what]))),
  )
  return {
    isFlat: [...grown, ...slower].every((each) => each.isFlat) && failed === 0 && leaks.length === 0,
    lines: [
      ...grown.map(
        ({ what, slope, share, isFlat }) =>
          `${what}: ${slope.toFixed(2)} MB a minute by least squares over the last ${warm.length} minutes, ${(share * 100).toFixed(1)} % in all: ${said(isFlat)}`,
      ),
      ...slower.map(
        ({ what, ratio, isFlat }) =>
          `${what}: median of the last ${last.length} minutes over minutes ${sixth + 1} to ${2 * sixth}: ${ratio.toFixed(2)}: ${said(isFlat)}`,
      ),
      `files and connections: ${leaks.length === 0 ? 'flat' : `${leaks.join(', ')} doubled, or were not measured`}`,
      `${failed} calls failed`,
    ],
  }
}

const said = (isFlat: boolean): string => (isFlat ? 'flat' : 'NOT flat')

/** The growth of a value from one minute to the next, by least squares. */
const slopeOf = (values: readonly number[]): number => {
  const [x, y] = [(values.length - 1) / 2, mean(values)]
  const over = values.reduce((sum, value, n) => sum + (n - x) * (value - y), 0)
  const under = values.reduce((sum, _, n) => sum + (n - x) ** 2, 0)
  return under === 0 ? 0 : over / under
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
