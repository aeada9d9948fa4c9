import { InvalidArgumentError } from 'commander'
import { UTC_CLOCK, type ZoneClock, zoneClock, zoneNamed } from '../../domain/kernel/calendar.ts'
import { type AsOf, asOfArgument, timeArgument } from './arguments.ts'

/** Times that people type without a zone are those of the clocks that they name, which may stand behind them. */

/** An instant, or what the clocks of a zone show. */
type TypedTime = Date | { readonly wall: string }

export const typedTimeArgument = (text: string): TypedTime => typed(text, timeArgument(text))

export const typedAsOfArgument = (text: string): { readonly position: bigint } | { readonly time: TypedTime } => {
  const end = asOfArgument(text)
  return 'position' in end ? end : { time: typed(text, end.time) }
}

/** The name of a time zone. */
export const zoneArgument = (text: string): ZoneClock => {
  const zone = zoneNamed(text)
  if (zone === undefined)
    throw new InvalidArgumentError('It is no time zone of IANA, such as Europe/Berlin, America/New_York or UTC.')
  return zoneClock(zone)
}

/** Without a zone behind it, a time was read as one of UTC. */
const typed = (text: string, time: Date): TypedTime =>
  /(Z|[+-]\d\d:\d\d)$/.test(text) ? time : { wall: time.toISOString().slice(0, -1) }

type TypedWish = {
  readonly zone?: ZoneClock
  readonly from?: TypedTime
  readonly to?: TypedTime
  readonly asOf?: ReturnType<typeof typedAsOfArgument>
}

/** The times that were typed, as instants, and the clocks that show them. */
export type ZonedWish = { readonly clock?: ZoneClock; readonly from?: Date; readonly to?: Date; readonly asOf?: AsOf }

/** The same options with instants, whichever of them came first. */
export const inZone = <W extends TypedWish>({
  zone,
  from,
  to,
  asOf,
  ...others
}: W): Omit<W, keyof TypedWish> & ZonedWish & { readonly clock: ZoneClock } => {
  const clock = zone ?? UTC_CLOCK
  const instant = (time: TypedTime): Date => (time instanceof Date ? time : new Date(clock.instantOf(time.wall)))
  return {
    ...others,
    clock,
    ...(from && { from: instant(from) }),
    ...(to && { to: instant(to) }),
    ...(asOf && { asOf: 'position' in asOf ? asOf : { time: instant(asOf.time) } }),
  }
}
