import test from 'ava'
import { creditAccount } from '../../domain/account/credit-account.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { platformFee } from '../../domain/kernel/fees.ts'
import { POINT_USD, pointsFor } from '../../domain/money/billing.ts'
import { given } from '../support/given.ts'

const grant = (amount: string, position = '10', source = 'granting') =>
  ({ amount, reason: 'email-verified', ref: `r${position}`, source, position }) as const
const bill = (amount: string, position = '20', source = 'billing') =>
  ({ amount, reason: 'platform-fee', ref: `r${position}`, source, position }) as const
const granted = (...a: Parameters<typeof grant>) => ({ type: 'CreditGranted', data: grant(...a) }) as const
const debited = (amount: string, owed: string, position = '20', source = 'billing') =>
  ({ type: 'CreditDebited', data: { ...bill(amount, position, source), owed } }) as const
const collected = (amount: string, ref: string) => ({ type: 'OwedCreditCollected', data: { amount, ref } }) as const

test('a fee is taken from the credit in full where it covers it', (t) => {
  given(t, creditAccount, granted('5')).when('charge', bill('5')).yields(debited('5', '0'))
  given(t, creditAccount, granted('5')).when('charge', bill('2')).yields(debited('2', '0'))
})

test('I-CRD-03 a fee above the credit takes what is there and leaves the rest owed; it is never refused', (t) => {
  given(t, creditAccount, granted('5')).when('charge', bill('8')).yields(debited('5', '3'))
  given(t, creditAccount).when('charge', bill('8')).yields(debited('0', '8'))
  given(t, creditAccount, debited('0', '8', '20'))
    .when('charge', bill('1', '21'))
    .yields(debited('0', '1', '21'))
})

test('I-CRD-03 what is owed is collected first from the next credit, in part or in full', (t) => {
  const owing = given(t, creditAccount, debited('0', '8'))
  owing.when('grant', grant('3')).yields(granted('3'), collected('3', 'r10'))
  owing.when('grant', grant('8')).yields(granted('8'), collected('8', 'r10'))
  owing.when('grant', grant('9')).yields(granted('9'), collected('8', 'r10'))
  given(t, creditAccount, debited('0', '8'), granted('9'), collected('8', 'r10'))
    .when('charge', bill('5', '30'))
    .yields(debited('1', '4', '30'))
  const paid = [debited('0', '8'), granted('9'), collected('8', 'r10')]
  t.like(fold(creditAccount, paid), { balance: 1n, owed: 0n })
  given(t, creditAccount, ...paid)
    .when('grant', grant('2', '11'))
    .yields(granted('2', '11'))
  given(t, creditAccount, debited('0', '1')).when('grant', grant('3')).yields(granted('3'), collected('1', 'r10'))
})

test('I-FEE-03 the same place of a source, and a lower one, are quiet; another source counts for itself', (t) => {
  const billed = given(t, creditAccount, granted('9'), debited('5', '0', '20'))
  billed.when('charge', bill('5', '20')).yieldsNothing()
  billed.when('charge', bill('5', '19')).yieldsNothing()
  billed.when('grant', grant('5', '10')).yieldsNothing()
  billed.when('charge', bill('4', '21')).yields(debited('4', '0', '21'))
  billed.when('charge', bill('4', '3', 'another')).yields(debited('4', '0', '3', 'another'))
  billed.when('grant', grant('4', '0', 'another')).yields(granted('4', '0', 'another'))
})

test('N-110 I-FEE-03 a booking that comes before the one that goes before it waits, and is not lost', (t) => {
  const billed = given(t, creditAccount, granted('9'), debited('5', '0', '20'))
  billed.when('charge', { ...bill('1', '22'), after: '21' }).isRefused('busy')
  billed.when('grant', { ...grant('1', '22', 'billing'), after: '21' }).isRefused('busy')
  billed.when('charge', { ...bill('1', '22', 'another'), after: '20' }).isRefused('busy')
  billed.when('charge', { ...bill('1', '22'), after: '20' }).yields(debited('1', '0', '22'))
  billed.when('grant', { ...grant('1', '22', 'billing'), after: '20' }).yields(granted('1', '22', 'billing'))
  billed.when('charge', { ...bill('5', '20'), after: '19' }).yieldsNothing()
  given(t, creditAccount)
    .when('charge', { ...bill('1', '22'), after: '21' })
    .isRefused('busy')
})

test('places are compared as numbers, not as text', (t) => {
  given(t, creditAccount, granted('9', '9')).when('grant', grant('1', '10')).yields(granted('1', '10'))
  given(t, creditAccount, granted('9', '10')).when('grant', grant('1', '9')).yieldsNothing()
  const far = (2n ** 63n - 1n).toString()
  given(t, creditAccount, granted('9', far)).when('grant', grant('1', '9223372036854775806')).yieldsNothing()
})

test('nothing and less than nothing are neither granted nor billed', (t) => {
  for (const amount of ['0', '-1']) {
    given(t, creditAccount).when('grant', grant(amount)).isRefused('amount-not-positive')
    given(t, creditAccount).when('charge', bill(amount)).isRefused('amount-not-positive')
  }
})

const seatOrder = (id: string) => ({ id, kind: 'change', number: 1, role: 'admin' }) as const
const seatPaid = (number: number, amount: string, id: string) =>
  ({ type: 'SeatPaid', data: { number, amount, order: seatOrder(id) } }) as const
const earned = (points: number) => ({ type: 'CreditDebited', data: { ...bill('1'), owed: '0', points } }) as const

