import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import type { OpenSet } from '../../domain/selling/challenge-state.ts'
import { type ChallengeEntry, type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import {
  countedFor,
  isBooked,
  movedTo,
  reversalOf,
  settledBy,
  withAgain,
  withoutReversed,
} from '../../domain/selling/reversal.ts'
import { NOW } from '../support/given.ts'
import { ACCOUNT, CHALLENGE_ID, entry, opened, RES_ID, signed, transferData } from './samples.ts'

/** What of a set of challenges stands when one of its payments is taken back. The price here is 100 units. */

const asset = 'eth'
const asked: ChallengeEntry = { ...entry, amount: '100', decimals: 18 }
const place = { accountId: ACCOUNT, resId: RES_ID, challengeId: CHALLENGE_ID, asset }
const set = (more: Partial<OpenSet> = {}): OpenSet => {
  const open = fold(challenge, [{ type: 'ChallengeOpened', data: { ...opened, entries: [asked] } }]) as OpenSet
  return { ...open, ...more }
}
const came = (n: number, amount: string): TransferData => ({ ...transferData, tx: `0x${n}`, amount })
const [first, second, third] = [came(1, '40'), came(2, '60'), came(3, '100')]
const part = (of: TransferData) => ({ id: transferId(of), amount: of.amount })
const last = (of: TransferData) => ({ ...part(of), payer: of.from })
const paidBy = (of: TransferData, ...parts: readonly TransferData[]) =>
  set({
    settled: { [asset]: transferId(of) },
    last: { [asset]: last(of) },
    ...(parts.length > 0 && { parts: { [asset]: parts.map(part) } }),
  })
const back = (transfer: TransferData, times = 1) =>
  ({ challengeId: CHALLENGE_ID, asset, transfer, times, reason: 'reorganised' }) as const
const reversal = (of: OpenSet, transfer: TransferData, times = 1) =>
  reversalOf(of, asked, place, back(transfer, times), NOW)
const facts = {
  reason: 'reorganised',
  asked: '100',
  decimals: 18,
  amount: '100000000',
  currency: 'USD',
  usd: '100000000',
  test: false,
  reversedAt: NOW,
}

test('N-24 a payment is booked when it has settled an asset or is a part of its price, and for that asset alone', (t) => {
  t.false(isBooked(set(), asset, transferId(first)))
  t.true(isBooked(paidBy(second, first), asset, transferId(second)))
  t.true(isBooked(paidBy(second, first), asset, transferId(first)))
  t.false(isBooked(paidBy(second, first), asset, transferId(third)))
  t.false(isBooked(paidBy(second, first), 'btc', transferId(second)))
})

test('N-24 a sale whose only payment is gone is unsettled, and says what had settled it', (t) => {
  const unsettled = { transferId: transferId(third), payer: third.from, round: 0 }
  t.deepEqual<object | undefined, object>(reversal(paidBy(third), third), {
    ...place,
    transfer: third,
    times: 1,
    unsettled,
    ...facts,
  })
  const twice = { ...paidBy(third), rounds: { [asset]: 2 } }
  t.like(reversal(twice, third), { unsettled: { ...unsettled, round: 2 } })
  t.is(reversal(set(), third), undefined)
  t.is(reversal(paidBy(third), first), undefined)
})

test('N-24 a payment is taken back once for each time that it was gone', (t) => {
  const gone = { ...paidBy(third), gone: { [asset]: { [transferId(third)]: 1 } } }
  t.is(reversal(gone, third, 1), undefined)
  t.is(reversal(gone, third, 2)?.times, 2)
  t.is(reversal(paidBy(third), third, 2)?.times, 2)
})

test('N-25 what is left of a price that was paid in parts stays; if it is enough, the sale stays too', (t) => {
  const unsettled = { transferId: transferId(second), payer: second.from, round: 0 }
  t.deepEqual<object | undefined, object>(reversal(paidBy(second, first), first), {
    ...place,
    transfer: first,
    times: 1,
    unsettled: { ...unsettled, parts: [transferId(second)] },
    paid: '100',
    ...facts,
  })
  const enough = reversal(paidBy(third, first), first)
  t.deepEqual([enough?.unsettled, enough?.paid], [undefined, '140'])
  const short = reversal(paidBy(came(3, '99'), first), first)
  t.is(short?.unsettled?.transferId, transferId(third))
  // A seller who takes underpayments keeps the sale as long as the least is there.
  const least = { ...asked, least: '60' }
  t.is(reversalOf(paidBy(second, first), least, place, back(first), NOW)?.unsettled, undefined)
  const parts = reversal(set({ parts: { [asset]: [part(first), part(second)] } }), first)
  t.deepEqual([parts?.unsettled, parts?.paid], [undefined, '100'])
})

test('N-25 every payment of a price counts once', (t) => {
  t.deepEqual(countedFor(set(), asset), [])
  t.deepEqual(countedFor(paidBy(second, first), asset), [part(first), last(second)])
  t.deepEqual(countedFor(paidBy(second, first, second), asset), [part(first), part(second)])
  t.deepEqual(countedFor(set({ parts: { [asset]: [part(first)] } }), asset), [part(first)])
})

test('N-25 after a reversal the other payments of an unsettled sale are parts, and nothing of the lost one is left', (t) => {
  const seen = (of: TransferData) => ({ id: transferId(of), tx: of.tx, height: of.height, amount: of.amount })
  const before = { ...paidBy(second, first), detected: { [asset]: [seen(first), seen(third)] } }
  const event = reversal(before, first)
  const after = event && (withoutReversed(before, event) as OpenSet)
  t.deepEqual<object | undefined, object>(after, {
    ...before,
    settled: {},
    last: {},
    parts: { [asset]: [part(second)] },
    detected: { [asset]: [seen(third)] },
    rounds: { [asset]: 1 },
    gone: { [asset]: { [transferId(first)]: 1 } },
  })
  const alone = reversal(paidBy(third), third)
  t.like(alone && withoutReversed(paidBy(third), alone), { settled: {}, last: {}, parts: {}, detected: {} })
  t.deepEqual(event && withoutReversed({ status: 'none' }, event), { status: 'none' })
})

test('N-25 a sale that stands without the lost part stays settled by what had settled it', (t) => {
  const before = paidBy(third, first)
  const event = reversal(before, first)
  t.deepEqual<object | undefined, object>(event && withoutReversed(before, event), {
    ...before,
    parts: {},
    gone: { [asset]: { [transferId(first)]: 1 } },
  })
})

test('N-42 a settlement moves with the authorization that it carried out, and with no other payment', (t) => {
  const money = { ...came(4, '100'), from: signed.from, authorization: signed.nonce }
  const again = { ...money, tx: '0x5', blockHash: '0xelsewhere' }
  const paid = settledBy(set(), asset, money, undefined)
  const moved = (of: OpenSet, to: TransferData) => movedTo(of, asked, place, to, NOW)
  const { reason: _, reversedAt: __, ...terms } = facts
  const event = { ...place, from: money, transfer: again, times: 1, ...terms, settledAt: NOW }
  t.deepEqual<object | undefined, object>(moved(paid, again), event)
  t.is(moved(settledBy(set(), asset, money, 1), again)?.times, 2)
  t.is(moved(paid, money), undefined)
  t.is(moved(paid, { ...again, authorization: `0x${'00'.repeat(32)}` }), undefined)
  t.is(moved(paid, third), undefined)
  t.is(moved(paidBy(third), again), undefined)
  t.is(moved(set(), again), undefined)
})

test('T-CHL-01 a settlement remembers its payer, and the whole transfer where that carried out an authorization', (t) => {
  const plain = settledBy(set(), asset, third, undefined)
  t.deepEqual([plain.settled, plain.last, plain.gone], [{ eth: transferId(third) }, { eth: last(third) }, {}])
  const authorized = { ...third, authorization: signed.nonce }
  t.deepEqual(settledBy(set(), asset, authorized, 2).last[asset]?.signed, {
    id: `eth:eth:${third.from}:${signed.nonce}`,
    transfer: authorized,
  })
  t.deepEqual(settledBy(set(), asset, third, 2).gone, { eth: { [transferId(third)]: 2 } })
})

test('N-24 a set remembers how often its last 64 lost payments were taken back', (t) => {
  let gone: OpenSet['gone'] = {}
  t.is(withAgain(gone, asset, 'x', undefined), gone)
  for (let n = 0; n < 64; n++) gone = withAgain(gone, asset, `t${n}`, 1)
  // What is gone once more is the newest again.
  gone = withAgain(gone, asset, 't0', 2)
  t.is(Object.keys(gone[asset] ?? {}).length, 64)
  gone = withAgain(gone, asset, 'new', 1)
  t.deepEqual(
    ['t0', 't1', 't2', 'new'].map((id) => gone[asset]?.[id]),
    [2, undefined, 1, 1],
  )
  t.is(Object.keys(gone[asset] ?? {}).length, 64)
  t.deepEqual(Object.keys(withAgain(gone, 'btc', 'x', 1)), [asset, 'btc'])
})
