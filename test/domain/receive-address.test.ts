import test from 'ava'
import fc from 'fast-check'
import { fold } from '../../domain/decider.ts'
import { Refusal } from '../../domain/refusal.ts'
import { holderOf, receiveAddress } from '../../domain/sell/receive-address.ts'
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
  given(t, receiveAddress).when('reserve', ask('a')).yields(reserved('1001', 'a'))
  given(t, receiveAddress, reserved('1001', 'a')).when('reserve', ask('b')).yields(reserved('1002', 'b'))
  given(t, receiveAddress, reserved('1002', 'a')).when('reserve', ask('b')).yields(reserved('1001', 'b'))
  given(t, receiveAddress)
    .when('reserve', ask('a', '1000', time(60), '10'))
    .yields(reserved('1010', 'a'))
})

test('the same challenge asking twice holds one amount', (t) => {
  given(t, receiveAddress, reserved('1001', 'a')).when('reserve', ask('a')).yieldsNothing()
  given(t, receiveAddress, reserved('1001', 'a')).when('reserve', ask('a', '5000')).yieldsNothing()
})

test('an amount is free again once its hold has ended, and not a moment before', (t) => {
  const history = given(t, receiveAddress, reserved('1001', 'a', time(60)))
  history.when('reserve', ask('b'), time(59)).yields(reserved('1002', 'b', time(60), time(59)))
  history.when('reserve', ask('b', '1000', time(120)), time(60)).yields(reserved('1001', 'b', time(120), time(60)))
})

test('amounts of different prices on one address never meet', (t) => {
  given(t, receiveAddress, reserved('1002', 'a'), reserved('1001', 'b'))
    .when('reserve', ask('c', '1001'))
    .yields(reserved('1003', 'c'))
})

test('a low price is moved by at most 99 places, a higher one by at most half a percent and 250 places', (t) => {
  t.is(holdsFor('1'), 99)
  t.is(holdsFor('1000'), 99)
  t.is(holdsFor('19999'), 99)
  t.is(holdsFor('20000'), 100)
  t.is(holdsFor('40000'), 200)
  t.is(holdsFor('50000'), 250)
  t.is(holdsFor('90000000'), 250)
  t.is(holdsFor('400000', '10'), 200)
})

test('a held amount names its challenge until the hold ends; every other amount is nobody’s', (t) => {
  const slots = fold(receiveAddress, [reserved('1001', 'a')])
  t.is(holderOf(slots, 1001n, time(59)), 'a')
  t.is(holderOf(slots, 1001n, time(60)), undefined)
  t.is(holderOf(slots, 1000n, NOW), undefined)
  t.is(holderOf(slots, 1002n, NOW), undefined)
})

test('however many prices there are, an address never holds more than 2,000 amounts', (t) => {
  const { state, refused } = fill(2_500, (n) => String(1_000_000 * (n + 1)))
  t.is(Object.keys(state.amounts).length, 2_000)
  t.is(refused, 500)
  const later = receiveAddress.decide.reserve(state, ask('late', '7', time(600)), time(61))
  t.is(Object.keys(fold(receiveAddress, later as Events, state).amounts).length, 1)
})

test('over any history no two open challenges share an amount, and none asks for a bare price', (t) => {
  const step = fc.record({
    challengeId: fc.integer({ min: 0, max: 40 }).map((n) => `c${n}`),
    price: fc.constantFrom('1000', '1001', '1002', '1050', '30000'),
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
        const events = receiveAddress.decide.reserve(state, ask(challengeId, price, time(clock + hold)), now)
        state = fold(receiveAddress, events as Events, state)
        for (const { data } of events as readonly ReturnType<typeof reserved>[]) {
          const amount = BigInt(data.amount)
          const open = [...model].filter(([id, held]) => id !== challengeId && held.until > clock)
          t.false(
            open.some(([, held]) => held.amount === amount),
            `${amount} is held`,
          )
          for (let lower = BigInt(price) + 1n; lower < amount; lower++)
            t.true(
              open.some(([, held]) => held.amount === lower),
              `${lower} was free`,
            )
          t.true(amount > BigInt(price))
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
  const held = Object.keys(state.amounts).map(BigInt)
  const last = held.reduce((a, b) => (a > b ? a : b), 0n)
  if (refused !== 300 - held.length || last !== BigInt(price) + BigInt(held.length) * BigInt(step)) return -1
  return held.length
}

const fill = (count: number, price: (n: number) => string, step = '1') => {
  let state: State = receiveAddress.initial
  let refused = 0
  for (let n = 0; n < count; n++)
    try {
      const events = receiveAddress.decide.reserve(state, ask(`c${n}`, price(n), time(60), step), NOW)
      state = fold(receiveAddress, events as Events, state)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'no-free-amount') throw error
      refused++
    }
  return { state, refused }
}
