import { MandateFault, rejectForgery } from './fault.ts'
import { placesOf } from './mandate.ts'
import type { Presentation } from './presentation.ts'
import type { Json, JsonObject } from './strict-json.ts'

/** Whether a mandate holds at a time. */

/** How far clocks may differ, in seconds. */
const SKEW_S = 60
/** How long one holds that says no end, in seconds. */
const UNENDING_AGE_MAX_S = 900

type Times = {
  readonly issued: number | undefined
  readonly from: number | undefined
  readonly until: number | undefined
}

/** Refuses times that are no numbers and those to come before what has expired. */
export const checkTimes = ({ closed, open, proof }: Presentation, now: Date): void => {
  const nowS = now.getTime() / 1_000
  const mandates = [...open, closed].flatMap(placesOf)
  const all = [...new Set(proof ? [...mandates, proof] : mandates)].map(timesOf)
  for (const { issued, from } of all)
    if (Math.max(issued ?? -Infinity, from ?? -Infinity) > nowS + SKEW_S) rejectForgery('not-yet-valid')
  // Who presents it says when, so that it cannot be kept for later.
  const presented = proof ? timesOf(proof).issued : latest(placesOf(closed).map((place) => timesOf(place).issued))
  if (proof && presented === undefined) rejectForgery('time-missing')
  const ends = all.flatMap(({ until }) => until ?? [])
  if (ends.length === 0 && presented === undefined) rejectForgery('time-missing')
  const end = ends.length > 0 ? Math.min(...ends) : (presented ?? 0) + UNENDING_AGE_MAX_S
  if (nowS >= end + SKEW_S) throw new MandateFault('expired', 'expired')
}

const timesOf = ({ iat, nbf, exp }: JsonObject): Times => ({
  issued: seconds(iat),
  from: seconds(nbf),
  until: seconds(exp),
})

const seconds = (value: Json | undefined): number | undefined => {
  if (value === undefined) return undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : rejectForgery('time-malformed')
}

const latest = (times: readonly (number | undefined)[]): number | undefined =>
  times.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined)
