import test from 'ava'
import fc from 'fast-check'
import { type AddressFacts, attribute, type Expectation } from '../../domain/selling/attribution.ts'
import { transfer } from '../../domain/selling/transfers/transfer.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, CHALLENGE_ID, transferData } from './samples.ts'

/** What a transfer pays, as a pure function (N-24, Q-55). */

const minutes = (n: number) => new Date(Date.parse(NOW) + n * 60_000).toISOString()
const asks = (challengeId: string, asked = 1_000n, more: Partial<Expectation> = {}): Expectation => ({
  challengeId,
  openedAt: NOW,
  endsAt: minutes(60),
  asked,
  least: asked,
  paid: 0n,
  ...more,
})
const nothing: AddressFacts = {
  signedFor: undefined,
  reservedFor: undefined,
  lentTo: undefined,
  unpaid: [],
  isWhole: true,
  unmatchedAt: undefined,
  twoBlocksMs: 24_000,
  leastCarried: 1n,
  exactOnly: false,
  contested: false,
}
const on = (more: Partial<AddressFacts>): AddressFacts => ({ ...nothing, ...more })
const sent = (amount: bigint, at = 5) => ({ amount: String(amount), minedAt: minutes(at) })

test('Q-55 what carried out an authorization pays what that was taken for, whatever else is open', (t) => {
  const all = on({ signedFor: 'signed', reservedFor: asks('reserved'), lentTo: asks('lent'), unpaid: [asks('sole')] })
  t.deepEqual(attribute(sent(1n), all), { is: 'pays', challengeId: 'signed' })
})

test('Q-55 N-24 a reserved amount is its challenge’s: paid in time, late afterwards', (t) => {
  const reserved = on({ reservedFor: asks('a') })
  t.deepEqual(attribute(sent(1_000n), reserved), { is: 'pays', challengeId: 'a' })
  t.deepEqual(attribute(sent(1_000n, 61), reserved), { is: 'late', challengeId: 'a' })
  // The amount that is kept for the rest of a price makes it enough.
  t.deepEqual(attribute(sent(400n), on({ reservedFor: asks('a', 1_000n, { paid: 600n }) })), {
    is: 'pays',
    challengeId: 'a',
  })
})

test('N-21 N-24 what comes to a lent address is its challenge’s, in full or in part, and dust is nobody’s', (t) => {
  const lent = on({ lentTo: asks('a') })
  t.deepEqual(attribute(sent(5_000n), lent), { is: 'pays', challengeId: 'a' })
  t.deepEqual(attribute(sent(10n), lent), { is: 'adds', challengeId: 'a' })
  t.deepEqual(attribute(sent(9n), lent), { is: 'nobodys', candidates: ['a'], dust: true })
  t.deepEqual(attribute(sent(10n, 61), lent), { is: 'late', challengeId: 'a' })
  // Of an address that two accounts have, only what was asked is anybody's.
  const contested = on({ lentTo: asks('a'), contested: true })
  t.deepEqual(attribute(sent(1_000n), contested), { is: 'pays', challengeId: 'a' })
  t.deepEqual(attribute(sent(5_000n), contested), { is: 'nobodys', candidates: ['a'], dust: false })
})

test('N-24 Q-55 an odd amount is the only unpaid challenge’s, from dust to five percent too much, and never one’s of two', (t) => {
  const sole = on({ unpaid: [asks('a')] })
  t.deepEqual(attribute(sent(970n), sole), { is: 'adds', challengeId: 'a' })
  t.deepEqual(attribute(sent(970n), on({ unpaid: [asks('a', 1_000n, { least: 950n })] })), {
    is: 'pays',
    challengeId: 'a',
  })
  t.deepEqual(attribute(sent(1_050n), sole), { is: 'pays', challengeId: 'a' })
  t.deepEqual(attribute(sent(1_051n), sole), { is: 'nobodys', candidates: ['a'], dust: false })
  t.deepEqual(attribute(sent(10n), sole), { is: 'adds', challengeId: 'a' })
  t.deepEqual(attribute(sent(9n), sole), { is: 'nobodys', candidates: ['a'], dust: true })
  t.deepEqual(attribute(sent(500n), on({ unpaid: [asks('a', 1_000n, { paid: 550n })] })), {
    is: 'pays',
    challengeId: 'a',
  })
  t.deepEqual(attribute(sent(500n), on({ unpaid: [asks('a', 1_000n, { paid: 551n })] })), {
    is: 'nobodys',
    candidates: ['a'],
    dust: false,
  })
  t.deepEqual(attribute(sent(970n), on({ unpaid: [asks('a'), asks('b')] })), {
    is: 'nobodys',
    candidates: ['a', 'b'],
    dust: false,
  })
  t.deepEqual(attribute(sent(970n), nothing), { is: 'nobodys', candidates: [], dust: false })
})

