import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import {
  expectedOn,
  formerHolderOf,
  holderOf,
  idleSince,
  isFullUntil,
  isIdle,
  lentTo,
  ownersOf,
  receiveAddress,
  receiveAddressId,
  unpaidOf,
} from '../../domain/selling/receive-address.ts'
import { given, NOW } from '../support/given.ts'
import { ask, decided, HOLD, lend, lent, refusalOf, reserved, type State, time } from './address-asks.ts'

/** When an amount or an address is whose, who may hold how many, and when there is room again. */

const after = (...history: Parameters<typeof fold<typeof receiveAddress>>[1]) => fold(receiveAddress, history)
const rest = (missing: string, more: object = {}) => {
  const { price: _, anonymous: __, ...others } = ask('a')
  return { ...others, missing, ...more }
}

test('N-21 a stream is one coin on one address of one network', (t) => {
  t.is(receiveAddressId({ network: 'base', coin: 'usdc', to: '0x1' }), 'base:usdc:0x1')
})

test('N-21 what a reservation says of its caller is written down, and nothing where there is nothing to say', (t) => {
  const { type, data } = reserved('1002', 'a')
  const wish = { ...ask('a'), network: 'n1', unpaidMax: 2 }
  given(t, receiveAddress)
    .when('reserve', wish)
    .yields({ type, data: { ...data, network: 'n1' } })
  given(t, receiveAddress)
    .when('reserve', { ...wish, paid: [] })
    .yields({ type, data: { ...data, network: 'n1' } })
  given(t, receiveAddress)
    .when('reserve', { ...wish, paid: ['7'] })
    .yields({ type, data: { ...data, network: 'n1', paid: ['7'] } })
})

test('J-CHL-03 the rest of a price takes the amounts that are kept for sellers too, and waits for a lent address', (t) => {
  const coarse = { missing: '1000', coarse: true }
  given(t, receiveAddress, reserved('1002', 'b'))
    .when('reserve', { ...ask('c'), coarse: true, anonymous: true })
    .isRefused('no-free-amount')
  given(t, receiveAddress, reserved('1002', 'b'))
    .when('reserveRest', { ...rest('1000'), ...coarse })
    .yields({ type: 'AmountReserved', data: { ...reserved('1005', 'a').data, rest: '1000' } })
  given(t, receiveAddress, lent('b')).when('reserveRest', rest('400')).isRefused('no-free-amount')
})

test('N-21 an address is lent from the moment it was lent until its hold ends', (t) => {
  const state = after(lent('a', 10, 60))
  const at = (minutes: number) => [lentTo(state, time(minutes)), holderOf(state, 7n, time(minutes))]
  t.deepEqual(at(9), [undefined, undefined])
  t.deepEqual(at(10), ['a', 'a'])
  t.deepEqual(at(60 + HOLD - 1), ['a', 'a'])
  t.deepEqual(at(60 + HOLD), [undefined, undefined])
  t.is(formerHolderOf(state, 7n, time(10)), 'a')
  t.is(formerHolderOf(state, 7n, time(9)), undefined)
  t.deepEqual(
    [lentTo(receiveAddress.initial, NOW), formerHolderOf(receiveAddress.initial, 7n, NOW)],
    [undefined, undefined],
  )
})

test('N-21 an amount that was given after an address had been lent is its challenge’s, and before it the address’s', (t) => {
  const state = after(lent('a', 0, 60), reserved('1002', 'b', 300, time(200)))
  t.is(holderOf(state, 1_002n, time(100)), 'a')
  t.is(holderOf(state, 1_002n, time(201)), 'b')
  t.is(formerHolderOf(state, 1_002n, time(900)), 'b')
  t.is(formerHolderOf(state, 1_005n, time(900)), 'a')
})

test('Q-55 a challenge counts as opened when it got its first amount, in whatever order its amounts lie', (t) => {
  for (const [first, second] of [
    ['61', '62'],
    ['62', '61'],
  ] as const) {
    const further = reserved(second, 'a', 60, time(10))
    const state = after(reserved(first, 'a'), { ...further, data: { ...further.data, rest: '50' } })
    t.deepEqual(expectedOn(state, time(20)).challenges, [{ challengeId: 'a', openedAt: NOW, endsAt: time(60) }])
  }
  t.deepEqual(expectedOn(receiveAddress.initial, NOW), { challenges: [], isWhole: true })
})

test('Q-55 an address that was lent before holds were told apart from ends is expected until a day before its hold ends', (t) => {
  const { type, data } = lent('a')
  const { endsAt: _, ...before } = { ...data, heldUntil: time(25 * 60) }
  const [only] = expectedOn(after({ type, data: before }), time(30)).challenges
  t.is(only?.endsAt, time(60))
})

