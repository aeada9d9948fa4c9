import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import {
  carriesOn,
  isClosed,
  isOpenTo,
  type OpenSet,
  paidSoFar,
  seenSoFar,
} from '../../domain/selling/challenge-state.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { paymentRequest } from '../../domain/selling/payment-request.ts'
import { asRequested, isCurrent } from '../../domain/selling/request-end.ts'
import { requiredConfirmations } from '../../domain/selling/required-confirmations.ts'
import { delivery } from '../../domain/selling/webhooks/delivery.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, CHALLENGE_ID, entry, opened, requestOpened, signed, transferData } from './samples.ts'

/** What can be asked of a set of challenges, and of the request that it was opened for. */

const asset = 'eth'
const set = (more: Partial<OpenSet> = {}): OpenSet => ({
  ...(fold(challenge, [{ type: 'ChallengeOpened', data: opened }]) as OpenSet),
  ...more,
})
const id = transferId(transferData)
const seen = (of: string, amount: string) => ({ id: of, tx: of, height: 1, amount })

test('N-25 what came in parts adds up, and what only waits for confirmations is counted apart', (t) => {
  t.deepEqual([paidSoFar(set(), asset), seenSoFar(set(), asset)], [0n, 0n])
  const parts = {
    [asset]: [
      { id: 'a', amount: '3' },
      { id: 'b', amount: '4' },
    ],
  }
  t.is(paidSoFar(set({ parts }), asset), 7n)
  t.is(paidSoFar(set({ parts }), 'btc'), 0n)
  const detected = { [asset]: [seen('b', '4'), seen('c', '5'), seen('d', '6')] }
  t.is(seenSoFar(set({ detected }), asset), 15n)
  t.is(seenSoFar(set({ detected, parts }), asset), 11n)
  t.is(seenSoFar(set({ detected, parts }), asset, 'd'), 5n)
})

test('I-SET-01 N-42 an asset takes payments until it has settled, and while it is kept only that one', (t) => {
  const own = { ...transferData, authorization: signed.nonce }
  const kept = { reserved: { [asset]: `eth:eth:${transferData.from}:${signed.nonce}` } }
  const settled = { settled: { [asset]: id } }
  t.deepEqual(
    [isClosed(set(), asset), isClosed(set(settled), asset), isClosed(set(settled), 'btc')],
    [false, true, false],
  )
  t.true(isOpenTo(set(), asset, transferData))
  t.false(isOpenTo(set(kept), asset, transferData))
  t.true(isOpenTo(set(kept), asset, own))
  t.false(isOpenTo(set({ ...kept, ...settled }), asset, own))
  const last = { [asset]: { id, amount: '1', payer: 'p', signed: { id: kept.reserved[asset] ?? '', transfer: own } } }
  t.true(carriesOn(set({ ...settled, last }), asset, { ...own, tx: '0x2' }))
  t.false(carriesOn(set({ ...settled, last }), asset, own))
  t.false(carriesOn(set({ ...settled, last }), asset, { ...transferData, tx: '0x2' }))
  t.false(carriesOn(set(settled), asset, { ...transferData, tx: '0x2' }))
})

test('T-CHL-02 a payment that was seen in one block is seen anew in another, and gone once it is retracted', (t) => {
  const place = { accountId: ACCOUNT, resId: opened.resId, challengeId: CHALLENGE_ID, asset }
  const pay = { challengeId: CHALLENGE_ID, asset, transfer: transferData, confirmations: 1 }
  const open = { type: 'ChallengeOpened', data: opened } as const
  const detected = {
    type: 'PaymentDetected',
    data: { ...place, transfer: transferData, confirmations: 1, required: 6 },
  } as const
  const moved = { ...transferData, height: 107 }
  given(t, challenge, open, detected)
    .when('detect', { ...pay, transfer: moved, required: 2 })
    .yields({ type: 'PaymentDetected', data: { ...detected.data, transfer: moved, required: 2 } })
  const retract = { challengeId: CHALLENGE_ID, asset, transferId: id }
  const retracted = { type: 'PaymentRetracted', data: { ...place, transferId: id, tx: transferData.tx } } as const
  given(t, challenge, open, detected).when('retract', retract).yields(retracted)
  given(t, challenge, open, detected, retracted).when('retract', retract).yieldsNothing()
  given(t, challenge, open).when('retract', retract).yieldsNothing()
  given(t, challenge).when('retract', retract).isRefused('challenge-not-found')
  const other = { ...detected, data: { ...detected.data, transfer: { ...transferData, tx: '0x2' } } }
  const state = fold(challenge, [open, detected, other, { ...detected, data: { ...detected.data, transfer: moved } }])
  t.like(state, { detected: { eth: [{ tx: '0x2' }, { tx: transferData.tx, height: 107 }] } })
  t.deepEqual((fold(challenge, [open, detected, retracted]) as OpenSet).detected, {})
  const many = Array.from({ length: 128 }, (_, n) => ({
    ...other,
    data: { ...other.data, transfer: { ...transferData, tx: `0x${n}` } },
  }))
  given(t, challenge, open, ...many)
    .when('detect', pay)
    .yieldsNothing()
  given(t, challenge, open, ...many.slice(1))
    .when('detect', pay)
    .yields(detected)
})

