import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { indexOf, slotAt, tailsOf, withoutSlots, withPaid, withSlot } from '../../domain/selling/amount-slots.ts'
import { chooseAmount, fullUntil, stepOf, unitOf, type Wish } from '../../domain/selling/free-amount.ts'
import { amountOf, expectedOn, receiveAddress } from '../../domain/selling/receive-address.ts'
import { NOW } from '../support/given.ts'
import { amountsOf, ask, fill, HOLD, holdsFor, refusalOf, reserved, time } from './address-asks.ts'

/** Which amounts a price may have, who gets them in which order, and what an address remembers of them. */

const wish = (price: string, more: Partial<Wish> = {}): Wish => ({ price, step: '1', anonymous: false, ...more })
const chosen = (price: string, more: Partial<Wish> = {}) => chooseAmount({}, wish(price, more), NOW)
const sorted = (of: Parameters<typeof amountsOf>[0]) => amountsOf(of).toSorted((a, b) => (a < b ? -1 : 1))

test('N-21 an amount lies above its price by at least one place, ends in 2, 5 or 8, and is whole to a payer', (t) => {
  t.deepEqual(
    ['1000', '1001', '1002', '1007', '1008', '19999'].map((price) => chosen(price)),
    [1_002n, 1_002n, 1_005n, 1_008n, 1_012n, 20_002n],
  )
  t.is(chosen('1009', { step: '10' }), 1_020n)
})

test('N-21 the last of 99 places is used too, and none beyond it', (t) => {
  t.is(holdsFor(ask('', '1009')), 30)
  t.is(holdsFor(ask('', '1008')), 29)
})

test('N-21 every fourth amount is kept from callers without a name; of fewer than 20 places the last one is', (t) => {
  const anonymous = (price: string, coarse: boolean) =>
    sorted(fill(9, () => ({ ...ask('', price), anonymous: true, coarse })).state)
  t.deepEqual(
    anonymous('1000000', false),
    [2n, 5n, 8n, 15n, 18n, 22n, 28n, 32n, 35n].map((tail) => 1_000_000n + tail),
  )
  t.deepEqual(anonymous('4000', true), [4_002n, 4_005n, 4_008n, 4_015n, 4_018n])
  t.deepEqual(anonymous('3800', true), [3_802n, 3_805n, 3_808n, 3_812n, 3_815n])
  t.deepEqual(anonymous('1000', true), [1_002n])
  t.deepEqual(anonymous('500', true), [502n])
})

test('N-21 of amounts that came free at one time the lowest goes first', (t) => {
  const { amounts } = fold(receiveAddress, [reserved('1005', 'b', 60), reserved('1002', 'a', 60)])
  t.is(chooseAmount(amounts, wish('1000', { coarse: true }), time(60 + HOLD)), 1_002n)
})

test('N-21 a price that has no amount never gets one, and any other says in how many seconds it may', (t) => {
  const refusedIn = (price: string, now: string) => {
    const { amounts } = fold(receiveAddress, [reserved('502', 'a', 60)])
    const error = t.throws(() => chooseAmount(amounts, wish(price, { coarse: true }), now))
    return (error as { retryAfterS?: number }).retryAfterS
  }
  const before = (ms: number) => new Date(Date.parse(time(60 + HOLD)) - ms).toISOString()
  t.is(refusedIn('100', NOW), undefined)
  t.deepEqual(
    [refusedIn('500', before(10_000)), refusedIn('500', before(1_500)), refusedIn('500', before(1))],
    [10, 2, 1],
  )
})

test('N-21 word of a full price is for that very wish', (t) => {
  const state = fold(receiveAddress, [reserved('502', 'a')])
  const full = wish('500', { coarse: true })
  t.throws(() => chooseAmount(state.amounts, full, NOW))
  t.is(fullUntil(state.amounts, full, NOW), time(60 + HOLD))
  t.is(fullUntil(state.amounts, { ...full, cent: 0 }, NOW), time(60 + HOLD))
  for (const other of [{ anonymous: true }, { coarse: false }, { cent: 1 }, { step: '2' }, { price: '499' }])
    t.is(fullUntil(state.amounts, { ...full, ...other }, NOW), undefined)
})

test('N-21 the last place of a coin is worth so many cents, or is too dear to be given away', (t) => {
  const usdc = { decimals: 6, displayDecimals: 6 }
  t.is(stepOf({ decimals: 18, displayDecimals: 8 }), 10n ** 10n)
  t.deepEqual(unitOf(usdc, '1'), { step: '1', coarse: false, cent: 10_000 })
  t.deepEqual(unitOf(usdc, '0.5'), { step: '1', coarse: false, cent: 10_000 })
  t.deepEqual(unitOf(usdc, '2'), { step: '1', coarse: false, cent: 5_000 })
  t.deepEqual(unitOf({ decimals: 6, displayDecimals: 2 }, '1'), { step: '10000', coarse: true, cent: 1 })
  t.deepEqual(unitOf({ decimals: 6, displayDecimals: 2 }, '0.99'), { step: '10000', coarse: false, cent: 1 })
  t.deepEqual(unitOf({ decimals: 0, displayDecimals: 0 }, '5'), { step: '1', coarse: true, cent: 0 })
  t.deepEqual(unitOf(usdc, '0'), { step: '1', coarse: false, cent: 0 })
})

