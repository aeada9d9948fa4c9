import test from 'ava'
import { email } from '../../domain/account/email.ts'
import type { EventsOf } from '../../domain/kernel/decider.ts'
import { releaseEmail } from '../../domain/reactions/policies/account.ts'
import { user } from '../../domain/signin/user.ts'
import type { LinkPurpose, MailedLink, UserEvents } from '../../domain/signin/user-events.ts'
import { given } from '../support/given.ts'
import { ledgerOn, newStore, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** A person who signs in: what is allowed, what is refused, and what stays quiet when it comes again. */

type Event = EventsOf<typeof user>

const NOW = '2026-03-02T10:00:00.000Z'
const address = (name: string) => ({ email: `v1.usr_a.iv.${name}`, emailFingerprint: name })
const link = (purpose: LinkPurpose, name: string = purpose, to?: string): MailedLink => ({
  purpose,
  tokenHash: name,
  expiresAt: '2026-03-02T11:00:00.000Z',
  letter: 'v1.usr_a.iv.l',
  ...(to !== undefined && { address: address(to) }),
})
const registered: Event = {
  type: 'UserRegistered',
  data: { ...address('old'), passwordHash: 'p', profile: 'v1.usr_a.iv.p' },
}
const asked = (purpose: LinkPurpose, name: string = purpose, to?: string, requestedAt = NOW): Event => ({
  type: 'UserLinkRequested',
  data: { ...link(purpose, name, to), requestedAt },
})
const unverified = [registered, asked('verify-email')]
const verified: Event[] = [...unverified, { type: 'UserEmailVerified', data: { emailFingerprint: 'old' } }]
const key = (credentialId: string) => ({
  credentialId,
  publicKey: 'k',
  transports: ['internal'],
  label: 'v1.usr_a.iv.l',
})
const added = (credentialId: string): Event => ({ type: 'PasskeyAdded', data: key(credentialId) })
const INVALID = 'verification-link-invalid'
const totp: Event = { type: 'TotpEnrolled', data: { secret: 'v1.usr_a.iv.s' } }
const codes: Event = { type: 'RecoveryCodesIssued', data: { hashes: ['a', 'b'] } }
const noCodes: Event = { type: 'RecoveryCodesIssued', data: { hashes: [] } }
const erased: Event = { type: 'UserErased', data: { erasedAt: NOW } }

test('N-59 an address is proven by the newest link, in time, and following it again changes nothing', (t) => {
  const follow = { tokenHash: 'verify-email' }
  given(t, user, ...unverified)
    .when('verifyEmail', follow)
    .yields({ type: 'UserEmailVerified', data: { emailFingerprint: 'old' } })
  given(t, user, ...verified)
    .when('verifyEmail', follow)
    .yieldsNothing()
  given(t, user, ...unverified)
    .when('verifyEmail', { tokenHash: 'x' })
    .isRefused(INVALID)
  given(t, user, ...unverified)
    .when('verifyEmail', follow, '2026-03-02T11:00:00.000Z')
    .isRefused(INVALID)
  given(t, user, ...unverified, asked('verify-email', 'newer'))
    .when('verifyEmail', follow)
    .isRefused(INVALID)
  given(t, user, ...unverified, asked('reset-password'))
    .when('verifyEmail', { tokenHash: 'reset-password' })
    .isRefused(INVALID)
})

test('N-59 of each purpose three letters go out in an hour', (t) => {
  const more = [asked('reset-password', 'r1'), asked('reset-password', 'r2')]
  const third = link('reset-password', 'r3')
  given(t, user, ...verified, ...more)
    .when('requestLink', third)
    .yields({ type: 'UserLinkRequested', data: { ...third, requestedAt: NOW } })
  const all = [...verified, ...more, asked('reset-password', 'r3')]
  given(t, user, ...all)
    .when('requestLink', third)
    .isRefused('rate-limited')
  given(t, user, ...all)
    .when('requestLink', link('enrol'))
    .yields(asked('enrol'))
  given(t, user, ...all)
    .when('requestLink', third, '2026-03-02T11:00:00.000Z')
    .yields(asked('reset-password', 'r3', undefined, '2026-03-02T11:00:00.000Z'))
})

test('N-59 a new password by letter proves the address too, ends its link, and any new password ends that link', (t) => {
  const reset = { tokenHash: 'reset-password', passwordHash: 'q' }
  const set: Event = { type: 'UserPasswordSet', data: { passwordHash: 'q', by: 'reset' } }
  given(t, user, ...unverified, asked('reset-password'))
    .when('resetPassword', reset)
    .yields(set, verified[2] as Event)
  given(t, user, ...verified, asked('reset-password'))
    .when('resetPassword', reset)
    .yields(set)
  given(t, user, ...verified, asked('reset-password'), set)
    .when('resetPassword', reset)
    .isRefused(INVALID)
  const byUser: Event = { type: 'UserPasswordSet', data: { passwordHash: 'q', by: 'user' } }
  given(t, user, ...verified)
    .when('setPassword', { passwordHash: 'q' })
    .yields(byUser)
  given(t, user, ...verified, asked('reset-password'), byUser)
    .when('resetPassword', reset)
    .isRefused(INVALID)
})

test('N-59 a password that has changed meanwhile is not put back by a newer hash of the old one', (t) => {
  const rehash = { from: 'p', passwordHash: 'p2' }
  given(t, user, ...verified)
    .when('rehashPassword', rehash)
    .yields({ type: 'UserPasswordSet', data: { passwordHash: 'p2', by: 'rehash' } })
  const set: Event = { type: 'UserPasswordSet', data: { passwordHash: 'q', by: 'user' } }
  given(t, user, ...verified, set)
    .when('rehashPassword', rehash)
    .yieldsNothing()
})

const change = [...verified, asked('change-email', 'n', 'new'), asked('confirm-change', 'o', 'new')]
const followed = (purpose: LinkPurpose): Event => ({ type: 'UserLinkFollowed', data: { purpose } })
const changed: UserEvents['UserEmailChanged'] = { ...address('new'), former: 'old', formerEmail: address('old').email }

test('N-59 an address changes with the second of two links, in any order, and never with one alone', (t) => {
  const both = { atNew: link('change-email', 'n', 'new'), atPresent: link('confirm-change', 'o', 'new') }
  given(t, user, ...verified)
    .when('requestEmailChange', both)
    .yields(...change.slice(3))
  given(t, user, ...verified)
    .when('requestLink', both.atNew)
    .isRefused('invalid-request')
  given(t, user, ...change)
    .when('confirmEmailChange', { tokenHash: 'n' })
    .yields(followed('change-email'))
  given(t, user, ...change)
    .when('confirmEmailChange', { tokenHash: 'o' })
    .yields(followed('confirm-change'))
  for (const [first, second] of [
    ['change-email', 'o'],
    ['confirm-change', 'n'],
  ] as const)
    given(t, user, ...change, followed(first))
      .when('confirmEmailChange', { tokenHash: second })
      .yields({ type: 'UserEmailChanged', data: changed })
  given(t, user, ...change, followed('change-email'))
    .when('confirmEmailChange', { tokenHash: 'n' })
    .isRefused(INVALID)
  const done: Event[] = [
    ...change,
    asked('reset-password'),
    followed('change-email'),
    { type: 'UserEmailChanged', data: changed },
  ]
  given(t, user, ...done)
    .when('confirmEmailChange', { tokenHash: 'o' })
    .isRefused(INVALID)
  given(t, user, ...done)
    .when('resetPassword', { tokenHash: 'reset-password', passwordHash: 'q' })
    .isRefused(INVALID)
})

test('N-59 the former address can be used by somebody else', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const ledger = ledgerOn(store, world)
  const { passwordHash, profile } = registered.data as UserEvents['UserRegistered']
  await ledger.email.claim('old', { accountId: 'usr_a' })
  await ledger.user.register('usr_a', { ...address('old'), passwordHash, profile, verification: null })
  await ledger.user.requestEmailChange('usr_a', {
    atNew: link('change-email', 'n', 'new'),
    atPresent: link('confirm-change', 'o', 'new'),
  })
  for (const tokenHash of ['n', 'o']) await ledger.user.confirmEmailChange('usr_a', { tokenHash })
  for (let n = 0; n < 2; n++) await runPolicies(store, ledger, world, [releaseEmail])
  t.deepEqual(await ledger.email.read('old'), email.initial)
})

