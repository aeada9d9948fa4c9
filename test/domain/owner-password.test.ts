import test from 'ava'
import { account } from '../../domain/account/account.ts'
import { maskedAddress } from '../../domain/account/members/masked-address.ts'
import {
  afterProof,
  afterReset,
  type OwnerPassword,
  provesFrom,
  provingHash,
} from '../../domain/account/owner-password.ts'
import { given } from '../support/given.ts'

const at = (time: string, day = '03') => `2026-03-${day}T${time}.000Z`
const first: OwnerPassword = { passwordHash: 'first', former: undefined }
const reset = (state: OwnerPassword, passwordHash: string, resetAt: string) =>
  afterReset(state, { passwordHash, resetAt })

test('N-78 a password that the key alone has set proves the owner a day later, and the one before it until then', (t) => {
  const changed = reset(first, 'second', at('09:00:00'))
  t.is(provingHash(changed, at('09:00:00')), 'first')
  t.is(provingHash(changed, at('08:59:59', '04')), 'first')
  t.is(provingHash(changed, at('09:00:00', '04')), 'second')
  t.deepEqual(
    [at('09:00:00'), at('09:00:00', '04')].map((now) => provesFrom(changed, now)),
    [at('09:00:00', '04'), undefined],
  )
})

test('N-78 however often the key sets another password, the last that was proven goes on to count', (t) => {
  let state = first
  for (const [n, hour] of ['09', '15', '21'].entries()) state = reset(state, `stolen ${n}`, at(`${hour}:00:00`))
  t.is(provingHash(state, at('20:59:59', '04')), 'first')
  t.is(provingHash(state, at('21:00:00', '04')), 'stolen 2')
  const later = reset(state, 'another', at('21:00:00', '04'))
  t.is(provingHash(later, at('21:00:01', '04')), 'stolen 2', 'a day without a word has proven it')
})

test('N-78 a password that was set with the one before it counts at once, as do those of older logs', (t) => {
  const proven = afterReset(reset(first, 'stolen', at('09:00:00')), {
    passwordHash: 'own',
    proven: true,
    resetAt: at('10:00:00'),
  })
  t.deepEqual(proven, { passwordHash: 'own', former: undefined })
  t.is(provingHash(afterReset(first, { passwordHash: 'old log' }), at('09:00:00')), 'old log')
})

test('N-78 whoever proves the owner by the password before it has that one again', (t) => {
  const changed = reset(first, 'stolen', at('09:00:00'))
  t.deepEqual(afterProof(changed, at('10:00:00')), first)
  t.deepEqual(afterProof(changed, at('10:00:00', '04')), { passwordHash: 'stolen', former: undefined })
  t.is(afterProof(first, at('10:00:00')), first)
})

const key = (keyId: string) => ({ keyId, keyHash: `hash of ${keyId}`, hint: `sk_live_…${keyId}` })
const signedUp = [
  {
    type: 'AccountSignedUp',
    data: {
      email: 'v1.acc_1.iv.box',
      emailFingerprint: 'fp',
      passwordHash: 'first',
      primaryWallet: null,
      termsAgreed: 'explicit',
    },
  },
  { type: 'ApiKeyIssued', data: { ...key('k1'), kind: 'owner' } },
  { type: 'AccountActivated', data: { emailFingerprint: 'fp' } },
] as const
const stolen = { type: 'PasswordReset', data: { passwordHash: 'stolen', resetAt: at('09:00:00') } } as const
const rotated = (cause: 'owner' | 'operator') =>
  ({
    type: 'OwnerKeyRotated',
    data: {
      ...key('k2'),
      cause,
      replacedKeyId: 'k1',
      replacedUntil: at('10:00:00'),
      rotatedAt: at('10:00:00'),
    },
  }) as const

test('N-78 the account takes a proof by the hash that counts when it decides, and by no other', (t) => {
  const own = { passwordHash: 'own' }
  const event = (resetAt: string) => ({ type: 'PasswordReset', data: { ...own, proven: true, resetAt } }) as const
  const waiting = given(t, account, ...signedUp, stolen)
  waiting.when('resetPassword', { ...own, proven: 'first' }, at('10:00:00')).yields(event(at('10:00:00')))
  waiting.when('resetPassword', { ...own, proven: 'stolen' }, at('10:00:00')).isRefused('credentials-wrong')
  waiting.when('resetPassword', { ...own, proven: 'first' }, at('10:00:00', '04')).isRefused('credentials-wrong')
  // A key that its owner replaced with the password before it brings that one back; an operator's brings none.
  given(t, account, ...signedUp, stolen, rotated('owner'))
    .when('resetPassword', { ...own, proven: 'first' }, at('11:00:00', '05'))
    .yields(event(at('11:00:00', '05')))
  given(t, account, ...signedUp, stolen, rotated('operator'))
    .when('resetPassword', { ...own, proven: 'stolen' }, at('11:00:00', '05'))
    .yields(event(at('11:00:00', '05')))
})

test('N-78 an address that somebody else is told of can be known by its owner, and not be written to', (t) => {
  t.is(maskedAddress('ada@shop.example'), 'a…@shop.example')
  t.is(maskedAddress('"a@b"@shop.example'), '"…@shop.example')
  t.is(maskedAddress('🐎@x.test'), '🐎…@x.test')
  t.is(maskedAddress('nothing'), '…')
})