test('I-CRD-03 I-CRD-04 E-402-02 a seat is paid once for an order, counted, and never with more than there is', (t) => {
  const rich = given(t, creditAccount, granted('9'))
  rich.when('paySeat', { amount: '9', order: seatOrder('a') }).yields(seatPaid(1, '9', 'a'))
  rich.when('paySeat', { amount: '10', order: seatOrder('a') }).isRefused('insufficient-credit')
  rich.when('paySeat', { amount: '0', order: seatOrder('a') }).isRefused('amount-not-positive')
  const two = given(t, creditAccount, granted('9'), seatPaid(1, '4', 'a'), seatPaid(2, '4', 'b'))
  for (const id of ['a', 'b']) two.when('paySeat', { amount: '4', order: seatOrder(id) }).yieldsNothing()
  two.when('paySeat', { amount: '1', order: seatOrder('c') }).yields(seatPaid(3, '1', 'c'))
  two.when('paySeat', { amount: '2', order: seatOrder('c') }).isRefused('insufficient-credit')
})

test('I-CRD-05 J-BIL-02 J-BIL-04 a pack takes its price and brings its slots in one step, once for one purchase', (t) => {
  const pack = (purchaseId: string, qty: number) =>
    ({
      type: 'LanderPackBought',
      data: { purchaseId, qty, amount: String(2_000_000 * qty), slots: 5 * qty },
    }) as const
  const rich = given(t, creditAccount, granted('5000000'))
  rich.when('buyLanderPack', { purchaseId: 'a', qty: 2 }).yields(pack('a', 2))
  rich.when('buyLanderPack', { purchaseId: 'a', qty: 3 }).isRefused('insufficient-credit')
  const bought = given(t, creditAccount, granted('5000000'), pack('a', 1))
  bought.when('buyLanderPack', { purchaseId: 'a', qty: 1 }).yieldsNothing()
  bought.when('buyLanderPack', { purchaseId: 'a', qty: 1, request: 'r' }).isRefused('idempotency-conflict')
  const asked = { type: 'LanderPackBought', data: { ...pack('a', 1).data, request: 'r' } } as const
  const again = given(t, creditAccount, granted('5000000'), asked)
  again.when('buyLanderPack', { purchaseId: 'a', qty: 1, request: 'r' }).yieldsNothing()
  for (const request of ['s', undefined])
    again
      .when('buyLanderPack', { purchaseId: 'a', qty: 1, ...(request && { request }) })
      .isRefused('idempotency-conflict')
  const state = fold(creditAccount, [granted('5000000'), pack('a', 2)])
  t.like(state, { balance: 1_000_000n, landerSlots: 10 })
})

test('I-CRD-06 J-BIL-03 points become credit once, at their worth, not more than there are, and what is owed is taken first', (t) => {
  const redeemed = (points: number) =>
    ({ type: 'PointsRedeemed', data: { purchaseId: 'a', points, amount: String(100 * points) } }) as const
  const rich = given(t, creditAccount, granted('1'), earned(5))
  rich.when('redeemPoints', { purchaseId: 'a', points: 5 }).yields(redeemed(5))
  rich.when('redeemPoints', { purchaseId: 'a', points: 6 }).isRefused('insufficient-credit')
  rich.when('redeemPoints', { purchaseId: 'a', points: 0 }).isRefused('amount-not-positive')
  given(t, creditAccount, granted('1'), earned(5), redeemed(3))
    .when('redeemPoints', { purchaseId: 'a', points: 3 })
    .yieldsNothing()
  given(t, creditAccount, granted('1'), earned(5), debited('0', '150', '30'))
    .when('redeemPoints', { purchaseId: 'a', points: 3 })
    .yields(redeemed(3), collected('150', 'a'))
  t.like(fold(creditAccount, [granted('1'), earned(5), redeemed(3)]), { balance: 300n, points: 2 })
})

test('N-24 I-CRD-06 a fee that is given back takes the points along that it had brought', (t) => {
  const returned = { type: 'CreditGranted', data: { ...grant('1', '30'), points: 2 } } as const
  t.like(fold(creditAccount, [granted('5'), earned(5)]), { balance: 4n, points: 5 })
  t.like(fold(creditAccount, [granted('5'), earned(5), debited('1', '0')]), { balance: 3n, points: 5 })
  t.like(fold(creditAccount, [granted('5'), earned(5), returned]), { balance: 5n, points: 3 })
  given(t, creditAccount, granted('5'), earned(5), returned)
    .when('redeemPoints', { purchaseId: 'a', points: 4 })
    .isRefused('insufficient-credit')
})

test('X-IDEM-01 a purchase is known again among the last hundred', (t) => {
  const seats = Array.from({ length: 100 }, (_, n) => seatPaid(n + 1, '1', `s${n + 1}`))
  const full = given(t, creditAccount, granted('1000'), ...seats)
  full.when('paySeat', { amount: '1', order: seatOrder('s1') }).yieldsNothing()
  const more = given(t, creditAccount, granted('1000'), ...seats, seatPaid(101, '1', 's101'))
  more.when('paySeat', { amount: '1', order: seatOrder('s1') }).yields(seatPaid(102, '1', 's1'))
  more.when('paySeat', { amount: '1', order: seatOrder('s2') }).yieldsNothing()
})

test('N-39 a whole dollar of a sale earns a point, and a point is worth a twentieth of the fee on that dollar', (t) => {
  t.deepEqual([0n, 999_999n, 1_000_000n, 1_999_999n, 150_000_000n].map(pointsFor), [0, 0, 1, 1, 150])
  t.is(platformFee(1_000_000n), 20n * POINT_USD)
})
