import test from 'ava'
import { caller, isAtLimit } from '../../domain/gasless/caller.ts'
import { payer } from '../../domain/gasless/payer.ts'
import { withReservation } from '../../domain/gasless/reservations.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT } from './samples.ts'

/** What a payer has spent, what of it was lost again, and how much of either is remembered. */

const LATER = '2026-03-02T11:10:00.000Z'
const SOURCE = 'counting'
const spent = (n: number, amount = '1', at = NOW, authorizationId: string | null = null) =>
  ({
    type: 'CallerSpent',
    data: { accountId: ACCOUNT, challengeId: `c${n}`, authorizationId, amount, at, source: SOURCE, position: `${n}` },
  }) as const
const returned = (challenge: number, amount: string, position: number) =>
  ({
    type: 'CallerSpendReturned',
    data: { accountId: ACCOUNT, challengeId: `c${challenge}`, amount, source: SOURCE, position: `${position}` },
  }) as const
const onItsWay = (id: string, until = LATER) =>
  ({ type: 'CallerSpendReserved', data: { accountId: ACCOUNT, authorizationId: id, amount: '1', until } }) as const
const amounts = (history: Parameters<typeof fold<typeof caller>>[1]) =>
  fold(caller, history).spent.map(({ amount, at }) => `${amount} ${at.slice(0, 10)}`)
const many = (count: number) => Array.from({ length: count }, (_, n) => spent(n + 1))

test('J-RES-05 N-24 a spend is counted, and given back, once for each event that it answers, from the first one on', (t) => {
  given(t, caller).when('spend', spent(0).data).yields(spent(0))
  given(t, caller, spent(0)).when('spend', spent(0).data).yieldsNothing()
  given(t, caller)
    .when('unspend', returned(1, '1', 0).data)
    .yields(returned(1, '1', 0))
  given(t, caller, spent(1))
    .when('unspend', returned(1, '1', 1).data)
    .yieldsNothing()
  given(t, caller, spent(1))
    .when('unspend', returned(1, '1', 2).data)
    .yields(returned(1, '1', 2))
  given(t, caller, spent(1), returned(1, '1', 2))
    .when('unspend', returned(1, '1', 2).data)
    .yieldsNothing()
})

test('I-CAP-01 N-24 what was given back is not spent, and what was never counted changes nothing', (t) => {
  const cap = { amount: '5', windowHours: 24 }
  const twice = [spent(1, '3'), spent(2, '2')]
  t.true(isAtLimit(fold(caller, twice), cap, NOW))
  t.false(isAtLimit(fold(caller, [...twice, returned(1, '3', 3)]), cap, NOW))
  t.deepEqual(amounts([...twice, returned(1, '3', 3)]), ['2 2026-03-02'])
  t.deepEqual(amounts([...twice, returned(9, '3', 3)]), ['3 2026-03-02', '2 2026-03-02'])
  t.deepEqual(amounts([returned(9, '3', 3)]), [])
})

test('I-CAP-01 a hundred spends are remembered one by one; the two oldest of more count as one at the later time', (t) => {
  const early = '2026-03-01T10:00:00.000Z'
  t.is(amounts(many(100)).length, 100)
  const more = [spent(0, '3', early), ...many(100)]
  t.deepEqual(amounts(more).slice(0, 2), ['4 2026-03-02', '1 2026-03-02'])
  t.is(amounts(more).length, 100)
  const unordered = [spent(0, '3'), spent(1, '1', early), ...many(100).slice(1)]
  t.is(amounts(unordered)[0], '4 2026-03-02')
  // What is given back of those that count as one is taken from them, until nothing of them is left.
  t.is(amounts([...more, returned(0, '3', 200)])[0], '1 2026-03-02')
  t.is(amounts([...more, returned(0, '3', 200)]).length, 100)
  t.is(amounts([...more, returned(0, '3', 200), returned(1, '1', 201)]).length, 99)
})

test('J-RES-05 a spend on another rail leaves what is on its way as it is, and one that was signed takes its place', (t) => {
  const open = (...history: Parameters<typeof fold<typeof caller>>[1]) => Object.keys(fold(caller, history).reserved)
  t.deepEqual(open(onItsWay('null'), spent(1)), ['null'])
  t.deepEqual(open(onItsWay('a'), onItsWay('b'), spent(1, '1', NOW, 'a')), ['b'])
})

