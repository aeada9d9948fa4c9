/** Which sales every process has to hear of before they are answered. */
import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { LedgerEvent } from '../../domain/write-side/deciders.ts'
import { soldBefore } from '../../src/engine/sold-before.ts'

const SALES = ['ChallengeSettled', 'CardPaymentSettled'] as const

const event = (type: string, data: object = {}) => ({ type, data }) as unknown as LedgerEvent
const sale = (resId: string | null, type: string = SALES[0]) => event(type, { resId, settledAt: 'now' })

const setUp = () => {
  const all = { haveHeard: -1n }
  const { changesRow, arrived } = soldBefore((position) => all.haveHeard >= position)
  const arrives = (position: bigint, { type, data }: LedgerEvent, more: object = {}) =>
    arrived([{ type, data, position, ...more } as unknown as RecordedEvent])
  return { all, changesRow, arrives }
}

test('N-173 once all have heard of a sale of a resource, the next ones are not waited for', (t) => {
  for (const type of SALES) {
    const { all, changesRow, arrives } = setUp()
    t.true(changesRow(sale('a', type)))
    arrives(5n, sale('a', type))
    t.true(changesRow(sale('a', type)))
    all.haveHeard = 4n
    t.true(changesRow(sale('a', type)))
    all.haveHeard = 5n
    t.false(changesRow(sale('a', type)))
    arrives(6n, sale('a', type))
    t.false(changesRow(sale('a', type)))
    t.true(changesRow(sale('b', type)))
  }
})

test('N-173 a sale of what is no resource changes no row that is kept, and every other event counts by its type', (t) => {
  const { changesRow } = setUp()
  t.deepEqual([sale(null), event('CreditDebited')].map(changesRow), [false, false])
})

test('N-173 a sale that cannot be read, and what was known before a sale was set aside, count for nothing', (t) => {
  const { all, changesRow, arrives } = setUp()
  all.haveHeard = 9n
  arrives(5n, sale('a'), { unreadable: 'why' })
  t.true(changesRow(sale('a')))
  t.true(changesRow({ ...sale('a'), unreadable: 'why' } as unknown as RecordedEvent), 'it counts by its type')
  arrives(6n, sale('a'))
  t.false(changesRow(sale('a')))
  arrives(7n, event('EventQuarantined', { event: 'the sale', stream: 'challenge-1' }))
  t.true(changesRow(sale('a')))
})
