import test from 'ava'
import fc from 'fast-check'
import { authorization, billedForGas } from '../../domain/gasless/authorization.ts'
import { caller, isAtLimit } from '../../domain/gasless/caller.ts'
import { payer } from '../../domain/gasless/payer.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { gaslessFee, gaslessFeeMax } from '../../domain/kernel/fees.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import { given, NOW } from '../support/given.ts'
import {
  ACCOUNT,
  AUTHORIZATION_ID,
  accepted,
  entry,
  opened,
  PAY_TO,
  RES_ID,
  SET_ID,
  signed,
  transferData,
} from './samples.ts'

const LATER = '2026-03-02T11:10:00.000Z'
const whose = { accountId: ACCOUNT, resId: RES_ID, challengeId: accepted.challengeId, payer: signed.from }
const carried = { transferId: 'base:0x1:3', tx: '0x1' }

const taken = { type: 'AuthorizationAccepted', data: accepted } as const
const settled = { type: 'AuthorizationSettled', data: { ...whose, ...carried } } as const
const settle = { challengeId: accepted.challengeId, ...carried }

test('J-DOOR-05 an authorization is taken once, and whoever sends it again changes nothing', (t) => {
  given(t, authorization).when('accept', accepted).yields(taken)
  given(t, authorization, taken)
    .when('accept', { ...accepted, challengeId: 'another', resId: 'res_2' })
    .yieldsNothing()
})

test('J-DOOR-05 an authorization settles once, also one that had failed before somebody else carried it out', (t) => {
  given(t, authorization, taken).when('settle', settle).yields(settled)
  given(t, authorization, taken, settled).when('settle', settle).yieldsNothing()
  const failed = { type: 'AuthorizationFailed', data: { ...whose, reason: 'funds' } } as const
  given(t, authorization, taken, failed).when('settle', settle).yields(settled)
  given(t, authorization).when('settle', settle).isRefused('authorization-unknown')
})

test('N-42 an authorization does not settle with a challenge that it was not taken for', (t) => {
  const other = { ...settle, challengeId: 'another' }
  given(t, authorization, taken, settled).when('settle', other).isRefused('transfer-taken')
})

test('N-42 N-43 the third transaction that does not carry out an authorization ends it, each being counted once', (t) => {
  const told = (tx: string) => ({ type: 'AuthorizationReverted', data: { ...whose, tx, gasUsd: '70' } }) as const
  const revert = (tx: string) => ({ tx, gasUsd: '70' })
  given(t, authorization, taken).when('revert', revert('0x1')).yields(told('0x1'))
  given(t, authorization, taken, told('0x1')).when('revert', revert('0x1')).yieldsNothing()
  given(t, authorization, taken, told('0x1')).when('revert', revert('0x2')).yields(told('0x2'))
  const failed = { type: 'AuthorizationFailed', data: { ...whose, reason: 'reverted' } } as const
  given(t, authorization, taken, told('0x1'), told('0x2')).when('revert', revert('0x3')).yields(told('0x3'), failed)
  for (const end of [settled, failed]) given(t, authorization, taken, end).when('revert', revert('0x1')).yieldsNothing()
  given(t, authorization).when('revert', revert('0x1')).isRefused('authorization-unknown')
})

test('J-GAS-02 Q-12 the gas of an authorization is told once, and billed with 21 %, but never above what was offered', (t) => {
  const spent = { type: 'AuthorizationGasSpent', data: { ...whose, ...carried, gasUsd: '100000' } } as const
  const billed = (billedUsd: string) => ({ ...spent, data: { ...spent.data, billedUsd } })
  const when = (gasFeeMax?: string) =>
    given(t, authorization, { ...taken, data: { ...taken.data, ...(gasFeeMax && { gasFeeMax }) } }).when('spendGas', {
      ...carried,
      gasUsd: '100000',
    })
  when().yields(billed('121000'))
  when('121000').yields(billed('121000'))
  when('120999').yields(billed('120999'))
  when('0').yields(billed('0'))
  given(t, authorization, taken, spent)
    .when('spendGas', { ...carried, gasUsd: '7' })
    .yieldsNothing()
  t.is(billedForGas({ gasUsd: '100000' }), '121000', 'an event from before')
  t.is(billedForGas({ gasUsd: '100000', billedUsd: '5' }), '5')
})

test('Q-12 at most three times the usual bill for gas is billed, and never more than the sale brings', (t) => {
  t.is(gaslessFeeMax(1_000n, 1_000_000n), 3_630n)
  t.is(gaslessFeeMax(1_000n, 3_000n), 3_000n)
})

test('J-GAS-07 an authorization that has settled does not fail any more', (t) => {
  given(t, authorization, taken)
    .when('fail', { reason: 'funds' })
    .yields({ type: 'AuthorizationFailed', data: { ...whose, reason: 'funds' } })
  given(t, authorization, taken, settled).when('fail', { reason: 'funds' }).yieldsNothing()
})

