import { offsetText, type ZoneClock } from '../../domain/kernel/calendar.ts'

/** How a column of times is written, as a pattern of `to_char`; the distance from UTC stands behind it. */
type Shown = { readonly column: string; readonly pattern: string }

/**
 * SQL of a column of times as the clocks of a zone show them, with their distance from UTC. `first` and `last` are the
 * bounds of the times in the column.
 */
export const zonedSql = (clock: ZoneClock, first: string, last: string, { column, pattern }: Shown): string => {
  const spans = clock.spans(first, last)
  const cases = spans.map(({ offset }, n) => {
    const until = spans[n + 1]?.from
    const shown = `to_char(${column}::timestamp + interval '${offset / 1_000} seconds', '${pattern}') || '${offsetText(offset)}'`
    if (until === undefined) return spans.length === 1 ? shown : `else ${shown}`
    return `when ${column} collate "C" < '${new Date(until).toISOString()}' then ${shown}`
  })
  return spans.length === 1 ? String(cases[0]) : `case ${cases.join(' ')} end`
}
