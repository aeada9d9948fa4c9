/** The books balance, whatever the amounts, and prepaid credit keeps its promises, whatever the history. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { creditAccount } from '../domain/account/credit-account.ts'
import { fold } from '../domain/kernel/decider.ts'
import { ACTIVATION_CREDIT_USD, platformFee } from '../domain/kernel/fees.ts'
import { type Posting, postedTypes, postingsOf } from '../domain/reading/journal.ts'
import { deciders } from '../domain/write-side/deciders.ts'

type Event = { type: string; data: object }

const golden: Event[] = JSON.parse(readFileSync(new URL('golden/events.json', import.meta.url), 'utf8'))
const stream = 'creditAccount-acc_1'
const ACCOUNTS =
  /^(seller:\w+:(credit|owed|wallet|refunds|card|disputed)|user:\w+:(balance|owed|units)|house|escrow:(pvp|tournament):[\w-]+|studio:\w+|app:\w+:credit|in-transit|platform:\w+|platform:top-ups|buyers)$/
const NOW = '2026-03-02T10:00:00.000Z'

const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.constantFrom(0n, 1n)).map(String)
const moneyEvent = fc
  .constantFrom(...golden.filter(({ type }) => postedTypes.some((posted) => posted === type)))
  .chain(({ type, data }) => withAmounts(data).map((changed): Event => ({ type, data: changed as object })))

test('I-SUM-01 the postings of every event that moves money sum to zero per asset, in whole units', (t) => {
  fc.assert(
    fc.property(fc.array(moneyEvent, { minLength: 1, maxLength: 20 }), (events) => {
      for (const event of events) {
        const postings = postingsOf({ ...event, stream })
        for (const [asset, sum] of sums(postings, ({ asset }) => asset)) t.is(sum, 0n, `${event.type} ${asset}`)
        for (const posting of postings) t.regex(posting.amount, /^-?[1-9]\d*$/, event.type)
      }
      const whole = events.flatMap((event) => postingsOf({ ...event, stream }))
      for (const sum of sums(whole, ({ asset }) => asset).values()) t.is(sum, 0n)
    }),
  )
})

test('I-SUM-01 every type of event that moves money does so in its golden example, between named accounts', (t) => {
  for (const type of postedTypes) {
    const example = golden.find((event) => event.type === type)
    const postings = example ? postingsOf({ ...example, stream }) : []
    t.true(postings.length >= 2, type)
    for (const { account } of postings) t.regex(account, ACCOUNTS)
  }
})

test('an event that moves no money, or that nobody knows, has no postings', (t) => {
  const other = Object.values(deciders).flatMap(({ evolve }) => Object.keys(evolve))
  const unknown = fc.stringMatching(/^[A-Z][a-z]+([A-Z][a-z]+)*$/)
  const type = fc.oneof(fc.constantFrom(...other), unknown).filter((each) => !postedTypes.some((p) => p === each))
  fc.assert(fc.property(type, fc.object(), (type, data) => void t.deepEqual(postingsOf({ type, data, stream }), [])))
})

test('a test sale moves no money', (t) => {
  const settled = golden.find(({ type }) => type === 'ChallengeSettled')
  t.deepEqual(postingsOf({ type: 'ChallengeSettled', data: { ...settled?.data, test: true }, stream }), [])
})

test('I-CRD-03 credit is never negative, over any history, and the journal says what the account says', (t) => {
  fc.assert(
    fc.property(history, (commands) => {
      let expected = 0n
      const events: Event[] = []
      for (const command of commands) {
        const before = events.length
        for (const event of decided(events, command)) {
          events.push(event)
          t.true(stateOf(events).balance >= 0n && stateOf(events).owed >= 0n)
        }
        if (events.length > before) expected += command.kind === 'grant' ? command.amount : -command.amount
      }
      const { balance, owed } = stateOf(events)
      t.is(balance - owed, expected)
      t.true(balance === 0n || owed === 0n)
      const journal = sums(
        events.flatMap((event) => postingsOf({ ...event, stream })),
        ({ account }) => account,
      )
      t.is(journal.get('seller:acc_1:credit') ?? 0n, balance)
      t.is(journal.get('seller:acc_1:owed') ?? 0n, -owed)
    }),
  )
})

test('I-CRD-03 what is owed is taken first from the next credit', (t) => {
  const size = fc.bigInt({ min: 1n, max: 10n ** 15n })
  fc.assert(
    fc.property(size, size, size, (had, bill, next) => {
      const events = run([grant(had, 1), charge(had + bill, 2)])
      t.like(stateOf(events), { balance: 0n, owed: bill })
      const granted = decided(events, grant(next, 3))
      const collected = next < bill ? next : bill
      t.deepEqual(
        granted.map(({ type }) => type),
        ['CreditGranted', 'OwedCreditCollected'],
      )
      t.like(granted[1]?.data, { amount: String(collected) })
      t.like(stateOf([...events, ...granted]), { balance: next - collected, owed: bill - collected })
    }),
  )
})

test('I-FEE-03 what answers an event that was answered before, or an earlier one, books nothing', (t) => {
  fc.assert(
    fc.property(history, fc.nat(), (commands, lower) => {
      const events = run(commands)
      for (const command of commands) {
        t.deepEqual(decided(events, command), [])
        t.deepEqual(decided(events, { ...command, position: Math.max(0, command.position - lower) }), [])
      }
    }),
  )
})

test('I-FEE-02 the fee of a 100 dollar sale is 20 cents, and 25 of them use up the free credit exactly', (t) => {
  const fee = platformFee(100_000_000n)
  t.is(fee, 200_000n)
  const free = [grant(ACTIVATION_CREDIT_USD, 1)]
  const bills = Array.from({ length: 25 }, (_, n) => charge(fee, n + 1))
  t.like(stateOf(run([...free, ...bills.slice(1)])), { balance: fee, owed: 0n })
  t.like(stateOf(run([...free, ...bills])), { balance: 0n, owed: 0n })
  t.like(stateOf(run([...free, ...bills, charge(fee, 26)])), { balance: 0n, owed: fee })
})

type Booking = { kind: 'grant' | 'charge'; amount: bigint; source: string; position: number }

const grant = (amount: bigint, position: number): Booking => ({ kind: 'grant', amount, source: 'granting', position })
const charge = (amount: bigint, position: number): Booking => ({ kind: 'charge', amount, source: 'billing', position })

/** Two sources book in any order; some bookings come twice, and some come late. */
const history = fc.array(
  fc.record<Booking>({
    kind: fc.constantFrom('grant', 'charge'),
    amount: fc.bigInt({ min: 1n, max: 10_000_000n }),
    source: fc.constantFrom('one', 'other'),
    position: fc.nat({ max: 40 }),
  }),
  { maxLength: 30 },
)

const stateOf = (events: readonly Event[]) => fold(creditAccount, events)

const run = (commands: readonly Booking[]): Event[] => {
  const events: Event[] = []
  for (const command of commands) events.push(...decided(events, command))
  return events
}

const decided = (events: readonly Event[], { kind, amount, source, position }: Booking): readonly Event[] => {
  const answers = { amount: String(amount), ref: `ref-${position}`, source, position: String(position) }
  const { decide } = creditAccount
  if (kind === 'grant') return decide.grant(stateOf(events), { ...answers, reason: 'email-verified' }, NOW)
  return decide.charge(stateOf(events), { ...answers, reason: 'platform-fee' }, NOW)
}

const sums = (postings: readonly Posting[], by: (posting: Posting) => string): Map<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const posting of postings) totals.set(by(posting), (totals.get(by(posting)) ?? 0n) + BigInt(posting.amount))
  return totals
}

/** The same data with other whole numbers wherever it has one as text, at any depth. */
function withAmounts(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value === 'string' && /^\d+$/.test(value)) return amount
  if (Array.isArray(value)) return fc.tuple(...value.map(withAmounts))
  if (value === null || typeof value !== 'object') return fc.constant(value)
  return fc.record(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withAmounts(each)])))
}
