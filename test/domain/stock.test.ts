import test from 'ava'
import { LimitReached } from '../../domain/kernel/refusals/limits.ts'
import { stock } from '../../domain/storefront/stock.ts'
import type { StockEvents } from '../../domain/storefront/stock-events.ts'
import { LOANS_MAX, mostOfOneNetwork } from '../../domain/storefront/stock-loans.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT } from './samples.ts'

const at = (minutes: number) => new Date(Date.parse(NOW) + minutes * 60_000).toISOString()
const said = { accountId: ACCOUNT, by: 'k1', reason: 'received' } as const
const counted = (count: number | null, before: number | null = null, lent = 0) => ({
  type: 'StockChanged' as const,
  data: { ...said, count, before, lent, changedAt: NOW },
})
const lent = (holder: string, more: Partial<StockEvents['PiecesLent']> = {}) => ({
  type: 'PiecesLent' as const,
  data: { accountId: ACCOUNT, holder, quantity: 1, lentAt: NOW, until: at(70), ...more },
})
const kept = (holder: string, more: Partial<StockEvents['PiecesKept']> = {}) => ({
  type: 'PiecesKept' as const,
  data: { accountId: ACCOUNT, holder, quantity: 1, keptAt: NOW, until: at(1_440), ...more },
})
const sold = (holder: string, count: number, position = '7') => ({
  type: 'PiecesSold' as const,
  data: { accountId: ACCOUNT, holder, quantity: 1, count, position },
})

test('N-97 a seller sets how many pieces there are, adds and takes away, and counts them no longer', (t) => {
  given(t, stock)
    .when('change', { ...said, count: 3 })
    .yields(counted(3))
  given(t, stock, counted(3))
    .when('change', { ...said, delta: 4 })
    .yields(counted(7, 3))
  given(t, stock, counted(3))
    .when('change', { ...said, delta: -3 })
    .yields(counted(0, 3))
  given(t, stock, counted(3))
    .when('change', { ...said, delta: -4 })
    .isRefused('state-forbids')
  given(t, stock, counted(3))
    .when('change', { ...said, count: 3 })
    .yieldsNothing()
  given(t, stock, counted(3))
    .when('change', { ...said, count: null })
    .yields(counted(null, 3))
  given(t, stock)
    .when('change', { ...said, delta: 1 })
    .isRefused('state-forbids')
  given(t, stock)
    .when('change', { ...said, count: 1_000_000_001 })
    .isRefused('invalid-request')
})

test('N-97 X-IDEM-01 goods that came are added once for one call, however often it is sent', (t) => {
  const call = { id: 'stock_1', request: 'r' }
  const first = { ...counted(7, 3), data: { ...counted(7, 3).data, call } }
  given(t, stock, counted(3))
    .when('change', { ...said, delta: 4, call })
    .yields(first)
  given(t, stock, counted(3), first)
    .when('change', { ...said, delta: 4, call })
    .yieldsNothing()
})

test('N-97 pieces that are lent are not taken away by their seller, and come back by themselves', (t) => {
  const both = given(t, stock, counted(3), lent('pr_1'), lent('pr_2'))
  both.when('change', { ...said, count: 1 }).isRefused('state-forbids')
  both.when('change', { ...said, count: 2 }).yields(counted(2, 3, 2))
  both.when('change', { ...said, count: 0 }, at(70)).yields({
    ...counted(0, 3),
    data: { ...counted(0, 3).data, changedAt: at(70) },
  })
})

