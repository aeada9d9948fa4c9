import test from 'ava'
import { member, ownerMemberId, personMemberId } from '../../domain/account/members/member.ts'
import { fold } from '../../domain/kernel/decider.ts'
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

const person = { email: 'v1.mem_1.iv.e', emailFingerprint: 'f', passwordHash: 'p' }
const registered = { type: 'MemberRegistered', data: { ...person, registeredAt: NOW } } as const
const invited = (accountId: string) =>
  ({ type: 'MemberJoined', data: { accountId, role: 'invited', joinedAt: NOW } }) as const
const left = (accountId: string) => ({ type: 'MemberLeft', data: { accountId, leftAt: NOW } }) as const

test('N-95 a person who owns no account has a password of their own, and the factors of nobody else’s account', (t) => {
  given(t, member).when('register', person, NOW).yields(registered)
  given(t, member, registered, invited('acc_2')).when('register', person, NOW).isRefused('id-taken')
  given(t, member, joined).when('register', person, NOW).isRefused('id-taken')
  const changed = { type: 'MemberPasswordChanged', data: { passwordHash: 'q', changedAt: NOW } } as const
  given(t, member, registered).when('changePassword', { passwordHash: 'q' }, NOW).yields(changed)
  given(t, member, registered).when('changePassword', { passwordHash: 'p' }, NOW).yieldsNothing()
  given(t, member, joined).when('changePassword', { passwordHash: 'q' }, NOW).isRefused('not-found')
  t.like(fold(member, [registered, changed]), { signOuts: 1 })
  const secret = 'v1.mem_1.iv.s'
  given(t, member, registered)
    .when('enrolTotp', { secret }, NOW)
    .yields({ type: 'MemberTotpEnrolled', data: { secret } })
})

test('N-95 whoever left every account may choose a password anew: former factors and sessions are gone', (t) => {
  const enrolled = { type: 'MemberTotpEnrolled', data: { secret: 'v1.mem_1.iv.s' } } as const
  const before = [registered, invited('acc_2'), enrolled, left('acc_2')] as const
  given(t, member, ...before)
    .when('register', { ...person, passwordHash: 'q' }, NOW)
    .yields({ type: 'MemberRegistered', data: { ...person, passwordHash: 'q', registeredAt: NOW } })
  const state = fold(member, [...before, registered])
  t.like(state, { totp: null, signOuts: 1, accounts: [] })
})

test('N-95 a person belongs to at most twenty accounts beside their own, to each once', (t) => {
  const join = (accountId: string) => ({ accountId, role: 'invited' }) as const
  given(t, member).when('join', join('acc_2'), NOW).isRefused('not-found')
  given(t, member, joined).when('join', join('acc_2'), NOW).yields(invited('acc_2'))
  given(t, member, joined).when('join', join('acc_1'), NOW).yieldsNothing()
  given(t, member, joined, invited('acc_2')).when('join', join('acc_2'), NOW).yieldsNothing()
  given(t, member, joined, invited('acc_2')).when('leave', { accountId: 'acc_2' }, NOW).yields(left('acc_2'))
  given(t, member, joined).when('leave', { accountId: 'acc_1' }, NOW).yieldsNothing()
  const full = Array.from({ length: 20 }, (_, i) => invited(`acc_${i + 2}`))
  given(t, member, joined, ...full)
    .when('join', join('acc_99'), NOW)
    .yieldsNothing()
})

test('N-95 the id of a person comes from the keyed hash of their address alone', (t) => {
  const id = personMemberId('0f'.repeat(32))
  t.regex(id, /^mem_[a-z2-7]{26}$/)
  t.is(personMemberId('0f'.repeat(32)), id)
  t.not(personMemberId('0e'.repeat(32)), id)
})

test('N-95 a person who is erased signs in with nothing, and is registered no more; an owner goes with the account', (t) => {
  const erased = { type: 'MemberErased', data: { erasedAt: NOW } } as const
  given(t, member, registered, invited('acc_2')).when('erase', {}, NOW).yields(erased)
  given(t, member, registered, erased).when('erase', {}, NOW).yieldsNothing()
  given(t, member, registered, erased).when('register', person, NOW).isRefused('id-taken')
  given(t, member, joined).when('erase', {}, NOW).isRefused('state-forbids')
  given(t, member).when('erase', {}, NOW).isRefused('not-found')
  t.like(fold(member, [registered, invited('acc_2'), erased]), { own: undefined, accounts: [], signOuts: 1 })
  t.not(personMemberId('0f'.repeat(32), 1), personMemberId('0f'.repeat(32)))
})

test('N-163 an operator takes the second factors of a member away, once, in the books of the account that asked', (t) => {
  const act = { by: 'Ada', reason: 'The phone is lost.', accountId: 'acc_2' }
  const reset = { type: 'MemberFactorsReset', data: { ...act, resetAt: NOW } } as const
  given(t, member, joined, added('c1'), totp, codes).when('resetFactors', act, NOW).yields(reset)
  given(t, member, joined).when('resetFactors', act).yieldsNothing()
  given(t, member, joined, totp, codes, reset).when('resetFactors', act).yieldsNothing()
  given(t, member, joined, totp, codes, reset).when('useRecoveryCode', { hash: 'a' }).isRefused('mfa-code-wrong')
  given(t, member).when('resetFactors', act).isRefused('not-found')
  given(t, member).when('endSessions', act).isRefused('not-found')
})

test('N-164 a member, and everybody of an account, is signed out of what began before', (t) => {
  const act = { by: 'Ada', reason: 'A laptop was stolen.' }
  const ended = { type: 'MemberSessionsEnded', data: { ...act, accountId: 'acc_1', endedAt: NOW } } as const
  given(t, member, joined)
    .when('endSessions', { ...act, accountId: 'acc_1' }, NOW)
    .yields(ended)
  const [before, after] = [fold(member, [joined]), fold(member, [joined, ended])]
  t.like(after, { signOuts: before.status === 'none' ? -1 : before.signOuts + 1 })
})
