import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import {
  amountOf,
  expectedOn,
  formerHolderOf,
  holderOf,
  ownersOf,
  receiveAddress,
  restOf,
  unpaidOf,
} from '../../domain/selling/receive-address.ts'
import { given, NOW } from '../support/given.ts'
import {
  ask,
  decided,
  type Events,
  HOLD,
  holdsFor,
  lend,
  lent,
  refusalOf,
  reserved,
  type State,
  time,
} from './address-asks.ts'

test('an amount that was never asked for comes first, the lowest above the price, and the price itself never', (t) => {
  given(t, receiveAddress).when('reserve', ask('a')).yields(reserved('1002', 'a'))
  given(t, receiveAddress, reserved('1002', 'a')).when('reserve', ask('b')).yields(reserved('1005', 'b'))
  given(t, receiveAddress, reserved('1005', 'a')).when('reserve', ask('b')).yields(reserved('1002', 'b'))
  given(t, receiveAddress)
    .when('reserve', ask('a', '1000', 60, '10'))
    .yields(reserved('1020', 'a'))
})

test('N-21 the amount that has been free longest is lent again first, whatever it was', (t) => {
  // A coarse coin, so that 1,000 has one amount of half a percent: 1,002 and 1,005.
  const coarse = (challengeId: string, ends: number) => ({ ...ask(challengeId, '1000', ends), coarse: true })
  const history = given(t, receiveAddress, reserved('1002', 'a', 60), reserved('1005', 'b', 30))
  history.when('reserve', coarse('c', 400), time(30 + HOLD)).yields(reserved('1005', 'c', 400, time(30 + HOLD)))
  history.when('reserve', coarse('c', 400), time(60 + HOLD)).yields(reserved('1005', 'c', 400, time(60 + HOLD)))
  given(t, receiveAddress, reserved('1002', 'a', 30), reserved('1005', 'b', 60))
    .when('reserve', coarse('c', 4_000), time(3_000))
    .yields(reserved('1002', 'c', 4_000, time(3_000)))
})

test('the same challenge asking twice holds one amount', (t) => {
  given(t, receiveAddress, reserved('1002', 'a')).when('reserve', ask('a')).yieldsNothing()
  given(t, receiveAddress, reserved('1002', 'a')).when('reserve', ask('a', '5000')).yieldsNothing()
})

test('N-21 an amount is another’s two hours after its challenge has ended, and not a moment before', (t) => {
  const coarse = (price: string, ends: number) => ({ ...ask('b', price, ends), coarse: true })
  const history = given(t, receiveAddress, reserved('502', 'a', 60))
  history.when('reserve', coarse('500', 240), time(60 + HOLD - 1)).isRefused('no-free-amount')
  history.when('reserve', coarse('500', 240), time(60 + HOLD)).yields(reserved('502', 'b', 240, time(60 + HOLD)))
})

test('an amount that is another’s is no more that of who had it', (t) => {
  const before = fold(receiveAddress, [reserved('1002', 'a', 60)])
  t.is(amountOf(before, 'a'), '1002')
  const after = fold(receiveAddress, [reserved('1002', 'b', 300, time(200))], before)
  t.deepEqual([amountOf(after, 'a'), amountOf(after, 'b')], [undefined, '1002'])
})

test('an amount that was reserved before there were hard holds is held as long as it was then', (t) => {
  const { type, data } = reserved('502', 'a')
  const { endsAt: _, ...before } = { ...data, heldUntil: time(25 * 60) }
  const history = given(t, receiveAddress, { type, data: before })
  const again = { ...ask('b', '500', 2_000), coarse: true }
  history.when('reserve', again, time(25 * 60 - 1)).isRefused('no-free-amount')
  history.when('reserve', again, time(25 * 60)).yields(reserved('502', 'b', 2_000, time(25 * 60)))
  const state = fold(receiveAddress, [{ type, data: before }])
  t.deepEqual(expectedOn(state, time(60)).challenges, [{ challengeId: 'a', openedAt: NOW, endsAt: time(60) }])
})

test('amounts of different prices on one address never meet, nor do their last digits', (t) => {
  given(t, receiveAddress, reserved('1002', 'a'), reserved('1005', 'b'))
    .when('reserve', ask('c', '1001'))
    .yields(reserved('1008', 'c'))
  // An exchange that takes 10,000 from 21,002 sends what would else be another buyer's amount.
  given(t, receiveAddress, reserved('21002', 'a')).when('reserve', ask('b', '11000')).yields(reserved('11005', 'b'))
})

