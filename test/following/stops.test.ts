import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { createStops } from '../../src/engine/stops.ts'

test('N-110 a policy that stands at an event is told of until it has come past it, the oldest of several first', (t) => {
  let at = 4n
  const logged: unknown[] = []
  const stops = createStops({ error: (fields: object) => void logged.push(fields) }, () => at)
  const told = () => [...stops.all().values()].map(({ id }) => id)
  stops.note('policy', unreadable('b', 20n), 19n)
  at = 8n
  t.deepEqual(told(), ['b'], 'others before it have ended')
  stops.note('policy', unreadable('a', 2n), 9n)
  t.deepEqual(told(), ['a'], 'what it cannot read may stand before what it answers')
  stops.note('policy', unreadable('b', 20n), 19n)
  t.deepEqual(told(), ['a'])
  at = 10n
  t.deepEqual(told(), [])
  stops.note('policy', unreadable('b', 20n), 19n)
  t.deepEqual(told(), ['b'])
  at = 20n
  t.deepEqual(told(), [])
  t.is(logged.length, 3)
})

test('a read model that stands at an event is told of until it has moved', (t) => {
  let at = 4n
  const stops = createStops({ error: () => {} }, () => at)
  stops.note('read-model', unreadable('a', 7n))
  t.true(stops.all().has('read-model'))
  at = 5n
  t.false(stops.all().has('read-model'))
})

const unreadable = (id: string, position: bigint): UnreadableEvent => {
  const place = { id, stream: 'given-1', revision: 0n, position, order: position }
  const cause = { actor: 'tester', correlationId: 'test' }
  const event: RecordedEvent = { ...place, type: 'Given', data: {}, at: '2026-03-02T10:00:00.000Z', cause }
  return new UnreadableEvent(event, 'it is not JSON')
}