test('J-RES-05 at most a hundred payments of one caller are on their way', (t) => {
  const others = Array.from({ length: 100 }, (_, n) => onItsWay(`a${n}`))
  const wish = { ...onItsWay('x').data, cap: { amount: '1000', windowHours: 24 } }
  given(t, caller, ...others)
    .when('reserve', wish)
    .isRefused('caller-limit-reached')
  given(t, caller, ...others.slice(1))
    .when('reserve', wish)
    .yields(onItsWay('x'))
})

test('N-42 what ends first makes room when more is kept back than can be remembered', (t) => {
  const at = (minute: number) => ({ until: `2026-03-02T11:0${minute}:00.000Z` })
  const kept = withReservation({ late: at(5), soon: at(1), middle: at(3) }, 'next', at(4), 3)
  t.deepEqual(Object.keys(kept).toSorted(), ['late', 'middle', 'next'])
  t.deepEqual(Object.keys(withReservation({ soon: at(1), late: at(5) }, 'next', at(4), 3)), ['soon', 'late', 'next'])
})

const reserving = (authorizationId: string, value = '1', balance = '1000', until = LATER) => ({
  authorizationId,
  value,
  balance,
  until,
})
const reserved = (id: string, value = '1') =>
  ({ type: 'PayerFundsReserved', data: { authorizationId: id, value, until: LATER } }) as const
const released = (id: string, failedAt: string | null, paid?: true) =>
  ({ type: 'PayerFundsReleased', data: { authorizationId: id, failedAt, ...(paid && { paid }) } }) as const

test('N-42 a payer keeps back what its balance covers, to the last unit', (t) => {
  given(t, payer)
    .when('reserve', reserving('a', '10', '10'))
    .yields(reserved('a', '10'))
  given(t, payer)
    .when('reserve', reserving('a', '11', '10'))
    .isRefused('insufficient-funds')
  given(t, payer, reserved('a', '4'))
    .when('reserve', reserving('b', '6', '10'))
    .yields(reserved('b', '6'))
  given(t, payer, reserved('a', '4'))
    .when('reserve', reserving('b', '7', '10'))
    .isRefused('insufficient-funds')
})

test('N-42 at most 256 payments of one payer are under way', (t) => {
  const others = Array.from({ length: 256 }, (_, n) => reserved(`a${n}`))
  given(t, payer, ...others)
    .when('reserve', reserving('x'))
    .isRefused('rate-limited')
  given(t, payer, ...others.slice(1))
    .when('reserve', reserving('x'))
    .yields(reserved('x'))
})

test('N-42 five failures within ten minutes hold a payer up, to the moment at which the first one is ten minutes old', (t) => {
  const before = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString()
  const failures = (oldest: string) =>
    [oldest, NOW, NOW, NOW, NOW].flatMap((at, n) => [reserved(`f${n}`), released(`f${n}`, at)])
  given(t, payer, ...failures(before(599_999)))
    .when('reserve', reserving('x'))
    .isRefused('rate-limited')
  given(t, payer, ...failures(before(600_000)))
    .when('reserve', reserving('x'))
    .yields(reserved('x'))
})

test('N-43 what is under way is released once, and tells whether it has failed, and whether it was carried out', (t) => {
  const open = given(t, payer, reserved('a'))
  open.when('release', { authorizationId: 'a', failed: true }).yields(released('a', NOW))
  open.when('release', { authorizationId: 'a', failed: false }).yields(released('a', null))
  open.when('release', { authorizationId: 'a', failed: false, paid: true }).yields(released('a', null, true))
  open.when('release', { authorizationId: 'b', failed: true }).yieldsNothing()
  const hasPaid = (...history: Parameters<typeof fold<typeof payer>>[1]) => fold(payer, history).hasPaid
  t.false(hasPaid(reserved('a'), released('a', null)))
  t.true(hasPaid(reserved('a'), released('a', null, true)))
  t.true(hasPaid(reserved('a'), released('a', null, true), reserved('b'), released('b', NOW)))
})
