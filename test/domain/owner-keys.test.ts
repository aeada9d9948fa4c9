import test from 'ava'
import { account } from '../../domain/account/account.ts'
import { given } from '../support/given.ts'

const at = (time: string) => `2026-03-03T${time}.000Z`
const key = (keyId: string) => ({ keyId, keyHash: `hash of ${keyId}`, hint: `sk_live_…${keyId}` })
const signUp = {
  email: 'v1.acc_1.iv.box',
  emailFingerprint: 'fp',
  passwordHash: '$argon2id$x',
  primaryWallet: null,
  termsAgreed: 'explicit',
} as const
const active = [
  { type: 'AccountSignedUp', data: signUp },
  { type: 'ApiKeyIssued', data: { ...key('k1'), kind: 'owner' } },
  { type: 'AccountActivated', data: { emailFingerprint: 'fp' } },
] as const
const rotated = (keyId: string, data: { replacedKeyId: string; replacedUntil: string; rotatedAt: string }) =>
  ({ type: 'OwnerKeyRotated', data: { ...key(keyId), cause: 'owner', ...data } }) as const
const toK2 = rotated('k2', { replacedKeyId: 'k1', replacedUntil: at('10:00:00'), rotatedAt: at('09:00:00') })
const asked = {
  type: 'KeyRecoveryRequested',
  data: { tokenHash: 'right', expiresAt: at('10:00:00'), letter: 'v1.acc_1.iv.letter', requestedAt: at('09:00:00') },
} as const
const suspended = {
  type: 'AccountSuspended',
  data: { by: 'Ada', reason: 'Nothing is delivered.', suspendedAt: at('08:00:00') },
} as const
const byOwner = { cause: 'owner', keepsOld: true, usedKeyId: 'k1' } as const
const recovery = { tokenHash: 'right', key: key('k9'), network: 'v1.acc_1.iv.net' } as const

test('a replaced owner key is good for an hour or ends at once, as its owner asks', (t) => {
  const rotate = given(t, account, ...active)
  rotate.when('rotateKey', { ...byOwner, key: key('k2') }, at('09:00:00')).yields(toK2)
  const none = { replacedKeyId: 'k1', replacedUntil: at('09:00:00'), rotatedAt: at('09:00:00') }
  rotate.when('rotateKey', { ...byOwner, keepsOld: false, key: key('k2') }, at('09:00:00')).yields(rotated('k2', none))
  given(t, account, ...active, toK2)
    .when('rotateKey', { ...byOwner, key: key('k2') }, at('09:00:01'))
    .yieldsNothing()
  given(t, account)
    .when('rotateKey', { ...byOwner, key: key('k2') })
    .isRefused('not-found')
})

test('no more than two owner keys are good at a time, and a replaced one replaces none', (t) => {
  const rotate = given(t, account, ...active, toK2)
  rotate.when('rotateKey', { ...byOwner, key: key('k3') }, at('09:30:00')).isRefused('forbidden')
  const next = { replacedKeyId: 'k2', replacedUntil: at('10:30:00'), rotatedAt: at('09:30:00') }
  const { type, data } = rotated('k3', next)
  rotate
    .when('rotateKey', { ...byOwner, usedKeyId: 'k2', key: key('k3') }, at('09:30:00'))
    .yields({ type, data: { ...data, endedKeyId: 'k1' } })
})

test('a recovery link gives one key, within its hour, and none after a newer letter, a rotation or another address', (t) => {
  const ended = { replacedKeyId: 'k1', replacedUntil: at('10:00:00'), rotatedAt: at('10:00:00') }
  const done = {
    type: 'OwnerKeyRotated',
    data: { ...key('k9'), cause: 'recovery', network: recovery.network, ...ended },
  }
  const follow = given(t, account, ...active, asked)
  follow.when('recoverKey', recovery, at('10:00:00')).yields(done as never)
  follow.when('recoverKey', recovery, '2026-03-03T10:00:00.001Z').isRefused('verification-link-invalid')
  follow.when('recoverKey', { ...recovery, tokenHash: 'wrong' }).isRefused('verification-link-invalid')
  const over = [
    done as never,
    { ...asked, data: { ...asked.data, tokenHash: 'newer' } },
    toK2,
    { type: 'EmailChanged', data: { email: 'v1.acc_1.iv.new', emailFingerprint: 'new', former: 'fp' } },
  ] as const
  for (const event of over)
    given(t, account, ...active, asked, event)
      .when('recoverKey', recovery, at('09:30:00'))
      .isRefused('verification-link-invalid')
  given(t, account, ...active)
    .when('recoverKey', recovery)
    .isRefused('verification-link-invalid')
  given(t, account).when('recoverKey', recovery).isRefused('not-found')
})

test('an account is sent three recovery letters an hour, whoever asks for them', (t) => {
  const { requestedAt: _, ...letter } = asked.data
  const full = given(t, account, ...active, asked, asked, asked)
  full.when('requestRecovery', letter, at('09:59:59')).isRefused('busy')
  full
    .when('requestRecovery', letter, at('10:00:00'))
    .yields({ ...asked, data: { ...letter, requestedAt: at('10:00:00') } })
})

test('a suspended account gets a new key from an operator alone, until it is open again', (t) => {
  const [suspend, reinstate] = [
    { by: 'Ada', reason: 'Nothing is delivered.' },
    { by: 'Ada', reason: 'It was explained.' },
  ]
  given(t, account, ...active)
    .when('suspend', suspend, at('08:00:00'))
    .yields(suspended)
  given(t, account, ...active)
    .when('reinstate', reinstate)
    .yieldsNothing()
  const stopped = given(t, account, ...active, asked, suspended)
  stopped.when('suspend', suspend).yieldsNothing()
  stopped.when('rotateKey', { ...byOwner, key: key('k2') }).isRefused('account-suspended')
  stopped.when('recoverKey', recovery, at('09:30:00')).isRefused('account-suspended')
  const ended = { replacedKeyId: 'k1', replacedUntil: at('09:00:00'), rotatedAt: at('09:00:00') }
  const { type, data } = rotated('k2', ended)
  stopped
    .when('rotateKey', { cause: 'operator', keepsOld: false, ...suspend, key: key('k2') }, at('09:00:00'))
    .yields({ type, data: { ...data, cause: 'operator', ...suspend } })
  const opened = { type: 'AccountReinstated', data: { ...reinstate, reinstatedAt: at('09:00:00') } } as const
  stopped.when('reinstate', reinstate, at('09:00:00')).yields(opened)
  given(t, account, ...active, suspended, opened)
    .when('rotateKey', { ...byOwner, key: key('k2') }, at('09:00:00'))
    .yields(toK2)
})

test('N-164 an operator signs everybody of an account out, and of none that is not there', (t) => {
  const act = { by: 'Ada', reason: 'A laptop was stolen.' }
  given(t, account, ...active)
    .when('endSessions', act, at('09:00:00'))
    .yields({ type: 'AccountSessionsEnded', data: { ...act, endedAt: at('09:00:00') } })
  given(t, account).when('endSessions', act).isRefused('not-found')
})
