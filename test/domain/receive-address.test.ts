import test from 'ava'
import fc from 'fast-check'
import { fold } from '../../domain/decider.ts'
import { Refusal } from '../../domain/refusal.ts'
import { formerHolderOf, holderOf, mayBeOf, ownersOf, receiveAddress } from '../../domain/sell/receive-address.ts'
import { given, NOW } from '../support/given.ts'

type Events = Parameters<typeof fold<typeof receiveAddress>>[1]
type State = ReturnType<typeof fold<typeof receiveAddress>>

const MINUTE = 60_000
const time = (minutes: number) => new Date(Date.parse(NOW) + minutes * MINUTE).toISOString()
const ask = (challengeId: string, price = '1000', heldUntil = time(60), step = '1') => ({
  challengeId,
  accountId: 'acc_1',
  price,
  step,
  heldUntil,
  anonymous: false,
})
const reserved = (amount: string, challengeId: string, heldUntil = time(60), reservedAt = NOW) =>
  ({ type: 'AmountReserved', data: { amount, challengeId, accountId: 'acc_1', reservedAt, heldUntil } }) as const

test('the lowest free amount above the price is reserved, and the price itself never', (t) => {
  given(t, receiveAddress).when('reserve', ask('a')).yields(reserved('1002', 'a'))
  given(t, receiveAddress, reserved('1002', 'a')).when('reserve', ask('b')).yields(reserved('1005', 'b'))
  given(t, receiveAddress, reserved('1005', 'a')).when('reserve', ask('b')).yields(reserved('1002', 'b'))
  given(t, receiveAddress)
    .when('reserve', ask('a', '1000', time(60), '10'))
    .yields(reserved('1020', 'a'))
})

test('the same challenge asking twice holds one amount', (t) => {
  given(t, receiveAddress, reserved('1002', 'a')).when('reserve', ask('a')).yieldsNothing()
  given(t, receiveAddress, reserved('1002', 'a')).when('reserve', ask('a', '5000')).yieldsNothing()
})

test('an amount is free again once its hold has ended, and not a moment before', (t) => {
  const history = given(t, receiveAddress, reserved('1002', 'a', time(60)))
  history.when('reserve', ask('b'), time(59)).yields(reserved('1005', 'b', time(60), time(59)))
  history.when('reserve', ask('b', '1000', time(120)), time(60)).yields(reserved('1002', 'b', time(120), time(60)))
})

test('amounts of different prices on one address never meet, nor do their last digits', (t) => {
  given(t, receiveAddress, reserved('1002', 'a'), reserved('1005', 'b'))
    .when('reserve', ask('c', '1001'))
    .yields(reserved('1008', 'c'))
  // An exchange that takes 10,000 from 21,002 sends what would else be another buyer's amount.
  given(t, receiveAddress, reserved('21002', 'a')).when('reserve', ask('b', '11000')).yields(reserved('11005', 'b'))
})

test('a low price is moved by at most 99 places, a higher one by at most half a percent and four digits', (t) => {
  t.is(holdsFor('1000'), 30)
  t.is(holdsFor('20000'), 30)
  t.is(holdsFor('40000'), 60)
  t.is(holdsFor('100000'), 150)
  t.is(holdsFor('400000', '10'), 60)
  const { state, refused } = fill(2_100, () => '90000000')
  t.is(refused, 100)
  t.true(Object.keys(state.amounts).every((amount) => BigInt(amount) < 90_010_000n))
})

test('a caller without a name leaves one amount of five to others', (t) => {
  const { state, refused } = fill(60, () => '40000', '1', true)
  t.is(refused, 12)
  const known = receiveAddress.decide.reserve(state, ask('known', '40000'), NOW)
  t.is(known.length, 1)
})

test('a held amount names its challenge until the hold ends; every other amount is nobody’s', (t) => {
  const state = fold(receiveAddress, [reserved('1002', 'a')])
  t.is(holderOf(state, 1002n, time(59)), 'a')
  t.is(holderOf(state, 1002n, time(60)), undefined)
  t.is(formerHolderOf(state, 1002n, time(60)), 'a')
  t.is(holderOf(state, 1000n, NOW), undefined)
  t.is(formerHolderOf(state, 1000n, NOW), undefined)
  t.is(holderOf(state, 1003n, NOW), undefined)
})

const lend = (challengeId: string, heldUntil = time(60)) => ({ challengeId, accountId: 'acc_1', heldUntil })
const lent = (challengeId: string, lentAt = NOW, heldUntil = time(60)) =>
  ({ type: 'AddressLent', data: { challengeId, accountId: 'acc_1', lentAt, heldUntil } }) as const

