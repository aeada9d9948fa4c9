import { isSeal, SEAL_EVENTS_MAX } from '../../../adapters/audit/sealer.ts'
import type { LogVerification } from '../../../adapters/audit/verify.ts'
import type { LogLine } from '../../../adapters/store/base/log-line.ts'
import { countText } from '../../books/replaying.ts'

/** The events at the end of a log that have no seal: nobody vouches for them, so they have to be few. */

export type Tail = {
  readonly events: number
  /**
   * Seconds from the first of them to the last that is no seal, by their own times; undefined where that is not known.
   */
  readonly seconds: number | undefined
}

export type TailLimits = {
  readonly maxUnsealed: number
  readonly maxUnsealedSeconds: number
  /** Whether nothing needs to be sealed yet. */
  readonly unsealedOk: boolean
  /** Whether there are keys to check the log with, so that it cannot be one that nobody has sealed. */
  readonly isHeld: boolean
}

/**
 * Most seconds that may be without a seal: their interval, and a minute for a restart, or for another process that
 * takes over.
 */
export const unsealedSecondsMax = (sealEverySeconds: number): number => sealEverySeconds + 60

const SEAL_EVERY_SECONDS = 60

/** The limits that were asked for, or else those that a service keeps to by its default settings. */
export const limitsOf = (
  wish: { maxUnsealed?: number | undefined; maxUnsealedSeconds?: number | undefined; unsealedOk?: boolean },
  isHeld: boolean,
): TailLimits => ({
  maxUnsealed: wish.maxUnsealed ?? SEAL_EVENTS_MAX,
  maxUnsealedSeconds: wish.maxUnsealedSeconds ?? unsealedSecondsMax(SEAL_EVERY_SECONDS),
  unsealedOk: wish.unsealedOk ?? false,
  isHeld,
})

export const tailOf = (lines: readonly LogLine[]): Tail => {
  const times = lines.filter(({ type }) => !isSeal(type)).map(timeOf)
  const known = times.filter((time) => !Number.isNaN(time))
  const seconds = known.length > 0 ? Math.ceil((Math.max(...known) - Math.min(...known)) / 1_000) : 0
  return { events: lines.length, seconds: known.length < times.length ? undefined : seconds }
}

/** Why a log is not sealed as it should be; undefined when it is. */
export const unsealedFault = (
  { edge }: Pick<LogVerification, 'edge'>,
  { events, seconds }: Tail,
  limits: TailLimits,
): string | undefined => {
  if (!edge && limits.isHeld) return 'nothing in this log is sealed by the keys that were brought along or remembered'
  if (!edge && !limits.unsealedOk)
    return 'nothing in this log is sealed, so nothing of it is proved; --unsealed-ok is for a log that is being born'
  if (events > limits.maxUnsealed)
    return `${countText(events, 'event')} at the end are not sealed, and at most ${limits.maxUnsealed} may be: --max-unsealed`
  const most = limits.maxUnsealedSeconds
  if ((seconds ?? 0) > most)
    return `the events at the end that are not sealed span ${seconds} s, and at most ${most} may be: --max-unsealed-seconds`
  return undefined
}

/** The sentence on them, which is told also when everything fits. */
export const tailText = ({ events, seconds }: Tail): string => {
  if (events === 0) return `Everything is sealed. ${TIMES}`
  const span = seconds === undefined ? '' : ` and ${seconds} s`
  return `Up to ${countText(events, 'event')}${span} at the end are not sealed: nobody vouches for them. ${TIMES}`
}

const TIMES = 'Times are the operator’s.'

/** The time of an event, in Unix milliseconds; NaN where the event tells none. */
const timeOf = ({ line }: LogLine): number => {
  try {
    return Date.parse((JSON.parse(line) as { metadata: { at: string } }).metadata.at)
  } catch {
    return Number.NaN
  }
}