test('X-MFA-01 a mailed code is used once and in time, and so is a recovery code', (t) => {
  const used = followed('enrol')
  given(t, user, ...verified, asked('enrol'))
    .when('useMailedCode', { tokenHash: 'enrol' })
    .yields(used)
  given(t, user, ...verified, asked('enrol'), used)
    .when('useMailedCode', { tokenHash: 'enrol' })
    .isRefused('mfa-code-wrong')
  given(t, user, ...verified, asked('enrol'))
    .when('useMailedCode', { tokenHash: 'x' })
    .isRefused('mfa-code-wrong')
  given(t, user, ...verified, asked('enrol'))
    .when('useMailedCode', { tokenHash: 'enrol' }, '2026-03-02T11:00:00.000Z')
    .isRefused('mfa-code-wrong')
  const code: Event = { type: 'RecoveryCodeUsed', data: { hash: 'a' } }
  given(t, user, ...verified, totp, codes)
    .when('useRecoveryCode', { hash: 'a' })
    .yields(code)
  given(t, user, ...verified, totp, codes, code)
    .when('useRecoveryCode', { hash: 'a' })
    .isRefused('mfa-code-wrong')
  given(t, user, ...verified, totp, codes)
    .when('issueRecoveryCodes', { hashes: Array(11).fill('x') })
    .isRefused('invalid-request')
})