test('Q-55 N-24 nothing is guessed for a challenge of the last two blocks, after a payment that was nobody’s, or where the seller asks', (t) => {
  const guessed = { is: 'adds', challengeId: 'a' } as const
  const unpaid = [asks('a')]
  const left = { is: 'nobodys', candidates: ['a'], dust: false } as const
  t.deepEqual(
    attribute({ amount: '970', minedAt: new Date(Date.parse(NOW) + 24_000).toISOString() }, on({ unpaid })),
    guessed,
  )
  t.deepEqual(
    attribute({ amount: '970', minedAt: new Date(Date.parse(NOW) + 23_999).toISOString() }, on({ unpaid })),
    left,
  )
  t.deepEqual(attribute(sent(970n), on({ unpaid, unmatchedAt: minutes(-1) })), guessed)
  t.deepEqual(attribute(sent(970n), on({ unpaid, unmatchedAt: NOW })), left)
  t.deepEqual(attribute(sent(970n), on({ unpaid, exactOnly: true })), left)
  t.deepEqual(attribute(sent(970n), on({ unpaid, isWhole: false })), left)
})

test('N-24 what is less than the network carries is dust, however small the price', (t) => {
  const cheap = on({ unpaid: [asks('a', 2_000n)], leastCarried: 546n })
  t.deepEqual(attribute(sent(545n), cheap), { is: 'nobodys', candidates: ['a'], dust: true })
  t.deepEqual(attribute(sent(546n), cheap), { is: 'adds', challengeId: 'a' })
})

test('Q-55 over all amounts and places, a payment is a challenge’s only by its own amount, address, signature, or because it is alone', (t) => {
  const expectation = fc.record({
    asked: fc.bigInt({ min: 1n, max: 10_000n }),
    paid: fc.bigInt({ min: 0n, max: 9_000n }),
    opened: fc.integer({ min: -10, max: 6 }),
    ended: fc.integer({ min: -5, max: 60 }),
  })
  fc.assert(
    fc.property(
      fc.array(expectation, { maxLength: 3 }),
      fc.bigInt({ min: 1n, max: 20_000n }),
      fc.option(fc.integer({ min: -20, max: 5 })),
      fc.boolean(),
      (given, amount, unmatched, exactOnly) => {
        const unpaid = given.map(({ asked, paid, opened, ended }, n) =>
          asks(`c${n}`, asked, { paid, openedAt: minutes(opened), endsAt: minutes(ended) }),
        )
        const unmatchedAt = unmatched === null ? undefined : minutes(unmatched)
        const found = attribute(sent(amount), on({ unpaid, unmatchedAt, exactOnly }))
        const [only] = unpaid
        if (found.is === 'nobodys')
          return t.deepEqual(
            found.candidates,
            unpaid.map(({ challengeId }) => challengeId),
          )
        t.is(unpaid.length, 1)
        t.false(exactOnly)
        t.true(only && amount * 100n >= only.asked && (only.paid + amount) * 100n <= only.asked * 105n)
        t.is(found.is === 'late', (only?.endsAt ?? '') < minutes(5))
        t.is(found.is === 'pays', found.is !== 'late' && (only?.paid ?? 0n) + amount >= (only?.least ?? 0n))
      },
    ),
    { numRuns: 500 },
  )
})

test('N-24 X-TEN-01 money that was set aside is matched by its own seller, once, and by nobody else', (t) => {
  const aside = { accountId: ACCOUNT, challengeId: null, asset: 'eth', transfer: transferData } as const
  const unmatched = { type: 'TransferSetAside', data: { ...aside, reason: 'unmatched' } } as const
  const late = { type: 'TransferSetAside', data: { ...aside, reason: 'late' } } as const
  const match = { accountId: ACCOUNT, challengeId: CHALLENGE_ID, asset: 'eth', by: 'k' }
  const matched = { type: 'TransferClaimed', data: { ...match, matched: true, transfer: transferData } } as const
  given(t, transfer, unmatched).when('match', match).yields(matched)
  // What was late is in the books already.
  given(t, transfer, late)
    .when('match', match)
    .yields({ ...matched, data: { ...matched.data, inBooks: true } })
  given(t, transfer, unmatched, matched).when('match', match).yieldsNothing()
  given(t, transfer, unmatched, matched)
    .when('match', { ...match, challengeId: 'another' })
    .isRefused('transfer-taken')
  given(t, transfer, unmatched)
    .when('match', { ...match, accountId: 'acc_2' })
    .isRefused('transfer-not-found')
  given(t, transfer).when('match', match).isRefused('transfer-not-found')
  const claim = { accountId: ACCOUNT, challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
  const claimed = { type: 'TransferClaimed', data: claim } as const
  given(t, transfer, claimed).when('match', match).isRefused('transfer-taken')
  // A match that has not been finished yet is not set aside as late once more, and what is set aside again is posted
  // once.
  given(t, transfer, late, { ...matched, data: { ...matched.data, inBooks: true } })
    .when('setAside', { ...aside, challengeId: CHALLENGE_ID, reason: 'late' })
    .yieldsNothing()
  given(t, transfer, late, { ...matched, data: { ...matched.data, inBooks: true } })
    .when('setAside', { ...aside, challengeId: CHALLENGE_ID, reason: 'doubled' })
    .yields({
      type: 'TransferSetAside',
      data: { ...aside, challengeId: CHALLENGE_ID, reason: 'doubled', inBooks: true, matched: true },
    })
})