test('N-42 a challenge is kept for one authorization while nothing else pays it, and let go of by that one alone', (t) => {
  const place = { accountId: ACCOUNT, resId: opened.resId, challengeId: CHALLENGE_ID, asset }
  const keep = { challengeId: CHALLENGE_ID, asset, authorizationId: 'a1' }
  const open = { type: 'ChallengeOpened', data: opened } as const
  const reserved = { type: 'ChallengeReserved', data: { ...place, authorizationId: 'a1' } } as const
  const released = { type: 'ChallengeReleased', data: { ...place, authorizationId: 'a1' } } as const
  given(t, challenge, open).when('reserve', keep).yields(reserved)
  given(t, challenge, open, reserved).when('reserve', keep).yieldsNothing()
  given(t, challenge, open, reserved)
    .when('reserve', { ...keep, authorizationId: 'a2' })
    .isRefused('already-paid')
  given(t, challenge, open, reserved)
    .when('release', { ...keep, authorizationId: 'a2' })
    .yieldsNothing()
  given(t, challenge, open, reserved).when('release', keep).yields(released)
  given(t, challenge, open, reserved, released).when('reserve', keep).yields(reserved)
  given(t, challenge).when('release', keep).isRefused('challenge-not-found')
  given(t, challenge, open).when('reserve', keep, '2026-03-02T11:00:00.001Z').isRefused('challenge-expired')
  given(t, challenge, { ...open, data: { ...opened, test: true } })
    .when('reserve', keep)
    .isRefused('challenge-is-test')
  const due = { asked: entry.amount, least: entry.amount, amount: '100000000', currency: 'USD', usd: '100000000' }
  const little = { ...transferData, amount: '1' }
  const part = { type: 'ChallengeUnderpaid', data: { ...place, transfer: little, ...due, test: false } } as const
  given(t, challenge, open, part).when('reserve', keep).isRefused('already-paid')
  const add = { challengeId: CHALLENGE_ID, asset, transfer: little }
  given(t, challenge, open).when('add', add).yields(part)
  given(t, challenge, open, part).when('add', add).yieldsNothing()
  given(t, challenge, open, reserved).when('add', add).yieldsNothing()
  given(t, challenge, open)
    .when('add', { ...add, transfer: transferData })
    .yieldsNothing()
  const more = { ...little, tx: '0x2' }
  given(t, challenge, open, part)
    .when('add', { ...add, transfer: more, voices: 2 })
    .yields({ ...part, data: { ...part.data, transfer: more, paid: '2', voices: 2 } })
})

test('the same made-up payment is no second part, whatever else came', (t) => {
  const terms = { ...opened, test: true, entries: [{ ...entry, confirmations: 1 }] }
  let state = fold(challenge, [{ type: 'ChallengeOpened', data: terms }])
  const pay = (tx: string) => ({ challengeId: CHALLENGE_ID, asset, added: 1, tx, amount: '1' })
  for (const tx of ['test_a', 'test_b']) state = fold(challenge, challenge.decide.simulate(state, pay(tx), NOW), state)
  for (const tx of ['test_a', 'test_b'])
    t.throws(() => challenge.decide.simulate(state, pay(tx), NOW), { message: /simulated before/ })
  t.is(challenge.decide.simulate(state, pay('test_c'), NOW).length, 2)
})

test('M-TXN-10 a set is current while its request takes payments, at the price that the set asks for', (t) => {
  const request = (repriced: readonly string[]) => {
    const open = fold(paymentRequest, [{ type: 'PaymentRequestOpened', data: requestOpened }])
    return { ...open, repriced } as Exclude<typeof open, { status: 'none' }>
  }
  const of = (terms?: number) => {
    const ref = { requestId: 'pr_1', transactionId: '1', ...(terms !== undefined && { terms }) }
    return { ...set(), paymentRequest: ref }
  }
  t.true(isCurrent(of(), request([])))
  t.true(isCurrent(of(1), request([NOW])))
  t.false(isCurrent(of(), request([NOW])))
  t.false(isCurrent(of(1), request([])))
  t.false(isCurrent(of(), { ...request([]), status: 'paid' }))
  t.false(isCurrent(of(), { status: 'none' }))
  t.is(asRequested(of(), { status: 'none' }).expiresAt, opened.expiresAt)
  const same = of()
  t.is(asRequested(same, request([])), same)
  t.is(asRequested(of(), request(['2026-03-02T10:30:00.000Z'])).expiresAt, '2026-03-02T10:32:00.000Z')
  t.is(asRequested(of(), request(['2026-03-02T12:00:00.000Z'])).expiresAt, opened.expiresAt)
})

test('J-SET-05 a network that nobody knows needs one confirmation', (t) => {
  t.is(networkOf('nowhere'), undefined)
  const strange = { code: 'x', network: 'nowhere' } as unknown as Parameters<typeof requiredConfirmations>[1]
  t.is(requiredConfirmations({ default: null, coins: {}, increase: [] }, strange, 1n), 1)
})

test('what was never scheduled has no outcome', (t) => {
  const whose = { accountId: ACCOUNT, transactionId: '1' }
  const outcome = { status: 200, reason: null, bodyHead: '', durationMs: 1, attemptedAt: NOW }
  const accepted = { type: 'DeliveryAccepted', data: { ...whose, ...outcome } } as const
  t.deepEqual(fold(delivery, [{ type: 'DeliverySkipped', data: whose }, accepted]), { status: 'skipped' })
  t.deepEqual(fold(delivery, [accepted]), { status: 'none' })
})
