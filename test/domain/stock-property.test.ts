import test from 'ava'
import fc from 'fast-check'
import { fold } from '../../domain/kernel/decider.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { stock } from '../../domain/storefront/stock.ts'
import { lentAt, type StockState } from '../../domain/storefront/stock-loans.ts'
import { runs } from '../support/depth.ts'
import { NOW } from '../support/given.ts'
import { ACCOUNT } from './samples.ts'

/** Whatever is done to a stock in whatever order, no piece is somebody's twice; and a flood empties no shop. */

const at = (minutes: number) => new Date(Date.parse(NOW) + minutes * 60_000).toISOString()
const said = { accountId: ACCOUNT, by: 'k', reason: 'counted' } as const

type Step = { readonly wait: number; readonly what: string; readonly sale: number; readonly quantity: number }

const steps = fc.array(
  fc.record({
    wait: fc.constantFrom(0, 0, 1, 30, 90),
    what: fc.constantFrom('lend', 'lend', 'keep', 'claim', 'sell', 'release', 'giveBack', 'restore', 'add', 'set'),
    sale: fc.integer({ min: 0, max: 5 }),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 60 },
)

const decided = (state: StockState, act: () => readonly { type: string; data: object }[]) => {
  try {
    const events = act()
    return { events, state: fold(stock, events as never, state) as StockState }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { events: [], state }
  }
}

const act = (state: StockState, { what, sale, quantity }: Step, now: string, minutes: number, position: string) => {
  const holder = `pr_${sale}`
  const { decide } = stock
  switch (what) {
    case 'lend':
      return decide.lend(state, { holder, quantity, until: at(minutes + 70), network: `n${sale % 2}` }, now)
    case 'keep':
      return decide.keep(state, { holder: `ch_${sale}.eth`, from: holder, quantity }, now)
    case 'claim':
      return decide.claim(state, { holder, quantity, payment: `eth:${sale}` }, now)
    case 'sell':
      return decide.sell(state, { holder: sale % 2 ? holder : `ch_${sale}.eth`, position }, now)
    case 'release':
      return decide.release(state, { holder: `ch_${sale}.eth`, to: holder }, now)
    case 'giveBack':
      return decide.giveBack(state, { holder }, now)
    case 'restore':
      return decide.restore(state, { quantity, position, ...(sale % 2 ? { holder } : {}) }, now)
    case 'add':
      return decide.change(state, { ...said, delta: quantity - 2 }, now)
    default:
      return decide.change(state, { ...said, count: sale * 2 }, now)
  }
}

test('N-97 N-98 never is more lent and sold than was there, a repetition is quiet, and nothing is lent for ever', (t) => {
  fc.assert(
    fc.property(steps, (all) => {
      let state = stock.initial as StockState
      state = decided(state, () => stock.decide.change(state, { ...said, count: 4 }, NOW)).state
      let minutes = 0
      for (const [n, step] of all.entries()) {
        minutes += step.wait
        const now = at(minutes)
        const before = state.count ?? 0
        const run = () => act(state, step, now, minutes, String(n))
        const { events, state: after } = decided(state, run)
        state = after
        if (events.length > 0 && step.what !== 'add') {
          const again = decided(state, run)
          if (again.events.length > 0) return false
        }
        const sold = events.reduce((sum, { type, data }) => sum + (type === 'PiecesSold' ? sumOf(data) : 0), 0)
        if (sold > 0 && (state.count ?? 0) !== before - sold) return false
        if (lentAt(state, now) > (state.count ?? 0)) return false
      }
      return lentAt(state, at(minutes + 24 * 60 + 1)) === 0
    }),
    { numRuns: runs({ quick: 200, deep: 20_000 }) },
  )
  t.pass()
})

const sumOf = (data: object): number => (data as { quantity: number }).quantity

/** Buyers come each from a network of its own, one in two minutes, and pay within three quarters of an hour. */
const servedBeside = (flood: { readonly network?: string }): number => {
  const BUYERS = runs({ quick: 300, deep: 3_000 })
  const FLOOD_A_MINUTE = 20
  let state = stock.initial as StockState
  state = decided(state, () => stock.decide.change(state, { ...said, count: 25 }, NOW)).state
  const due = new Map<number, string[]>()
  let [asked, served, minute, floods, place] = [0, 0, 0, 0, 0]
  while (asked < BUYERS || minute < 2 * BUYERS + 60) {
    const now = at(minute)
    const lend = (holder: string, network: { readonly network?: string }) => {
      const wish = { holder, quantity: 1, until: at(minute + 70), ...network }
      const told = decided(state, () => stock.decide.lend(state, wish, now))
      state = told.state
      return told.events.length > 0
    }
    for (let n = 0; n < FLOOD_A_MINUTE; n++) lend(`flood_${++floods}`, flood)
    if (minute % 2 === 0 && asked < BUYERS) {
      const holder = `pr_${asked++}`
      const pays = minute + 1 + ((asked * 7) % 45)
      if (lend(holder, { network: holder })) due.set(pays, [...(due.get(pays) ?? []), holder])
    }
    for (const holder of due.get(minute) ?? []) {
      state = decided(state, () => stock.decide.claim(state, { holder, quantity: 1, payment: holder }, now)).state
      const sold = decided(state, () => stock.decide.sell(state, { holder, position: String(++place) }, now))
      served += sold.events.length
      state = decided(sold.state, () => stock.decide.change(sold.state, { ...said, delta: 1 }, now)).state
    }
    minute++
  }
  return served / asked
}

test('N-98 a flood from one network empties no shop: of honest buyers at least 99 of 100 are served', (t) => {
  const served = servedBeside({ network: 'flood' })
  t.log(`${(served * 100).toFixed(1)} % are served beside a flood from one network`)
  t.true(served >= 0.99)
  t.true(servedBeside({}) < 0.5, 'without the bound the flood would have nearly all')
})
