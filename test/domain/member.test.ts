import test from 'ava'
import { member, ownerMemberId } from '../../domain/account/members/member.ts'
import { given } from '../support/given.ts'

/** A person of a seller's account, and their second factors. */

const at = (time: string) => `2026-03-03T${time}.000Z`
const NOW = at('09:00:00')
const joined = { type: 'MemberJoined', data: { accountId: 'acc_1', role: 'owner', joinedAt: NOW } } as const
const key = (credentialId: string) => ({ credentialId, publicKey: 'k', transports: [], label: 'v1.acc_1.iv.l' })
const added = (id: string) => ({ type: 'MemberPasskeyAdded', data: { accountId: 'acc_1', ...key(id) } }) as const
const totp = { type: 'MemberTotpEnrolled', data: { accountId: 'acc_1', secret: 'v1.acc_1.iv.s' } } as const
const codes = { type: 'MemberRecoveryCodesIssued', data: { accountId: 'acc_1', hashes: ['a', 'b'] } } as const
const none = { type: 'MemberRecoveryCodesIssued', data: { accountId: 'acc_1', hashes: [] } } as const
const asked = (codeHash: string, requestedAt: string) =>
  ({
    type: 'MemberCodeRequested',
    data: { accountId: 'acc_1', codeHash, expiresAt: at('10:00:00'), letter: 'v1.acc_1.iv.l', requestedAt },
  }) as const

test('N-82 the first person of an account joins it once, under a name that comes from the account', (t) => {
  t.is(ownerMemberId('acc_mzxk'), 'mem_mzxk')
  const join = { accountId: 'acc_1', role: 'owner' } as const
  given(t, member).when('join', join, NOW).yields(joined)
  given(t, member, joined).when('join', join, at('10:00:00')).yieldsNothing()
  given(t, member, joined)
    .when('join', { ...join, accountId: 'acc_2' }, NOW)
    .isRefused('id-taken')
})

test('N-82 with the last second factor of a member the recovery codes go, and not before', (t) => {
  const both = given(t, member, joined, added('c1'), totp, codes)
  both.when('removeTotp', {}).yields({ type: 'MemberTotpRemoved', data: { accountId: 'acc_1' } })
  both
    .when('removePasskey', { credentialId: 'c1' })
    .yields({ type: 'MemberPasskeyRemoved', data: { accountId: 'acc_1', credentialId: 'c1' } })
  given(t, member, joined, totp, codes)
    .when('removeTotp', {})
    .yields({ type: 'MemberTotpRemoved', data: { accountId: 'acc_1' } }, none)
  given(t, member, joined, added('c1'), codes)
    .when('removePasskey', { credentialId: 'c1' })
    .yields({ type: 'MemberPasskeyRemoved', data: { accountId: 'acc_1', credentialId: 'c1' } }, none)
  given(t, member, joined, totp).when('removePasskey', { credentialId: 'c1' }).yieldsNothing()
  given(t, member, joined).when('removeTotp', {}).yieldsNothing()
})

test('N-82 a member has at most twenty passkeys, each once', (t) => {
  given(t, member, joined, added('c1')).when('addPasskey', key('c1')).yieldsNothing()
  const keys = Array.from({ length: 20 }, (_, i) => added(`c${i}`))
  given(t, member, joined, ...keys.slice(1))
    .when('addPasskey', key('c0'))
    .yields(added('c0'))
  given(t, member, joined, ...keys)
    .when('addPasskey', key('c20'))
    .isRefused('invalid-request')
})

test('N-82 a recovery code counts once, and nobody is given more than ten', (t) => {
  const used = { type: 'MemberRecoveryCodeUsed', data: { accountId: 'acc_1', hash: 'a' } } as const
  given(t, member, joined, totp, codes).when('useRecoveryCode', { hash: 'a' }).yields(used)
  given(t, member, joined, totp, codes, used).when('useRecoveryCode', { hash: 'a' }).isRefused('mfa-code-wrong')
  const hashes = Array.from({ length: 11 }, (_, i) => `h${i}`)
  given(t, member, joined, totp).when('issueRecoveryCodes', { hashes }).isRefused('invalid-request')
})

test('N-82 the newest mailed code counts, once and in time, and three are mailed in an hour', (t) => {
  const two = given(t, member, joined, asked('one', at('09:00:00')), asked('two', at('09:01:00')))
  two.when('useMailedCode', { codeHash: 'one' }, at('09:02:00')).isRefused('mfa-code-wrong')
  two.when('useMailedCode', { codeHash: 'two' }, at('10:00:00')).isRefused('mfa-code-wrong')
  const used = { type: 'MemberCodeUsed', data: { accountId: 'acc_1', codeHash: 'two' } } as const
  two.when('useMailedCode', { codeHash: 'two' }, at('09:02:00')).yields(used)
  given(t, member, joined, asked('two', NOW), used)
    .when('useMailedCode', { codeHash: 'two' }, at('09:02:00'))
    .isRefused('mfa-code-wrong')
  const letter = { codeHash: 'four', expiresAt: at('10:00:00'), letter: 'v1.acc_1.iv.l' }
  const three = given(t, member, joined, ...['00', '01', '02'].map((m) => asked(m, at(`09:${m}:00`))))
  three.when('requestCode', letter, at('09:59:59')).isRefused('rate-limited')
  three.when('requestCode', letter, at('10:00:00')).yields(asked('four', at('10:00:00')))
})

test('N-82 nobody changes anything who never joined', (t) => {
  for (const [command, data] of [
    ['enrolTotp', { secret: 's' }],
    ['addPasskey', key('c1')],
    ['requestCode', { codeHash: 'c', expiresAt: NOW, letter: 'l' }],
  ] as const)
    given(t, member)
      .when(command, data as never)
      .isRefused('not-found')
})