test('X-MFA-01 second factors are added once and removed once, and the last one takes the recovery codes along', (t) => {
  given(t, user, ...verified)
    .when('addPasskey', key('1'))
    .yields(added('1'))
  given(t, user, ...verified, added('1'))
    .when('addPasskey', key('1'))
    .yieldsNothing()
  const twenty = Array.from({ length: 20 }, (_, n) => added(`${n}`))
  given(t, user, ...verified, ...twenty)
    .when('addPasskey', key('20'))
    .isRefused('invalid-request')
  const gone: Event = { type: 'PasskeyRemoved', data: { credentialId: '1' } }
  given(t, user, ...verified, added('1'), codes)
    .when('removePasskey', { credentialId: '1' })
    .yields(gone, noCodes)
  given(t, user, ...verified, added('1'), added('2'), codes)
    .when('removePasskey', { credentialId: '1' })
    .yields(gone)
  given(t, user, ...verified, added('1'), totp)
    .when('removePasskey', { credentialId: '1' })
    .yields(gone)
  given(t, user, ...verified)
    .when('removePasskey', { credentialId: '1' })
    .yieldsNothing()
  const removed: Event = { type: 'TotpRemoved', data: {} }
  given(t, user, ...verified, totp, codes)
    .when('removeTotp', {})
    .yields(removed, noCodes)
  given(t, user, ...verified, totp, added('1'))
    .when('removeTotp', {})
    .yields(removed)
  given(t, user, ...verified)
    .when('removeTotp', {})
    .yieldsNothing()
})

test('N-59 an erased user stays erased, and nothing can be done with them', (t) => {
  given(t, user, ...verified)
    .when('erase', {})
    .yields(erased)
  given(t, user, ...verified, erased)
    .when('erase', {})
    .yieldsNothing()
  for (const command of ['setPassword', 'enrolTotp', 'setProfile', 'removeTotp', 'requestLink'] as const)
    given(t, user, ...verified, erased)
      .when(command, link('enrol') as never)
      .isRefused('not-found')
  given(t, user, ...verified)
    .when('register', { ...(registered.data as UserEvents['UserRegistered']), verification: null })
    .isRefused('id-taken')
})

test('N-162 an operator suspends a user once, lifts it once, and neither of somebody who is gone', (t) => {
  const act = { by: 'Ada', reason: 'Stolen cards.' }
  const suspended: Event = { type: 'UserSuspended', data: { ...act, suspendedAt: NOW } }
  const open = given(t, user, ...verified)
  open.when('suspend', act, NOW).yields(suspended)
  open.when('reinstate', act).yieldsNothing()
  const stopped = given(t, user, ...verified, suspended)
  stopped.when('suspend', { ...act, reason: 'Again.' }).yieldsNothing()
  stopped.when('reinstate', act, NOW).yields({ type: 'UserReinstated', data: { ...act, reinstatedAt: NOW } })
  for (const command of ['suspend', 'reinstate', 'resetFactors', 'endSessions'] as const) {
    given(t, user).when(command, act).isRefused('not-found')
    given(t, user, ...verified, erased)
      .when(command, act)
      .isRefused('not-found')
  }
})

test('N-163 a reset takes every second factor and the recovery codes away, and is quiet where there is none', (t) => {
  const act = { by: 'Ada', reason: 'The phone is lost.' }
  const reset: Event = { type: 'UserFactorsReset', data: { ...act, resetAt: NOW } }
  for (const factors of [[totp], [added('a')], [totp, added('a'), codes]])
    given(t, user, ...verified, ...factors)
      .when('resetFactors', act, NOW)
      .yields(reset)
  given(t, user, ...verified)
    .when('resetFactors', act)
    .yieldsNothing()
  const after = given(t, user, ...verified, totp, added('a'), codes, reset)
  after.when('resetFactors', act).yieldsNothing()
  after.when('useRecoveryCode', { hash: 'a' }).isRefused('mfa-code-wrong')
  after.when('removeTotp', {}).yieldsNothing()
})

test('N-164 an operator who ends sessions is noted each time that some were open', (t) => {
  const act = { by: 'Ada', reason: 'A laptop was stolen.' }
  given(t, user, ...verified)
    .when('endSessions', act, NOW)
    .yields({ type: 'UserSessionsEnded', data: { ...act, endedAt: NOW } })
})