test('N-21 a price is moved by 99 places, half a percent or one US cent, whichever is most, and by four digits at most', (t) => {
  t.is(holdsFor(ask('', '1000')), 30)
  t.is(holdsFor(ask('', '20000')), 30)
  t.is(holdsFor(ask('', '40000')), 60)
  t.is(holdsFor(ask('', '100000')), 150)
  t.is(holdsFor(ask('', '400000', 60, '10')), 60)
  t.is(holdsFor({ ...ask('', '1000'), cent: 333 }), 100)
  // A coin whose places are worth more than a cent is not moved by a cent.
  t.is(holdsFor({ ...ask('', '1000'), coarse: true, cent: 333 }), 2)
})

test('N-21 of a few amounts one is left to the seller, and of one none', (t) => {
  const holds = (price: string) => holdsFor({ ...ask('', price), coarse: true, anonymous: true })
  t.deepEqual(['500', '1000', '2000'].map(holds), [1, 1, 2])
})

const caller = (challengeId: string, network = 'n1', paid?: readonly string[]) => ({
  ...ask(challengeId, '1000000'),
  anonymous: true,
  network,
  unpaidMax: 2,
  ...(paid && { paid }),
})

test('N-21 one network holds so many unpaid challenges, and is told when the first of them ends', (t) => {
  const held = fold(receiveAddress, [
    ...decided(receiveAddress.initial, { ...caller('a'), endsAt: time(60) }, NOW),
  ] as Events)
  const two = fold(receiveAddress, decided(held, { ...caller('b'), endsAt: time(50) }, NOW), held)
  const refusal = refusalOf(two, caller('c'), time(10))
  t.is(refusal?.code, 'rate-limited')
  t.is(refusal?.retryAfterS, 40 * 60)
  // The same challenge again, another network and the seller are served; and so is the network once one has ended.
  t.is(decided(two, caller('b'), NOW).length, 0)
  t.is(refusalOf(two, caller('c', 'n2'), NOW), undefined)
  t.is(refusalOf(two, ask('c'), NOW), undefined)
  t.is(refusalOf(two, caller('c'), time(50)), undefined)
})

test('N-21 what a network has paid does not count, and is not looked at again', (t) => {
  let state: State = receiveAddress.initial
  for (const id of ['a', 'b']) state = fold(receiveAddress, decided(state, caller(id), NOW), state)
  const paid = amountOf(state, 'a') as string
  t.is(refusalOf(state, caller('c', 'n1', ['7']), NOW)?.code, 'rate-limited')
  const third = decided(state, caller('c', 'n1', [paid]), NOW)
  t.is(third.length, 1)
  state = fold(receiveAddress, third, state)
  t.deepEqual(
    unpaidOf(state, 'n1', NOW).map(({ challengeId }) => challengeId),
    ['b', 'c'],
  )
  t.is(refusalOf(state, caller('d'), NOW)?.code, 'rate-limited')
})

test('a held amount names its challenge until the hold ends; every other amount is nobody’s', (t) => {
  const state = fold(receiveAddress, [reserved('1002', 'a')])
  t.is(holderOf(state, 1002n, time(179)), 'a')
  t.is(holderOf(state, 1002n, time(180)), undefined)
  t.is(formerHolderOf(state, 1002n, time(180)), 'a')
  t.is(holderOf(state, 1000n, NOW), undefined)
  t.is(formerHolderOf(state, 1000n, NOW), undefined)
  t.is(holderOf(state, 1003n, NOW), undefined)
})

test('N-21 an address that nothing is expected on is lent as a whole, to one challenge at a time', (t) => {
  given(t, receiveAddress).when('lend', lend('a')).yields(lent('a'))
  given(t, receiveAddress, lent('a')).when('lend', lend('a')).yieldsNothing()
  given(t, receiveAddress, lent('a')).when('lend', lend('b')).isRefused('no-free-amount')
  given(t, receiveAddress, lent('a')).when('reserve', ask('b')).isRefused('no-free-amount')
  given(t, receiveAddress, reserved('1002', 'a')).when('lend', lend('b')).isRefused('no-free-amount')
  given(t, receiveAddress, lent('a')).when('lend', lend('b', 240), time(179)).isRefused('no-free-amount')
  given(t, receiveAddress, lent('a'))
    .when('lend', lend('b', 240), time(180))
    .yields(lent('b', 180, 240))
  given(t, receiveAddress, reserved('1002', 'a'))
    .when('lend', lend('b', 240), time(180))
    .yields(lent('b', 180, 240))
})