test('N-98 a piece is lent to one sale at a time, and whoever finds none is told when one may come back', (t) => {
  const wish = { holder: 'pr_1', quantity: 1, until: at(70) }
  given(t, stock).when('lend', wish).yieldsNothing()
  given(t, stock, counted(0)).when('lend', wish).isRefused('out-of-stock')
  given(t, stock, counted(1)).when('lend', wish).yields(lent('pr_1'))
  given(t, stock, counted(1), lent('pr_1')).when('lend', wish).yieldsNothing()
  given(t, stock, counted(1), lent('pr_1'))
    .when('lend', { ...wish, until: at(100) }, at(30))
    .yields(lent('pr_1', { lentAt: at(30), until: at(100), before: at(70) }))
  const other = { ...wish, holder: 'pr_2' }
  given(t, stock, counted(1), lent('pr_1')).when('lend', other, at(69)).isRefused('out-of-stock')
  const error = t.throws(() => stock.decide.lend(stateOf(counted(1), lent('pr_1')), other, at(60)))
  t.is((error as { retryAfterS?: number }).retryAfterS, 600)
  given(t, stock, counted(1), lent('pr_1'))
    .when('lend', { ...other, until: at(140) }, at(70))
    .yields(lent('pr_2', { lentAt: at(70), until: at(140) }))
  given(t, stock, counted(2), lent('pr_1'))
    .when('lend', { ...other, quantity: 2 })
    .isRefused('out-of-stock')
})

test('N-98 callers of one network hold two pieces, or a tenth where that is more', (t) => {
  t.deepEqual([0, 1, 29, 30, 100].map(mostOfOneNetwork), [2, 2, 2, 3, 10])
  const wish = { holder: 'pr_3', quantity: 1, until: at(70), network: 'n1' }
  const two = [lent('pr_1', { network: 'n1' }), lent('pr_2', { network: 'n1' })]
  given(t, stock, counted(9), ...two)
    .when('lend', wish)
    .isRefused('rate-limited')
  const error = t.throws(() => stock.decide.lend(stateOf(counted(9), ...two), wish, at(60)), {
    instanceOf: LimitReached,
  })
  t.like(error, { limit: 'lent-pieces', retryAfterS: 600 })
  given(t, stock, counted(30), ...two)
    .when('lend', wish)
    .yields(lent('pr_3', { network: 'n1' }))
  given(t, stock, counted(9), ...two)
    .when('lend', { ...wish, network: 'n2' })
    .yields(lent('pr_3', { network: 'n2' }))
  const { network: _, ...known } = wish
  given(t, stock, counted(9), ...two)
    .when('lend', known)
    .yields(lent('pr_3'))
  // What is being paid is nobody's flood.
  given(t, stock, counted(9), ...two, kept('pr_1'))
    .when('lend', wish)
    .yields(lent('pr_3', { network: 'n1' }))
})

test('N-98 what is being paid is kept beyond its time, from the set that it was lent to, and released when nothing comes', (t) => {
  const wish = { holder: 'ch_1.eth', from: 'ch_1', quantity: 1 }
  given(t, stock).when('keep', wish).yieldsNothing()
  given(t, stock, counted(1), lent('ch_1'))
    .when('keep', wish)
    .yields(kept('ch_1.eth', { from: 'ch_1' }))
  const moved = given(t, stock, counted(1), lent('ch_1'), kept('ch_1.eth', { from: 'ch_1' }))
  moved.when('keep', wish).yieldsNothing()
  moved.when('keep', { ...wish, holder: 'ch_1.usdc' }).isRefused('out-of-stock')
  moved.when('lend', { holder: 'pr_2', quantity: 1, until: at(200) }, at(100)).isRefused('out-of-stock')
  moved.when('giveBack', { holder: 'ch_1.eth' }).yieldsNothing()
  const released = {
    type: 'PiecesReleased',
    data: { accountId: ACCOUNT, holder: 'ch_1.eth', to: 'ch_1', releasedAt: at(5) },
  } as const
  moved.when('release', { holder: 'ch_1.eth', to: 'ch_1' }, at(5)).yields(released)
  const back = given(t, stock, counted(1), lent('ch_1'), kept('ch_1.eth', { from: 'ch_1' }), released)
  back.when('keep', wish).yields(kept('ch_1.eth', { from: 'ch_1' }))
  back
    .when('giveBack', { holder: 'ch_1' })
    .yields({ type: 'PiecesReturned', data: { accountId: ACCOUNT, holder: 'ch_1' } })
  back.when('giveBack', { holder: 'ch_1', until: at(69) }).yieldsNothing()
  given(t, stock, counted(1), lent('pr_1'))
    .when('keep', { holder: 'pr_2', quantity: 1 }, at(70))
    .yields(kept('pr_2', { keptAt: at(70), until: at(1_510) }))
})

