/** A period of somebody's books: what comes later changes nothing of it, unless it goes by when coins were mined. */
import test from 'ava'
import fc from 'fast-check'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { View } from '../../domain/reading/books/entry.ts'
import { bookEntriesOf } from '../../domain/reading/books/index.ts'
import { bookQueries, RETAINED } from '../../projections/money/book-queries.ts'
import { booksProjection } from '../../projections/money/books.ts'
import type { BookTime } from '../../projections/money/journal-tables.ts'
import { applyAll, emptyReadModels } from '../projections/setup.ts'
import { monthOf } from './month.ts'

const VIEWS: readonly View[] = ['platform', 'seller:acc_1', 'user:usr_1', 'app:app_1']
const events = monthOf()
const timeOf = (n: number): string => events[n]?.at ?? ''

test('a period by when it was recorded is what it was, whatever is recorded after it', async (t) => {
  const { sql } = await emptyReadModels(t, [booksProjection])
  const books = bookQueries(sql)
  const cut = fc.integer({ min: 1, max: events.length - 2 })
  await fc.assert(
    fc.asyncProperty(cut, cut, fc.constantFrom(...VIEWS), async (one, other, view) => {
      await sql`truncate book_postings, book_sums, book_blocks`
      const [first, last] = [Math.min(one, other), Math.max(one, other)]
      const period = () => books.bookPeriod(view, { at: timeOf(first - 1) }, { at: timeOf(last) })
      await applyAll(sql, booksProjection, events.slice(0, last + 1))
      const before = await period()
      await applyAll(sql, booksProjection, events.slice(last + 1))
      t.deepEqual(await period(), before)
      t.deepEqual(balances(before.closing), expected(view, timeOf(first), timeOf(last)))
    }),
    { numRuns: 30 },
  )
})

test('a period by when coins were mined takes in what was recorded later, and both end with the same', async (t) => {
  const { sql } = await emptyReadModels(t, [booksProjection])
  const books = bookQueries(sql)
  await applyAll(sql, booksProjection, events)
  const seller = 'seller:acc_1'
  // All coins were mined at ten on the fifth, the first of them after they were recorded.
  const [from, to] = ['2026-03-05T10:00:00.000Z', '2026-03-05T10:00:00.001Z']
  const before = { at: '2026-03-05T09:59:59.999Z' }
  const { closing } = await books.bookPeriod(seller, before, { at: to }, 'mined')
  const byMined = balances(closing)
  t.deepEqual(byMined, expected(seller, from, to, 'mined'))
  t.is(byMined.get('income:sales usdc_base'), -127_000_000n)
  t.false(balances((await books.bookPeriod(seller, before, { at: to })).closing).has('income:sales usdc_base'))
  for (const view of VIEWS) t.deepEqual(await books.bookBalances(view, {}, 'mined'), await books.bookBalances(view))
})

type Rows = readonly { readonly account: string; readonly asset: string; readonly amount: string }[]

const balances = (rows: Rows): ReadonlyMap<string, bigint> =>
  new Map(rows.map(({ account, asset, amount }) => [`${account} ${asset}`, BigInt(amount)]))

/** What a view has at the end of a period, by the events alone. */
const expected = (view: View, from: string, to: string, by: BookTime = 'settled'): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const event of events)
    for (const entry of bookEntriesOf(event))
      for (const { account, asset, amount } of entry.view === view && timeIn(event, by) <= to ? entry.postings : []) {
        const isBefore = timeIn(event, by) < from && /^(income|expenses):/.test(account)
        const key = `${isBefore ? RETAINED : account} ${asset}`
        sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount))
      }
  return new Map([...sums].filter(([, units]) => units !== 0n).sort())
}

const timeIn = ({ at, data }: RecordedEvent, by: BookTime): string => {
  const { transfer } = data as { transfer?: { minedAt: string } }
  return by === 'mined' ? (transfer?.minedAt ?? at) : at
}
