/** The books of each of those whom an event concerns: they balance, and together they are the journal. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { toUnits } from '../../domain/kernel/money.ts'
import { ACCOUNT_TYPES, type BookEntry } from '../../domain/reading/books/entry.ts'
import { bookEntriesOf, bookedTypes } from '../../domain/reading/books/index.ts'
import { decimalsOf, postingsOf } from '../../domain/reading/journal.ts'
import { EXPECTED, monthOf } from './month.ts'

type Event = { type: string; data: object; stream: string }

const golden: Omit<Event, 'stream'>[] = JSON.parse(
  readFileSync(new URL('../golden/events.json', import.meta.url), 'utf8'),
)
const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.constantFrom(0n, 1n)).map(String)
const event = fc
  .constantFrom(...golden.filter(({ type }) => bookedTypes.some((booked) => booked === type)))
  .chain(({ type, data }) =>
    fc
      .record({ amounts: amountsOf(data), holder: fc.constantFrom('1', '2') })
      .map(
        ({ amounts, holder }): Event => ({ type, data: amounts as object, stream: `any-${kindOf(type)}_${holder}` }),
      ),
  )

test('I-SUM-01 the books of everybody balance in every asset after every event', (t) => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), (events) => {
      for (const each of events)
        for (const { view, postings } of bookEntriesOf(each)) {
          for (const [asset, sum] of sumsBy(postings, ({ asset }) => asset))
            t.is(sum, 0n, `${each.type} ${view} ${asset}`)
          for (const { account, amount } of postings) {
            t.true(
              ACCOUNT_TYPES.some((type) => account.startsWith(`${type}:`)),
              account,
            )
            t.regex(amount, /^-?[1-9]\d*$/, each.type)
          }
        }
    }),
  )
})

test('I-SUM-01 what a holder has at the platform, the platform owes, to the last unit', (t) => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), (events) => {
      const journal = sumsBy(events.flatMap(postingsOf), ({ account, asset }) => `${account} ${asset}`)
      const books = sumsBy(events.flatMap(bookEntriesOf).flatMap(named), ({ account, asset }) => `${account} ${asset}`)
      for (const [key, units] of journal) {
        const [, holder, id, purse = '', asset] =
          /^(seller|user|app):(\w+):(credit|balance|units) (.*)$/.exec(key) ?? []
        if (!holder) continue
        const own = `${holder}:${id}/assets:${purse === 'units' ? 'points' : purse} ${asset}`
        const claim = { credit: 'credit', balance: 'balances', units: 'points' }[purse]
        t.is(books.get(own) ?? 0n, units, own)
        t.is(books.get(`platform/liabilities:${claim}:${id} ${asset}`) ?? 0n, -units, key)
      }
    }),
  )
})

test('a month of every move comes to what an accountant wrote down by hand', (t) => {
  const found = sumsBy(monthOf().flatMap(bookEntriesOf).flatMap(named), ({ account, asset }) => `${account} ${asset}`)
  const expected = new Map<string, bigint>()
  for (const [view, balances] of Object.entries(EXPECTED))
    for (const [key, decimal] of Object.entries(balances)) {
      const asset = key.slice(key.indexOf(' ') + 1)
      expected.set(`${view}/${key}`, toUnits(decimal, decimalsOf(asset)))
    }
  const left = [...found].filter(([, units]) => units !== 0n)
  t.deepEqual(new Map(left.sort()), new Map([...expected].sort()))
})

test('a test sale, and what is of no money, stands in no books', (t) => {
  for (const { type, data } of golden) {
    if (!('test' in data)) continue
    t.deepEqual(bookEntriesOf({ type, data: { ...data, test: true }, stream: 'challenge-ch_1' }), [], type)
  }
  t.deepEqual(bookEntriesOf({ type: 'ChallengeOpened', data: {}, stream: 'challenge-ch_1' }), [])
})

/** The kind of holder whose stream has an event. */
const kindOf = (type: string): string => {
  if (type.startsWith('App')) return 'app'
  return /Balance|Game|Quest/.test(type) ? 'usr' : 'acc'
}

const named = ({ view, postings }: BookEntry) =>
  postings.map((each) => ({ ...each, account: `${view}/${each.account}` }))

const sumsBy = <P extends { amount: string }>(postings: readonly P[], key: (posting: P) => string) => {
  const sums = new Map<string, bigint>()
  for (const posting of postings) sums.set(key(posting), (sums.get(key(posting)) ?? 0n) + BigInt(posting.amount))
  return sums
}

/** The same data with other amounts wherever an amount stands. */
const amountsOf = (data: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(data)) return fc.tuple(...data.map(amountsOf))
  if (typeof data !== 'object' || data === null) return fc.constant(data)
  return fc.record(
    Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, MONEY.has(name) ? amount : amountsOf(value)]),
    ),
  )
}
const MONEY: ReadonlySet<string> = new Set(['amount', 'owed', 'total', 'asked', 'gasUsd', 'units', 'priceUnits'])