test('N-97 N-98 a settlement takes the piece once, and one that does not stand gives it back to its sale', (t) => {
  given(t, stock, counted(3)).when('sell', { holder: 'pr_1', position: '7' }).yieldsNothing()
  given(t, stock, counted(3), kept('pr_1')).when('sell', { holder: 'pr_1', position: '7' }).yields(sold('pr_1', 2))
  const after = given(t, stock, counted(3), kept('pr_1'), sold('pr_1', 2), kept('pr_1'))
  after.when('sell', { holder: 'pr_1', position: '7' }).yieldsNothing()
  after.when('restore', { quantity: 1, position: '7' }).yieldsNothing()
  const restored = { accountId: ACCOUNT, quantity: 1, count: 3, restoredAt: NOW, position: '9' }
  given(t, stock, counted(3), kept('pr_1'), sold('pr_1', 2))
    .when('restore', { quantity: 1, position: '9' })
    .yields({ type: 'PiecesRestored', data: restored })
  const sale = { holder: 'pr_1' }
  const again = { type: 'PiecesRestored', data: { ...restored, ...sale, until: at(1_440) } } as const
  given(t, stock, counted(3), kept('pr_1'), sold('pr_1', 2))
    .when('restore', { quantity: 1, position: '9', ...sale })
    .yields(again)
  given(t, stock, counted(3), kept('pr_1'), sold('pr_1', 2), again)
    .when('sell', { holder: 'pr_1', position: '11' })
    .yields(sold('pr_1', 2, '11'))
})

test('N-98 a payment without a piece stays without one, whatever comes back, until its seller takes it', (t) => {
  const wish = { holder: 'pr_2', quantity: 1, payment: 'eth:0x2:native' }
  const { payment } = wish
  const refused = {
    type: 'PiecesRefused',
    data: { accountId: ACCOUNT, holder: 'pr_2', quantity: 1, payment, refusedAt: NOW },
  } as const
  given(t, stock).when('claim', wish).yieldsNothing()
  given(t, stock, counted(1)).when('claim', wish).yields(kept('pr_2'))
  given(t, stock, counted(1), kept('pr_2')).when('claim', wish).yieldsNothing()
  given(t, stock, counted(1), lent('pr_1')).when('claim', wish).yields(refused)
  const back = [counted(1), lent('pr_1'), refused] as const
  given(t, stock, ...back)
    .when('claim', wish, at(80))
    .yieldsNothing()
  given(t, stock, ...back)
    .when('claim', { ...wish, payment: 'eth:0x3:native' }, at(80))
    .yields(kept('pr_2', { keptAt: at(80), until: at(1_520) }))
  given(t, stock, ...back)
    .when('keep', wish, at(80))
    .yields(kept('pr_2', { keptAt: at(80), until: at(1_520), payment }))
  given(t, stock, ...back, kept('pr_2', { keptAt: at(80), until: at(1_520), payment }))
    .when('claim', wish, at(81))
    .yieldsNothing()
})

test('N-98 at most ten thousand sales hold pieces of one product', (t) => {
  const loans = Object.fromEntries(
    Array.from({ length: LOANS_MAX }, (_, n) => [`pr_${n}`, { quantity: 1, until: at(70) }]),
  )
  const full = { ...stateOf(counted(1_000_000)), loans }
  t.throws(() => stock.decide.lend(full, { holder: 'pr_x', quantity: 1, until: at(70) }, NOW), {
    message: /^out-of-stock/,
  })
})

const stateOf = (...events: Parameters<typeof given<typeof stock>>[2][]) =>
  events.reduce((state, { type, data }) => stock.evolve[type](state, data as never), stock.initial)
