/** The books of any moment, from sums of blocks, are what adding up every posting makes them. */
import test from 'ava'
import fc from 'fast-check'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { accountsOf, type Posting, postingsOf } from '../../domain/reading/journal.ts'
import { BLOCK_LEVELS, journalProjection } from '../../projections/money/journal.ts'
import type { BooksEnd } from '../../projections/money/journal-cut.ts'
import { journalQueries } from '../../projections/money/journal-queries.ts'
import { applyAll, emptyReadModels } from './setup.ts'

type Booked = Posting & { readonly order: bigint; readonly at: string; readonly event: RecordedEvent }

const START = Date.parse('2026-03-02T10:00:00.000Z')
const OWNERS = ['acc_1', 'acc_2', 'usr_1', 'app_1']
const [FINE, COARSE] = BLOCK_LEVELS

const amount = fc.oneof(fc.bigInt({ min: 1n, max: 5n }), fc.constant(10n ** 24n)).map(String)
const acc = fc.constantFrom('acc_1', 'acc_2')
const transfer = fc.record({ asset: fc.constantFrom('eth', 'usdc_base'), amount, network: fc.constant('ETH') })
/** Events that move money, as far as the journal looks at them. */
const money = fc.oneof(
  fc.tuple(acc, amount).map(([id, amount]) => ({
    type: 'CreditGranted',
    stream: `creditAccount-${id}`,
    data: { amount, reason: 'top-up' },
  })),
  fc.tuple(acc, amount, amount).map(([id, amount, owed]) => ({
    type: 'CreditDebited',
    stream: `creditAccount-${id}`,
    data: { amount, owed },
  })),
  fc.tuple(acc, transfer).map(([accountId, transfer]) => ({
    type: 'ChallengeSettled',
    stream: 'challenge-chl_1',
    data: { accountId, transfer, amount: '1000000', currency: 'USD', asked: '2', asset: 'eth', test: false },
  })),
  amount.map((total) => ({ type: 'BalanceSent', stream: 'userBalance-usr_1', data: { total } })),
  amount.map((amount) => ({ type: 'AppCreditReceived', stream: 'appCredit-app_1', data: { amount } })),
)
/** Steps from one event to the next: within a block, to the edge of one or just over it, over whole blocks. */
const step = fc.oneof(
  fc.bigInt({ min: 1n, max: 2_000n }).map((by) => (order: bigint) => order + by),
  fc
    .record({ bits: fc.constantFrom(FINE, COARSE), over: fc.bigInt({ min: -1n, max: 1n }) })
    .map(({ bits, over }) => (order: bigint) => {
      const edge = ((order >> BigInt(bits)) + 1n) << BigInt(bits)
      return edge + over > order ? edge + over : edge
    }),
  fc.bigInt({ min: 1n, max: 3n }).map((blocks) => (order: bigint) => order + (blocks << BigInt(FINE)) + 5n),
)
/** Clocks of several processes: mostly near each other, now and then far off. */
const drift = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: -3, max: 3 }) }, fc.integer({ min: -40, max: 40 }))
const history = fc.array(fc.record({ money, step, drift }), { minLength: 1, maxLength: 40 }).map((list) => {
  let order = -1n
  return list.map(({ money, step, drift }, n): RecordedEvent => {
    order = order < 0n ? 0n : step(order)
    const cause = { actor: 'test', correlationId: 'req_1' }
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    return { ...money, id, revision: 0n, position: order, order, at: time(n + drift), cause }
  })
})
const tick = fc.integer({ min: -5, max: 45 })

