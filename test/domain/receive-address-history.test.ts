import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { fold } from '../../domain/kernel/decider.ts'
import { slotsOf } from '../../domain/selling/amount-slots.ts'
import { expectedOn, holderOf, receiveAddress } from '../../domain/selling/receive-address.ts'
import { amountsOf, ask, decided, fill, HOLD, type reserved, type State, time } from './address-asks.ts'

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

test('N-21 a cent of USDC has thousands of amounts, whatever the price, and none lies a cent above it', (t) => {
  const wish = { ...ask('', '50000'), cent: 10_000 }
  const { state, refused } = fill(3_010, () => wish)
  t.is(refused, 10)
  t.true(amountsOf(state).every((amount) => amount > 50_000n && amount < 60_000n))
})

test('N-21 callers without a name together hold three quarters of the amounts; the seller has the rest', (t) => {
  const all = { ...ask('', '50000'), cent: 10_000 }
  const { state, refused } = fill(3_000, () => ({ ...all, anonymous: true }))
  t.is(refused, 750)
  t.is(fill(800, () => all, state, 'seller').refused, 50)
  // What they hold at one price takes nothing that is kept at another.
  const dear = { ...ask('', '9000000'), cent: 10_000 }
  const other = fill(3_000, (n) => ({ ...(n % 2 ? all : dear), anonymous: true }))
  t.is(other.refused, 750)
  t.is(fill(30, () => ask('', '9000000'), other.state, 'seller').refused, 0)
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
