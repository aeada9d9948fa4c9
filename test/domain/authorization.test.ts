import test from 'ava'
import { type AuthorizationState, authorization, billedForGas } from '../../domain/gasless/authorization.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { given } from '../support/given.ts'
import { ACCOUNT, accepted, RES_ID, signed } from './samples.ts'

/** A signed payment after it has settled: in another transaction, in none, and what its gas is billed at. */

const whose = { accountId: ACCOUNT, resId: RES_ID, challengeId: accepted.challengeId, payer: signed.from }
const carried = { transferId: 'base:0x1:3', tx: '0x1' }
const elsewhere = { transferId: 'base:0x2:0', tx: '0x2' }
const taken = { type: 'AuthorizationAccepted', data: accepted } as const
const settled = { type: 'AuthorizationSettled', data: { ...whose, ...carried } } as const
const moved = { type: 'AuthorizationSettled', data: { ...whose, ...elsewhere } } as const
const failed = { type: 'AuthorizationFailed', data: { ...whose, reason: 'funds' } } as const
const gas = (gasUsd: string, billedUsd: string) =>
  ({ type: 'AuthorizationGasSpent', data: { ...whose, ...carried, gasUsd, billedUsd } }) as const
const reason = 'reorganised' as const
const reversed = (billedUsd?: string) => {
  const data = { ...whose, ...carried, reason }
  return { type: 'AuthorizationReversed', data: billedUsd === undefined ? data : { ...data, billedUsd } } as const
}
const known = (state: AuthorizationState) => (state.status === 'none' ? undefined : state)

test('N-24 an authorization moves to another transaction from the one that it has settled in, and from no other', (t) => {
  const move = { from: '0x1', ...elsewhere }
  given(t, authorization, taken, settled).when('move', move).yields(moved)
  given(t, authorization, taken, settled, moved).when('move', move).yieldsNothing()
  given(t, authorization, taken, settled)
    .when('move', { ...move, from: '0x9' })
    .yieldsNothing()
  given(t, authorization, taken).when('move', move).yieldsNothing()
  given(t, authorization).when('move', move).isRefused('authorization-unknown')
  given(t, authorization, taken, settled, moved)
    .when('reverse', { ...elsewhere, reason })
    .yields({ type: 'AuthorizationReversed', data: { ...whose, ...elsewhere, reason } })
})

test('N-24 an authorization whose payment is gone has failed, and tells what its gas was billed at', (t) => {
  const reverse = { ...carried, reason }
  given(t, authorization, taken, settled).when('reverse', reverse).yields(reversed())
  given(t, authorization, taken, settled, gas('100000', '121000')).when('reverse', reverse).yields(reversed('121000'))
  // Of a transaction that it has not settled in, or no longer, nothing is taken back.
  given(t, authorization, taken, settled)
    .when('reverse', { ...reverse, ...elsewhere })
    .yieldsNothing()
  given(t, authorization, taken, settled, reversed()).when('reverse', reverse).yieldsNothing()
  given(t, authorization, taken).when('reverse', reverse).yieldsNothing()
  given(t, authorization).when('reverse', reverse).isRefused('authorization-unknown')
})

test('an authorization says how it stands, and why it has failed', (t) => {
  const at = (...history: Parameters<typeof fold<typeof authorization>>[1]) =>
    known(fold(authorization, [taken, ...history]))
  t.like(at(), { status: 'accepted', tx: undefined, reason: undefined, gasUsd: undefined, redeemed: false })
  t.like(at(settled), { status: 'settled', tx: '0x1', reason: undefined })
  t.like(at(settled, moved), { status: 'settled', tx: '0x2' })
  t.like(at(settled, gas('7', '8')), { status: 'settled', gasUsd: '7' })
  t.like(at(settled, reversed()), { status: 'failed', reason })
  t.like(at(failed), { status: 'failed', reason: 'funds' })
})

test('Q-12 gas that costs less than what was offered is billed as it is, to the last millionth', (t) => {
  const billedAt = (gasFeeMax: string) => {
    const offered = { ...taken, data: { ...accepted, gasFeeMax } }
    const [event] = authorization.decide.spendGas(fold(authorization, [offered]), { ...carried, gasUsd: '100000' }, '')
    return event?.type === 'AuthorizationGasSpent' ? billedForGas(event.data) : 'nothing'
  }
  t.is(billedAt('200000'), '121000')
  t.is(billedAt('121001'), '121000')
  t.is(billedAt('120999'), '120999')
})