test('N-42 a seller elsewhere is told once that a payment has settled, and never before', (t) => {
  const redeemed = { type: 'AuthorizationRedeemed', data: { ...whose, at: NOW } } as const
  given(t, authorization, taken).when('redeem', {}).isRefused('state-forbids')
  given(t, authorization).when('redeem', {}).isRefused('authorization-unknown')
  given(t, authorization, taken, settled).when('redeem', {}).yields(redeemed)
  given(t, authorization, taken, settled, redeemed).when('redeem', {}).yieldsNothing()
})

test('I-FEE-04 gas of ten cents is billed at twelve point one, and a fraction of a millionth is not', (t) => {
  t.is(gaslessFee(100_000n), 121_000n)
  t.is(gaslessFee(1n), 1n)
  t.is(gaslessFee(0n), 0n)
})

const reserve = (id: string, value: string, balance = '10') => ({ authorizationId: id, value, balance, until: LATER })
const reserved = (id: string, value: string) =>
  ({ type: 'PayerFundsReserved', data: { authorizationId: id, value, until: LATER } }) as const
const released = (id: string, failedAt: string | null) =>
  ({ type: 'PayerFundsReleased', data: { authorizationId: id, failedAt } }) as const

test('N-42 two payments of one payer are not both taken when the balance covers one', (t) => {
  given(t, payer).when('reserve', reserve('a', '6')).yields(reserved('a', '6'))
  given(t, payer, reserved('a', '6')).when('reserve', reserve('b', '6')).isRefused('insufficient-funds')
  given(t, payer, reserved('a', '6')).when('reserve', reserve('a', '6')).yieldsNothing()
  given(t, payer, reserved('a', '6'), released('a', null)).when('reserve', reserve('b', '6')).yields(reserved('b', '6'))
  // What nobody released ends by itself.
  const late = '2026-03-02T11:10:00.001Z'
  given(t, payer, reserved('a', '6'))
    .when('reserve', { ...reserve('b', '6'), until: late }, late)
    .yields({ type: 'PayerFundsReserved', data: { authorizationId: 'b', value: '6', until: late } })
})

test('N-42 a payer whose payments fail has to wait, and is served again afterwards', (t) => {
  const failures = ['1', '2', '3', '4', '5'].flatMap((id) => [reserved(id, '1'), released(id, NOW)])
  given(t, payer, ...failures)
    .when('reserve', reserve('x', '1'))
    .isRefused('rate-limited')
  given(t, payer, ...failures.slice(2))
    .when('reserve', reserve('x', '1'))
    .yields(reserved('x', '1'))
  given(t, payer, ...failures)
    .when('reserve', reserve('x', '1'), '2026-03-02T10:10:00.001Z')
    .yields(reserved('x', '1'))
})

const cap = { amount: '2', windowHours: 24 }
const wish = (id: string) => ({ accountId: ACCOUNT, authorizationId: id, amount: '1', until: LATER })
const onItsWay = (id: string) => ({ type: 'CallerSpendReserved', data: wish(id) }) as const
const spent = (n: number, at = NOW, authorizationId: string | null = null, amount = '1') => {
  const answers = { source: 'counting', position: String(n) }
  return { accountId: ACCOUNT, challengeId: `c${n}`, authorizationId, amount, at, ...answers }
}
const booked = (...args: Parameters<typeof spent>) => ({ type: 'CallerSpent', data: spent(...args) }) as const

test('J-RES-05 I-CAP-01 a payer that has reached its cap signs no further payment until the window has passed', (t) => {
  given(t, caller, booked(1))
    .when('reserve', { ...wish('a'), cap })
    .yields(onItsWay('a'))
  given(t, caller, booked(1), booked(2))
    .when('reserve', { ...wish('a'), cap })
    .isRefused('caller-limit-reached')
  given(t, caller, booked(1, '2026-03-01T10:00:00.000Z'), booked(2))
    .when('reserve', { ...wish('a'), cap })
    .yields(onItsWay('a'))
})

test('J-RES-05 what is on its way counts towards the cap, until it has come to nothing', (t) => {
  given(t, caller, onItsWay('a'), onItsWay('b'))
    .when('reserve', { ...wish('c'), cap })
    .isRefused('caller-limit-reached')
  const gone = { type: 'CallerSpendReleased', data: { accountId: ACCOUNT, authorizationId: 'a' } } as const
  given(t, caller, onItsWay('a'), onItsWay('b'), gone)
    .when('reserve', { ...wish('c'), cap })
    .yields(onItsWay('c'))
  // Settled, it counts once and not twice.
  given(t, caller, onItsWay('a'), booked(1, NOW, 'a'))
    .when('reserve', { ...wish('c'), cap })
    .yields(onItsWay('c'))
})

test('I-CAP-01 what has settled is counted, and not reserved once more by a call that looked before', (t) => {
  given(t, caller, booked(1, NOW, 'a'), booked(2, NOW, 'b'))
    .when('reserve', { ...wish('b'), cap })
    .yieldsNothing()
})