test('the books of any time and of any place are what adding up every posting makes them', async (t) => {
  const { sql } = await emptyReadModels(t, [journalProjection])
  const books = journalQueries(sql)
  const batch = fc.integer({ min: 1, max: 9 })
  const asked = fc.record({
    ticks: fc.array(tick, { minLength: 3, maxLength: 3 }),
    share: fc.float({ min: 0, max: 1, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(history, batch, asked, async (events, batch, { ticks, share }) => {
      await sql`truncate postings, journal_sums, journal_blocks`
      for (let at = 0; at < events.length; at += batch)
        await applyAll(sql, journalProjection, events.slice(at, at + batch))
      const booked = events.flatMap((event) =>
        postingsOf(event).map((posting): Booked => ({ ...posting, order: event.order, at: event.at, event })),
      )
      const near = events[Math.floor(share * (events.length - 1))]?.order ?? 0n
      const atEdges = events.map(({ order }) => order).filter((order) => (order + 1n) % (1n << BigInt(FINE)) <= 1n)
      const orders = [near, ...atEdges.slice(-3)].flatMap((order) => [order - 1n, order])
      const ends: BooksEnd[] = [{}, ...ticks.map((each) => ({ at: time(each) })), ...orders.map((order) => ({ order }))]
      ends.push({ at: time(ticks[0] ?? 0), order: near })
      for (const end of ends) {
        t.deepEqual(await books.trialBalance(end), folded(booked, end))
        for (const owner of OWNERS)
          t.deepEqual(await books.trialBalance(end, owner), folded(ofAccounts(booked, accountsOf(owner)), end))
      }
      const series = await books.balanceSeries({ owner: 'acc_1', asset: 'USD' }, ticks.map(time))
      const own = ofAccounts(booked, accountsOf('acc_1')).filter(({ asset }) => asset === 'USD')
      t.deepEqual(
        series,
        ticks.map(time).map((at) => ({ at, balances: folded(own, { at }) })),
      )
    }),
    { numRuns: 60 },
  )
})

test('a statement goes from what an account had to what it has, on pages of any length', async (t) => {
  const { sql } = await emptyReadModels(t, [journalProjection])
  const books = journalQueries(sql)
  const wish = fc.record({
    account: fc.constantFrom('seller:acc_1:credit', 'seller:acc_2:wallet', 'platform:fees', 'buyers', 'in-transit'),
    asset: fc.option(fc.constantFrom('USD', 'eth'), { nil: undefined }),
    from: fc.option(tick.map(time), { nil: undefined }),
    to: fc.option(tick.map(time), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(history, wish, fc.integer({ min: 1, max: 6 }), async (events, wish, limit) => {
      await sql`truncate postings, journal_sums, journal_blocks`
      await applyAll(sql, journalProjection, events)
      const booked = events
        .flatMap((event) =>
          postingsOf(event).map((posting): Booked => ({ ...posting, order: event.order, at: event.at, event })),
        )
        .filter(({ account, asset }) => account === wish.account && asset === (wish.asset ?? asset))
      const held = sums(booked.filter(({ at }) => wish.from !== undefined && at < wish.from))
      const expected = booked
        .filter(({ at }) => at >= (wish.from ?? at) && at <= (wish.to ?? at))
        .map(({ asset, amount, order }) => {
          held.set(asset, (held.get(asset) ?? 0n) + BigInt(amount))
          return [String(order), asset, amount, String(held.get(asset))]
        })
      const lines = []
      let after: bigint | undefined
      let closing = {}
      for (let pages = 0; pages <= booked.length + 1; pages++) {
        const page = await books.accountStatement({ ...wish, after, limit })
        if (pages > 0) t.deepEqual(page.opening, closing, 'a page begins with what the one before ended with')
        lines.push(...page.lines)
        closing = page.closing
        after = page.next
        if (after === undefined) break
      }
      t.is(after, undefined)
      t.deepEqual(
        lines.map(({ order, asset, amount, balance }) => [order, asset, amount, balance]),
        expected,
      )
      t.deepEqual(closing, Object.fromEntries([...held].map(([asset, sum]) => [asset, String(sum)])))
      for (const { order, eventId, stream, others } of lines) {
        const event = events.find((each) => String(each.order) === order)
        t.deepEqual([eventId, stream], [event?.id, event?.stream])
        t.true(others.length > 0 && !others.includes(wish.account))
      }
    }),
    { numRuns: 60 },
  )
})

const time = (ticks: number): string => new Date(START + ticks * 1_000).toISOString()

const ofAccounts = (booked: readonly Booked[], accounts: readonly string[]) =>
  booked.filter(({ account }) => accounts.includes(account))

const folded = (booked: readonly Booked[], { at, order }: BooksEnd) => {
  const before = booked.filter((each) => each.at <= (at ?? each.at) && each.order <= (order ?? each.order))
  const rows = Map.groupBy(before, ({ account, asset }) => `${account} ${asset}`)
  return [...rows.values()]
    .map((list) => {
      const [first] = list
      const amount = String(list.reduce((sum, { amount }) => sum + BigInt(amount), 0n))
      return { account: first?.account, asset: first?.asset, amount }
    })
    .sort((a, b) => (`${a.account} ${a.asset}` < `${b.account} ${b.asset}` ? -1 : 1))
}

const sums = (booked: readonly Booked[]) => {
  const held = new Map<string, bigint>()
  for (const { asset, amount } of booked) held.set(asset, (held.get(asset) ?? 0n) + BigInt(amount))
  return held
}