const slot = (challengeId: string, more: object = {}) => {
  const times = { openedAt: NOW, endsAt: time(60), heldUntil: time(60 + HOLD) }
  return { challengeId, ...times, ...more }
}

test('an index is built once for some amounts, and moves on with each that is added, marked or replaced', (t) => {
  const one = withSlot({}, '1002', slot('a', { network: 'n1' }))
  const index = indexOf(one)
  t.is(indexOf(one), index)
  t.is(tailsOf(one, '1').get(1_002), Date.parse(time(60 + HOLD)))
  t.is(tailsOf(one, '1'), tailsOf(one, '1'))
  const two = withSlot(one, '1005', slot('b'))
  t.is(indexOf(two), index)
  t.is(tailsOf(two, '1').get(1_005), Date.parse(time(60 + HOLD)))
  const paid = withPaid(two, ['1002', '7'])
  t.is(indexOf(paid), index)
  t.deepEqual([slotAt(paid, '1002')?.paid, slotAt(paid, '1005')?.paid, slotAt(paid, '7')], [true, undefined, undefined])
  t.is(withPaid(paid), paid)
  t.is(withPaid(paid, ['7']), paid)
  const replaced = indexOf(withSlot(paid, '1002', slot('c', { network: 'n2', openedAt: time(200) })))
  t.deepEqual(
    [...replaced.firsts],
    [
      ['b', '1005'],
      ['c', '1002'],
    ],
  )
  t.deepEqual([...replaced.networks.keys()], ['n2'])
})

test('an index knows the first amount of a challenge, its newest rest, and what a network holds open', (t) => {
  const later = { openedAt: time(30) }
  let amounts = withSlot({}, '61', slot('a', { network: 'n1', endsAt: time(10) }))
  amounts = withSlot(amounts, '3', slot('a', { ...later, rest: '9' }))
  amounts = withSlot(amounts, '2', slot('a', { openedAt: time(40), rest: '4' }))
  amounts = withSlot(amounts, '5', slot('a', { openedAt: time(50) }))
  amounts = withSlot(amounts, '8', slot('b', { ...later, network: 'n1' }))
  const index = indexOf(amounts)
  t.deepEqual([index.firsts.get('a'), index.rests.get('a')], ['61', { amount: '2', missing: '4' }])
  t.deepEqual(index.networks.get('n1'), [{ amount: '8', endsAt: time(60) }])
  const without = withoutSlots(amounts, new Set(['61', '2']))
  t.deepEqual([slotAt(without, '61'), slotAt(without, '2'), slotAt(without, '3')?.rest], [undefined, undefined, '9'])
  const more = indexOf(withSlot(amounts, '2', slot('c', { openedAt: time(300) })))
  t.is(more.rests.get('a'), undefined)
  t.is(more.firsts.get('c'), '2')
  const two = withSlot(withSlot({}, '61', slot('a', { network: 'n1' })), '8', slot('b', { network: 'n1' }))
  t.is(indexOf(two).networks.get('n1')?.length, 2)
  t.deepEqual(indexOf(withSlot(two, '61', slot('c'))).networks.get('n1'), [{ amount: '8', endsAt: time(60) }])
})

test('Q-55 an address that is full forgets the thousand amounts that were free longest, and says so while it matters', (t) => {
  const at = (n: number) => reserved(String(1_000_002 + 10 * n), `c${n}`, n + 1)
  const all = Array.from({ length: 4_000 }, (_, n) => at(3_999 - n))
  const full = fold(receiveAddress, all)
  const next = (minutes: number) =>
    fold(receiveAddress, [reserved('90000002', 'next', minutes + 60, time(minutes))], full)
  const later = next(5_000)
  t.is(later.size, 3_001)
  t.deepEqual(
    ['c999', 'c1000', 'next'].map((id) => amountOf(later, id)),
    [undefined, '1010002', '90000002'],
  )
  t.deepEqual([later.displaced.length, later.leftOutUntil], [0, undefined])
  // Only what is free is forgotten; of what may still be paid, so many stay known beside their amounts.
  const sooner = next(1_000)
  t.is(sooner.size, 4_001 - (1_000 - HOLD))
  t.is(sooner.displaced.length, 64)
  t.false(expectedOn(sooner, time(1_000)).isWhole)
  t.is(refusalOf(full, ask('x', '90000000'), time(1 + HOLD)), undefined)
})