test('N-21 whatever comes to a lent address is its challenge’s, from the moment it was lent', (t) => {
  const state = fold(receiveAddress, [lent('a'), lent('b', 180, 240)])
  t.is(holderOf(state, 7n, time(181)), 'b')
  t.is(holderOf(state, 7n, time(179)), undefined)
  t.is(holderOf(state, 7n, time(360)), undefined)
  t.is(formerHolderOf(state, 7n, time(361)), 'b')
  t.is(formerHolderOf(state, 7n, time(179)), undefined)
})

test('J-CHL-03 what is missing of a payment in parts gets an amount of its own, and the first amount stays', (t) => {
  const rest = (missing: string) => {
    const { price: _, anonymous: __, ...others } = ask('a')
    return { ...others, missing }
  }
  const restReserved = (amount: string, missing: string) => {
    const { type, data } = reserved(amount, 'a')
    return { type, data: { ...data, rest: missing } } as const
  }
  const history = [reserved('1002', 'a'), reserved('402', 'b')]
  given(t, receiveAddress, ...history)
    .when('reserveRest', rest('400'))
    .yields(restReserved('405', '400'))
  given(t, receiveAddress, ...history, restReserved('405', '400'))
    .when('reserveRest', rest('400'))
    .yieldsNothing()
  given(t, receiveAddress, ...history, restReserved('405', '400'))
    .when('reserveRest', rest('100'))
    .yields(restReserved('102', '100'))
  const state = fold(receiveAddress, [...history, restReserved('405', '400'), restReserved('102', '100')])
  t.deepEqual([amountOf(state, 'a'), restOf(state, 'a'), restOf(state, 'b')], ['1002', '102', undefined])
  for (const amount of [1_002n, 405n, 102n]) t.is(holderOf(state, amount, time(60)), 'a')
  t.deepEqual(
    expectedOn(state, NOW).challenges.map(({ challengeId }) => challengeId),
    ['a', 'b'],
  )
})

test('Q-55 challenges are expected for a day after their end, also when their amounts are others’ again', (t) => {
  const again = fold(receiveAddress, [reserved('1002', 'a', 60), reserved('1002', 'b', 300, time(200))])
  const idsAt = (state: State, minutes: number) =>
    expectedOn(state, time(minutes)).challenges.map(({ challengeId }) => challengeId)
  t.deepEqual(idsAt(again, 200), ['a', 'b'])
  t.deepEqual(idsAt(again, 60 + 1_439), ['a', 'b'])
  t.deepEqual(idsAt(again, 60 + 1_440), ['b'])
  t.deepEqual(idsAt(again, 300 + 1_440), [])
  t.true(expectedOn(again, NOW).isWhole)
  const lentAgain = fold(receiveAddress, [lent('a', 0, 60), lent('b', 200, 260)])
  t.deepEqual(idsAt(lentAgain, 270), ['a', 'b'])
})

test('Q-55 it is told when some of those that are expected are forgotten, as long as they are', (t) => {
  const cycles = Array.from({ length: 70 }, (_, n) => reserved('1002', `c${n}`, 10 * n + 1, time(10 * n)))
  const state = fold(receiveAddress, cycles)
  const last = 690 + 1
  t.deepEqual([expectedOn(state, time(last)).challenges.length, expectedOn(state, time(last)).isWhole], [65, false])
  t.true(expectedOn(state, time(41 + 1_440)).isWhole)
  t.false(expectedOn(state, time(40 + 1_440)).isWhole)
})

test('Q-55 the newest payment that is nobody’s is remembered', (t) => {
  const seen = (minutes: number) => ({ type: 'OddPaymentSeen', data: { minedAt: time(minutes) } }) as const
  given(t, receiveAddress)
    .when('noteUnmatched', { minedAt: time(5) })
    .yields(seen(5))
  given(t, receiveAddress, seen(5))
    .when('noteUnmatched', { minedAt: time(5) })
    .yieldsNothing()
  given(t, receiveAddress, seen(5))
    .when('noteUnmatched', { minedAt: time(4) })
    .yieldsNothing()
  given(t, receiveAddress, seen(5))
    .when('noteUnmatched', { minedAt: time(6) })
    .yields(seen(6))
  t.is(fold(receiveAddress, [seen(5), reserved('1002', 'a'), seen(6)]).unmatchedAt, time(6))
})

test('the sellers who are paid at an address are remembered, the last eight', (t) => {
  const events = Array.from({ length: 10 }, (_, n) => {
    const { type, data } = reserved(String(1_002 + 10 * n), `c${n}`)
    return { type, data: { ...data, accountId: `acc_${n}` } } as const
  })
  t.deepEqual(
    ownersOf(fold(receiveAddress, events)),
    Array.from({ length: 8 }, (_, n) => `acc_${n + 2}`),
  )
})
