import { type ClockReading, type Finding, fine, misfit } from './looks/finding.ts'

/** Clocks may differ by so much, in milliseconds. */
const CLOCK_MAX_MS = 5_000
/** A chain takes blocks that are ahead of the time by some seconds. */
const BLOCK_AHEAD_MAX_MS = 60_000

/** Whether the clock of this machine goes with those that were read. */
export const clockFinding = (clocks: readonly ClockReading[]): Finding => {
  const wrong = clocks.find(({ aheadMs, lags }) =>
    lags ? -aheadMs > BLOCK_AHEAD_MAX_MS : Math.abs(aheadMs) > CLOCK_MAX_MS,
  )
  if (wrong)
    return misfit(
      'clock',
      undefined,
      clockText(wrong),
      'Set it right, and keep it so with NTP (chrony, systemd-timesyncd).',
    )
  if (clocks.length === 0) return fine('clock', undefined, 'there is no other clock to hold it against')
  const exact = clocks.filter(({ lags }) => !lags)
  return fine(
    'clock',
    undefined,
    `it goes with ${(exact.length > 0 ? exact : clocks).map((each) => each.of).join(' and ')}`,
  )
}

const clockText = ({ of, aheadMs }: ClockReading): string =>
  `the clock of this machine is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${of}`
