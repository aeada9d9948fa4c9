import test from 'ava'
import { fold } from '../../domain/kernel/decider.ts'
import { carriedOut } from '../../domain/selling/authorization-terms.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import { given, NOW } from '../support/given.ts'
import { AUTHORIZATION_ID, entry, opened, PAY_TO, SET_ID, signed, transferData } from './samples.ts'

/** A challenge that was paid by a signature: who may still have it, and which transfers are the same payment. */

const usdc = { ...entry, asset: 'usdc_base', network: 'base', amount: '1000000', contract: signed.contract }
const set = { type: 'ChallengeOpened', data: { ...opened, entries: [usdc] } } as const
const place = { challengeId: `${SET_ID}.usdc_base`, asset: 'usdc_base' }
const plain = { ...transferData, network: 'base', asset: 'usdc_base', amount: '1000000' }
const own = { ...plain, from: signed.from, to: PAY_TO, authorization: signed.nonce }
const settledBy = (transfer: typeof plain) => {
  const [settled] = challenge.decide.settle(fold(challenge, [set]), { ...place, transfer }, NOW)
  if (!settled) throw new Error('it does not settle')
  return settled
}
const elsewhere = { tx: `0x${'ef'.repeat(32)}` }

test('N-42 a challenge that has settled is kept for nobody any more', (t) => {
  for (const transfer of [plain, own])
    given(t, challenge, set, settledBy(transfer))
      .when('reserve', { ...place, authorizationId: AUTHORIZATION_ID })
      .isRefused('already-paid')
})

test('N-24 N-42 a settlement moves with its own signature alone: every other payment leaves it where it is', (t) => {
  const paid = given(t, challenge, set, settledBy(own))
  const others = [
    { ...plain, ...elsewhere },
    { ...own, ...elsewhere, authorization: `0x${'77'.repeat(32)}` },
    { ...own, ...elsewhere, from: PAY_TO },
    own,
  ]
  for (const transfer of others) paid.when('settle', { ...place, transfer }).yieldsNothing()
  const state = fold(challenge, [set, settledBy(own)])
  const [moved] = challenge.decide.settle(state, { ...place, transfer: { ...own, ...elsewhere } }, NOW)
  t.is(moved?.type, 'SettlementMoved')
})

test('N-42 a plain transfer has carried out no authorization', (t) => {
  t.is(carriedOut(plain), undefined)
  t.is(carriedOut(own), AUTHORIZATION_ID)
})
