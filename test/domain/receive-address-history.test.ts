import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { fold } from '../../domain/kernel/decider.ts'
import { slotsOf } from '../../domain/selling/amount-slots.ts'
import { amountOf, expectedOn, holderOf, receiveAddress, restOf } from '../../domain/selling/receive-address.ts'
import { given, NOW } from '../support/given.ts'
import { ask, decided, HOLD, lent, reserved, type State, time } from './address-asks.ts'

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

test('however many prices there are, an address remembers 4,000 amounts at most, and forgets those that were free longest', (t) => {
  let state: State = receiveAddress.initial
  for (let n = 0; n < 9_000; n++) {
    const now = time(n)
    state = fold(receiveAddress, decided(state, ask(`c${n}`, String(1_000_000 * (n + 1)), n + 60), now), state)
    t.true(state.size <= 4_000)
  }
  t.is(slotsOf(state.amounts).length, state.size)
  // The last day's are all there.
  t.is(expectedOn(state, time(9_000)).challenges.length, 1_499)
  t.true(expectedOn(state, time(9_000)).isWhole)
})

test('N-21 over any history no two holds share an amount or its last digits, what was free longest goes first, and each bound holds', (t) => {
  const step = fc.record({
    challengeId: fc.integer({ min: 0, max: 200 }).map((n) => `c${n}`),
    // Of 4,000 in a coarse coin there are six amounts.
    price: fc.constantFrom('1000', '1001', '11050', '4000', '4000', '4000'),
    wait: fc.integer({ min: 0, max: 60 }),
    life: fc.integer({ min: 1, max: 90 }),
    network: fc.constantFrom('n1', 'n2', undefined),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let state: State = receiveAddress.initial
      let clock = 0
      const model = new Map<string, Held>()
      for (const { challengeId, price, wait, life, network } of steps) {
        clock += wait
        const own = { anonymous: network !== undefined, coarse: price === '4000' }
        const wish = { ...ask(challengeId, price, clock + life), ...own }
        const events = decided(state, { ...wish, ...(network && { network, unpaidMax: 3 }) }, time(clock))
        // However a state came about, it decides alike: the index beside it is only made of it.
        t.deepEqual(
          events,
          decided(
            JSON.parse(JSON.stringify(state)),
            { ...wish, ...(network && { network, unpaidMax: 3 }) },
            time(clock),
          ),
        )
        state = fold(receiveAddress, events, state)
        const open = [...model.values()].filter((held) => held.network === network && held.ends > clock)
        if (events.length > 0 && network) t.true(open.length < 3)
        for (const { data } of events as readonly ReturnType<typeof reserved>[]) {
          mustBeNext(t, [...model.values()], { amount: BigInt(data.amount), price: BigInt(price), clock, network })
          model.set(`${challengeId} ${clock}`, {
            challengeId,
            amount: BigInt(data.amount),
            ends: clock + life,
            network,
          })
        }
        for (const { challengeId: id, amount, ends } of model.values())
          if (ends + HOLD > clock) t.is(holderOf(state, amount, time(clock)), id, `${id} at ${clock}`)
      }
    }),
    { numRuns: 150 },
  )
})

type Held = { challengeId: string; amount: bigint; ends: number; network: string | undefined }
type Next = { amount: bigint; price: bigint; clock: number; network: string | undefined }

/** Its digits are nobody's, and no amount that it might have been was free for longer. */
const mustBeNext = (t: ExecutionContext, all: readonly Held[], { amount, price, clock, network }: Next) => {
  const heldUntil = (other: bigint) =>
    Math.max(-1, ...all.filter((held) => held.amount % 10_000n === other % 10_000n).map(({ ends }) => ends + HOLD))
  t.true(heldUntil(amount) <= clock, `${amount} has the digits of another`)
  t.true(amount > price && [2n, 5n, 8n].includes(amount % 10n))
  for (let other = price + 1n; other <= price + (price === 4_000n ? 20n : 99n); other++) {
    if (![2n, 5n, 8n].includes(other % 10n)) continue
    const nth = ((other % 10_000n) / 10n) * 3n + (other % 10n) / 3n
    if (network !== undefined && nth % 4n === 3n) t.not(other, amount)
    else t.true(heldUntil(other) >= heldUntil(amount), `${other} has been free for longer than ${amount}`)
  }
}
