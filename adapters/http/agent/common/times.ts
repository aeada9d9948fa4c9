import { z } from 'zod'
import { PERIODS, type Period } from '../../../../domain/use-cases/money/overview.ts'

/** Spans of time in a query. A day counts whole: `from` from its beginning, `to` until its end (UTC). */

/** A time as records of transactions have it, in UTC. */
const RecordTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'has to be a time as YYYY-MM-DD HH:MM:SS, UTC')
  .transform((time) => `${time.replace(' ', 'T')}Z`)
  .pipe(z.iso.datetime())

const Time = z.union([z.iso.date(), z.iso.datetime({ offset: true }), RecordTime])
const startOf = (time: string) => new Date(time).toISOString()
const endOf = (time: string) => (time.length === DAY_LENGTH ? `${time}T23:59:59.999Z` : new Date(time).toISOString())
const DAY_LENGTH = '2026-01-01'.length

export const From = Time.transform(startOf)
export const To = Time.transform(endOf)

/** The last days up to today. */
export const PeriodName = z.enum(Object.keys(PERIODS) as [Period, ...Period[]])