test('J-RES-05 a spend is booked once for each event that it answers', (t) => {
  given(t, caller).when('spend', spent(5)).yields(booked(5))
  given(t, caller, booked(5)).when('spend', spent(5)).yieldsNothing()
  given(t, caller, booked(5)).when('spend', spent(6)).yields(booked(6))
})

test('I-CAP-01 whatever comes in whatever order, nothing is signed once the cap is reached, however much is remembered', (t) => {
  const step = fc.record({ kind: fc.constantFrom('reserve', 'release', 'settle'), id: fc.nat({ max: 300 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.integer({ min: 1, max: 250 }), (steps, limit) => {
      const limited = { amount: String(limit), windowHours: 24 }
      let state = caller.initial
      let settledSum = 0
      const underWay = new Set<string>()
      for (const [n, { kind, id: number }] of steps.entries()) {
        const id = `a${number}`
        const before = settledSum + underWay.size
        try {
          if (kind === 'reserve') {
            const events = caller.decide.reserve(state, { ...wish(id), cap: limited }, NOW)
            if (events.length > 0) {
              if (before >= limit) return false
              underWay.add(id)
            }
            state = fold(caller, events, state)
          } else if (kind === 'release') {
            state = fold(caller, caller.decide.release(state, { accountId: ACCOUNT, authorizationId: id }, NOW), state)
            underWay.delete(id)
          } else {
            state = fold(caller, caller.decide.spend(state, spent(n, NOW, id), NOW), state)
            underWay.delete(id)
            settledSum++
          }
        } catch (error) {
          // The bound of what may be under way may come before the cap, never after it.
          if (!(error instanceof Refusal) || (before < limit && underWay.size < 100)) throw error
        }
      }
      return isAtLimit(state, limited, NOW) === settledSum + underWay.size >= limit
    }),
    { numRuns: 300 },
  )
  t.pass()
})

const usdc = { ...entry, asset: 'usdc_base', network: 'base', amount: '1000000', contract: signed.contract }
const set = { type: 'ChallengeOpened', data: { ...opened, entries: [usdc] } } as const
const place = { challengeId: `${SET_ID}.usdc_base`, asset: 'usdc_base' }
const keep = { ...place, authorizationId: AUTHORIZATION_ID }
const kept = { type: 'ChallengeReserved', data: { accountId: ACCOUNT, resId: RES_ID, ...keep } } as const
const plain = { ...transferData, network: 'base', asset: 'usdc_base', amount: '1000000' }
const own = { ...plain, from: signed.from, to: PAY_TO, authorization: signed.nonce }

test('N-42 a challenge is kept for one authorization, and another payment does not take it away', (t) => {
  given(t, challenge, set).when('reserve', keep).yields(kept)
  given(t, challenge, set, kept).when('reserve', keep).yieldsNothing()
  given(t, challenge, set, kept)
    .when('reserve', { ...keep, authorizationId: 'another' })
    .isRefused('already-paid')
  given(t, challenge, set, kept)
    .when('settle', { ...place, transfer: plain })
    .isRefused('already-paid')
  t.is(challenge.decide.settle(fold(challenge, [set, kept]), { ...place, transfer: own }, NOW).length, 1)
})

test('J-DOOR-06 a payment is looked at again at the depth that was agreed for it', (t) => {
  const detected = { accountId: ACCOUNT, resId: RES_ID, ...place, transfer: own, confirmations: 1, required: 3 }
  given(t, challenge, set, kept)
    .when('detect', { ...place, transfer: own, confirmations: 1, required: 3 })
    .yields({ type: 'PaymentDetected', data: detected })
})

test('N-42 a challenge that a payment was seen for, or that has expired, is kept for nobody', (t) => {
  const seen = { accountId: ACCOUNT, resId: RES_ID, ...place, transfer: plain, confirmations: 1, required: 6 }
  given(t, challenge, set, { type: 'PaymentDetected', data: seen }).when('reserve', keep).isRefused('already-paid')
  given(t, challenge, set).when('reserve', keep, '2026-03-02T11:00:00.001Z').isRefused('challenge-expired')
})

test('N-42 what was signed in time pays its challenge, however late the block and however low', (t) => {
  const late = { ...own, minedAt: '2026-03-03T10:00:00.000Z', height: 1 }
  t.is(challenge.decide.settle(fold(challenge, [set, kept]), { ...place, transfer: late }, NOW).length, 1)
  given(t, challenge, set)
    .when('settle', { ...place, transfer: { ...late, height: 105 } })
    .isRefused('challenge-expired')
})

test('N-42 a challenge whose authorization has failed is free again', (t) => {
  const free = { type: 'ChallengeReleased', data: kept.data } as const
  given(t, challenge, set, kept).when('release', keep).yields(free)
  given(t, challenge, set, kept, free).when('release', keep).yieldsNothing()
  given(t, challenge, set, kept)
    .when('release', { ...keep, authorizationId: 'another' })
    .yieldsNothing()
  t.is(challenge.decide.settle(fold(challenge, [set, kept, free]), { ...place, transfer: plain }, NOW).length, 1)
})