test('N-21 an address that nothing is expected on is lent as a whole, to one challenge at a time', (t) => {
  given(t, receiveAddress).when('lend', lend('a')).yields(lent('a'))
  given(t, receiveAddress, lent('a')).when('lend', lend('a')).yieldsNothing()
  given(t, receiveAddress, lent('a')).when('lend', lend('b')).isRefused('no-free-amount')
  given(t, receiveAddress, lent('a')).when('reserve', ask('b')).isRefused('no-free-amount')
  given(t, receiveAddress, reserved('1002', 'a')).when('lend', lend('b')).isRefused('no-free-amount')
  given(t, receiveAddress, lent('a'))
    .when('lend', lend('b', time(120)), time(60))
    .yields(lent('b', time(60), time(120)))
  given(t, receiveAddress, reserved('1002', 'a'))
    .when('lend', lend('b', time(120)), time(60))
    .yields(lent('b', time(60), time(120)))
})

test('N-21 whatever comes to a lent address is its challenge’s, from the moment it was lent', (t) => {
  const state = fold(receiveAddress, [lent('a'), lent('b', time(60), time(120))])
  t.is(holderOf(state, 7n, time(61)), 'b')
  t.is(holderOf(state, 7n, time(59)), undefined)
  t.is(holderOf(state, 7n, time(120)), undefined)
  t.is(formerHolderOf(state, 7n, time(121)), 'b')
  t.is(formerHolderOf(state, 7n, time(59)), undefined)
})

test('Q-55 an amount that was not asked for may be that of any other challenge that is open', (t) => {
  const state = fold(receiveAddress, [reserved('1002', 'a'), reserved('2005', 'b')])
  t.deepEqual(mayBeOf(state, 'a', 1500n, NOW), ['b'])
  t.deepEqual(mayBeOf(state, 'a', 2005n, NOW), ['b'])
  t.deepEqual(mayBeOf(state, 'b', 2500n, NOW), ['a'])
  t.deepEqual(mayBeOf(state, 'b', 2005n, NOW), [])
  t.deepEqual(mayBeOf(state, 'b', 2500n, time(60)), [])
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

test('however many prices there are, an address never holds more than 2,000 amounts', (t) => {
  const { state, refused } = fill(2_500, (n) => String(1_000_000 * (n + 1)))
  t.is(Object.keys(state.amounts).length, 2_000)
  t.is(refused, 500)
  const later = receiveAddress.decide.reserve(state, ask('late', '7', time(600)), time(61))
  t.is(Object.keys(fold(receiveAddress, later as Events, state).amounts).length, 1)
})

test('over any history no two open challenges share an amount or its last digits, and none asks for a bare price', (t) => {
  const step = fc.record({
    challengeId: fc.integer({ min: 0, max: 40 }).map((n) => `c${n}`),
    price: fc.constantFrom('1000', '1001', '1002', '11050', '31000'),
    wait: fc.integer({ min: 0, max: 30 }),
    hold: fc.integer({ min: 1, max: 90 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      let state: State = receiveAddress.initial
      let clock = 0
      const model = new Map<string, { amount: bigint; until: number }>()
      for (const { challengeId, price, wait, hold } of steps) {
        clock += wait
        const now = time(clock)
        const events = decided(state, ask(challengeId, price, time(clock + hold)), now)
        state = fold(receiveAddress, events, state)
        for (const { data } of events as readonly ReturnType<typeof reserved>[]) {
          const amount = BigInt(data.amount)
          const open = [...model].filter(([id, held]) => id !== challengeId && held.until > clock)
          t.false(
            open.some(([, held]) => held.amount % 10_000n === amount % 10_000n),
            `${amount} has the digits of another`,
          )
          t.true(amount > BigInt(price) && [2n, 5n, 8n].includes(amount % 10n))
          model.set(challengeId, { amount, until: clock + hold })
        }
        for (const [id, held] of model)
          t.is(holderOf(state, held.amount, now) === id, held.until > clock, `${id} at ${clock}`)
      }
    }),
    { numRuns: 150 },
  )
})

/** How many challenges one price takes before it has no free amount. */
const holdsFor = (price: string, step = '1'): number => {
  const { state, refused } = fill(300, () => price, step)
  const held = Object.keys(state.amounts).length
  return refused === 300 - held ? held : -1
}

const fill = (count: number, price: (n: number) => string, step = '1', anonymous = false) => {
  let state: State = receiveAddress.initial
  let refused = 0
  for (let n = 0; n < count; n++) {
    const events = decided(state, { ...ask(`c${n}`, price(n), time(60), step), anonymous }, NOW)
    if (events.length === 0) refused++
    state = fold(receiveAddress, events, state)
  }
  return { state, refused }
}

/** What is decided; nothing when there is no free amount. */
const decided = (state: State, wish: ReturnType<typeof ask>, now: string): Events => {
  try {
    return receiveAddress.decide.reserve(state, wish, now) as Events
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no-free-amount') return []
    throw error
  }
}
