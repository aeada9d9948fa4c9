/** Days and times of time zones, over all the times at which their clocks are turned. */
import test from 'ava'
import fc from 'fast-check'
import { spanOfDay, UTC, zoneClock, zoneNamed } from '../../domain/kernel/calendar.ts'
import { DEEP } from '../support/depth.ts'

/** Turned by an hour, half an hour, at midnight, over a whole day, by minutes and seconds, and never. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Antarctica/Troll',
]
const [FIRST, LAST] = ['2005-01-01T00:00:00.000Z', DEEP ? '2037-12-31T00:00:00.000Z' : '2028-12-31T00:00:00.000Z']
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** What the clocks of a zone show, by the host's own calendar: `2026-03-29 01:59:59`. */
const shownIn = (zone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (at: number) => format.format(at)
}

test('a time reads as the clocks of its zone show it, before and after each time they are turned', (t) => {
  for (const zone of ZONES) {
    const clock = zoneClock(zone)
    const shown = shownIn(zone)
    const turns = clock.spans(FIRST, LAST).map(({ from }) => from)
    if (!['Asia/Kathmandu'].includes(zone)) t.true(turns.length > 1, zone)
    for (const turn of turns)
      for (const near of [-DAY_MS, -HOUR_MS, -1_000, 0, 1_000, HOUR_MS, DAY_MS]) {
        const at = turn + near
        const text = clock.text(new Date(at).toISOString())
        t.is(text.slice(0, 19).replace('T', ' '), shown(at), `${zone} ${text}`)
        t.is(new Date(text).getTime(), at, `${zone} ${text} is the same instant`)
      }
  }
})

test('a day begins at the first instant that shows it, however long it is', (t) => {
  for (const zone of ZONES) {
    const clock = zoneClock(zone)
    for (const { from } of clock.spans(FIRST, LAST))
      for (const near of [-2, -1, 0, 1, 2]) {
        const day = clock.text(new Date(from + near * DAY_MS).toISOString()).slice(0, 10)
        const begins = Date.parse(clock.instantOf(`${day}T00:00:00.000`))
        t.is(clock.text(new Date(begins).toISOString()).slice(0, 10), day, zone)
        t.true(clock.text(new Date(begins - 1).toISOString()).slice(0, 10) < day, `${zone} ${day}`)
      }
  }
  const lengthOf = (zone: string, [day, next]: readonly [string, string]) => {
    const clock = zoneClock(zone)
    return Date.parse(clock.instantOf(`${next}T00:00`)) - Date.parse(clock.instantOf(`${day}T00:00`))
  }
  t.is(lengthOf('Europe/Berlin', ['2026-03-29', '2026-03-30']), 23 * HOUR_MS)
  t.is(lengthOf('Europe/Berlin', ['2026-10-25', '2026-10-26']), 25 * HOUR_MS)
  t.is(lengthOf('Australia/Lord_Howe', ['2026-10-04', '2026-10-05']), 23.5 * HOUR_MS)
  t.is(lengthOf('Pacific/Apia', ['2011-12-30', '2011-12-31']), 0, 'a day that was left out')
})

test('any wall time is the first instant that shows it or a later one, and any instant comes back', (t) => {
  const at = fc.integer({ min: Date.parse(FIRST), max: Date.parse(LAST) })
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), at, (zone, ms) => {
      const clock = zoneClock(zone)
      const time = new Date(ms).toISOString()
      const wall = clock.text(time).slice(0, 23)
      const first = clock.instantOf(wall)
      t.true(first <= time)
      t.true(clock.text(first).slice(0, 23) >= wall)
      t.true(clock.text(new Date(Date.parse(first) - 1).toISOString()).slice(0, 23) < wall)
    }),
    { numRuns: DEEP ? 5_000 : 300 },
  )
})

test('a time that is left out is the moment at which the clocks are put forward, and one that comes twice its first', (t) => {
  const berlin = zoneClock('Europe/Berlin')
  t.is(berlin.instantOf('2026-03-29T02:30:00.000'), '2026-03-29T01:00:00.000Z')
  t.is(berlin.instantOf('2026-10-25T02:30:00.000'), '2026-10-25T00:30:00.000Z')
  t.is(berlin.text('2026-10-25T00:30:00.000Z'), '2026-10-25T02:30:00.000+02:00')
  t.is(berlin.text('2026-10-25T01:30:00.000Z'), '2026-10-25T02:30:00.000+01:00')
  const time = '2026-10-25T01:30:00.000Z'
  t.deepEqual([zoneClock(UTC).text(time), zoneClock(UTC).instantOf('2026-10-25T01:30:00.000')], [time, time])
})

test('a zone goes by its name alone', (t) => {
  for (const zone of [...ZONES, 'europe/berlin']) t.is(zoneNamed(zone), zone)
  t.deepEqual([zoneNamed('UTC'), zoneNamed('Etc/UTC'), zoneNamed('Asia/Kolkata')], ['UTC', 'UTC', 'Asia/Kolkata'])
  for (const none of ['', 'Mars/Olympus', '+01:00', 'Europe/Berlin; drop', 'Z1']) t.is(zoneNamed(none), undefined, none)
})

test('N-90 a day of a zone begins at its midnight and ends before the next one, also where the clocks are turned', (t) => {
  const berlin = zoneClock('Europe/Berlin')
  t.deepEqual(spanOfDay(berlin, '2026-07-01'), { from: '2026-06-30T22:00:00.000Z', to: '2026-07-01T21:59:59.999Z' })
  t.deepEqual(spanOfDay(berlin, '2026-10-25'), { from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T22:59:59.999Z' })
  t.deepEqual(spanOfDay(zoneClock(UTC), '2026-02-28'), {
    from: '2026-02-28T00:00:00.000Z',
    to: '2026-02-28T23:59:59.999Z',
  })
})