test('N-21 an address is idle once the last hold on it has ended, of an amount or of the whole', (t) => {
  t.deepEqual([idleSince(receiveAddress.initial), isIdle(receiveAddress.initial, NOW)], ['', true])
  const amounts = after(reserved('1002', 'a', 100), reserved('1005', 'b', 50))
  t.is(idleSince(amounts), time(100 + HOLD))
  t.deepEqual([isIdle(amounts, time(100 + HOLD - 1)), isIdle(amounts, time(100 + HOLD))], [false, true])
  t.is(idleSince(after(lent('a'))), time(60 + HOLD))
  t.is(idleSince(after(lent('a', 0, 60), reserved('1002', 'b', 300, time(200)))), time(300 + HOLD))
  t.is(idleSince(after(reserved('1002', 'b', 10), lent('a', 200, 260))), time(260 + HOLD))
})

test('an amount that is given again is one amount still', (t) => {
  t.is(after(reserved('1002', 'a'), reserved('1005', 'b')).size, 2)
  t.is(after(reserved('1002', 'a', 60), reserved('1002', 'b', 300, time(200))).size, 1)
})

test('N-21 whoever finds all amounts taken leaves word until when', (t) => {
  const state = after(reserved('502', 'a'))
  const wish = { ...ask('b', '500'), coarse: true }
  t.is(isFullUntil(state, wish, NOW), undefined)
  t.is(refusalOf(state, wish, NOW)?.retryAfterS, (60 + HOLD) * 60)
  t.is(isFullUntil(state, wish, NOW), time(60 + HOLD))
  t.is(isFullUntil(state, { ...wish, price: '501' }, NOW), undefined)
  t.is(isFullUntil(state, wish, time(60 + HOLD)), undefined)
})

test('N-21 what a network holds unpaid is its own, open, and not found paid', (t) => {
  const of = (network: string, challengeId: string, amount: string, ends: number, at = 0) => {
    const { type, data } = reserved(amount, challengeId, ends, time(at))
    return { type, data: { ...data, network } } as const
  }
  const ids = (state: State, network: string | undefined, minutes: number) =>
    unpaidOf(state, network, time(minutes)).map(({ challengeId, amount }) => `${challengeId} ${amount}`)
  const state = after(of('n1', 'a', '1002', 60), of('n2', 'b', '1005', 60), of('n1', 'c', '1008', 30))
  t.deepEqual(ids(state, 'n1', 0), ['a 1002', 'c 1008'])
  t.deepEqual(ids(state, 'n1', 30), ['a 1002'])
  t.deepEqual(ids(state, 'n2', 59), ['b 1005'])
  t.deepEqual(ids(state, 'n2', 60), [])
  t.deepEqual(ids(state, undefined, 0), [])
  t.deepEqual(ids(state, 'n3', 0), [])
  const taken = after(of('n1', 'a', '1002', 60), of('n2', 'b', '1002', 300, 200))
  t.deepEqual([ids(taken, 'n1', 210), ids(taken, 'n2', 210)], [[], ['b 1002']])
})

test('N-21 a network at its bound waits for the first of its challenges to end, whichever was opened first', (t) => {
  const wish = (challengeId: string, ends: number) => {
    const caller = { network: 'n1', unpaidMax: 2, anonymous: true }
    return { ...ask(challengeId, '1000000', ends), ...caller }
  }
  for (const [one, other] of [
    [20, 60],
    [60, 20],
  ] as const) {
    let state: State = receiveAddress.initial
    for (const each of [wish('a', one), wish('b', other)])
      state = fold(receiveAddress, decided(state, each, NOW), state)
    t.is(refusalOf(state, wish('c', 60), time(10))?.retryAfterS, 10 * 60)
    t.is(refusalOf(state, { ...wish('c', 60), unpaidMax: 3 }, time(10)), undefined)
  }
})

test('N-21 a lent address says when it is free again', (t) => {
  t.is(refusalOf(after(lent('a')), ask('b'), time(60))?.retryAfterS, HOLD * 60)
  t.is(refusalOf(after(lent('a')), ask('b'), time(60 + HOLD)), undefined)
  given(t, receiveAddress, lent('a')).when('lend', lend('b')).isRefused('no-free-amount')
})

test('N-21 an address holds 4,000 amounts, and says when the first of them comes free', (t) => {
  const at = (n: number) => reserved(String(1_000_002 + 10 * n), `c${n}`, n === 1_000 ? 50 : 60)
  const almost = after(...Array.from({ length: 3_999 }, (_, n) => at(n)))
  const wish = ask('next', '90000000')
  t.is(refusalOf(almost, wish, NOW), undefined)
  const full = fold(receiveAddress, [at(3_999)], almost)
  t.is(full.size, 4_000)
  t.is(refusalOf(full, wish, NOW)?.retryAfterS, (50 + HOLD) * 60)
  t.is(refusalOf(full, wish, time(50 + HOLD)), undefined)
})

test('the sellers at an address are each remembered once, and events that name none add none', (t) => {
  const { type, data } = reserved('1005', 'b')
  const { accountId: _, ...nobody } = data
  t.deepEqual(ownersOf(after({ type, data: nobody })), [])
  t.deepEqual(ownersOf(after(reserved('1002', 'a'), { type, data }, lent('c', 300, 360))), ['acc_1'])
})
