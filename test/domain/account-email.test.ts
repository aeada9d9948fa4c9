import test from 'ava'
import { type AccountEvents, account, LETTERS_PER_HOUR_MAX } from '../../domain/account/account.ts'
import { email } from '../../domain/account/email.ts'
import { wallet } from '../../domain/account/wallet.ts'
import type { EventsOf } from '../../domain/kernel/decider.ts'
import { releaseEmail } from '../../domain/reactions/policies/account.ts'
import { given } from '../support/given.ts'
import { everything, ledgerOn, newStore, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** The address of an account after its sign-up: asked for, proven, changed and released. */

type Event = EventsOf<typeof account>

const at = (time: string) => `2026-03-03T${time}.000Z`
const LATE = '2026-03-04T10:00:00.000Z'
const address = (name: string) => ({ email: `v1.acc_1.iv.${name}`, emailFingerprint: name })
const letter = (name: string) => ({ tokenHash: `token ${name}`, expiresAt: at('10:00:00'), letter: 'v1.acc_1.iv.l' })
const signedUp: readonly Event[] = [
  {
    type: 'AccountSignedUp',
    data: { ...address('old'), passwordHash: '$argon2id$1', primaryWallet: null, termsAgreed: 'explicit' },
  },
  { type: 'EmailVerificationRequested', data: letter('old') },
]
const active: readonly Event[] = [...signedUp, { type: 'AccountActivated', data: { emailFingerprint: 'old' } }]
const asked = (name: string, requestedAt = at('09:00:00')): Event => ({
  type: 'EmailVerificationRequested',
  data: { ...letter(name), address: address(name), requestedAt },
})
const changed: AccountEvents['EmailChanged'] = { ...address('new'), former: 'old' }
const follow = (name: string) => ({ tokenHash: `token ${name}` })

test('J-ACC-13 the link to a new address changes it, and of an account that is not active also activates it', (t) => {
  const verified = [
    { type: 'EmailChanged', data: changed },
    { type: 'EmailVerified', data: { emailFingerprint: 'new' } },
  ] as const
  // Of an address that the account had proven, the letter to it is asked for as well.
  const told = { ...changed, formerEmail: address('old').email }
  given(t, account, ...active, asked('new'))
    .when('verifyEmail', follow('new'), at('09:30:00'))
    .yields({ type: 'EmailChanged', data: told }, verified[1])
  given(t, account, ...signedUp, asked('new'))
    .when('verifyEmail', follow('new'), at('09:30:00'))
    .yields(...verified, { type: 'AccountActivated', data: { emailFingerprint: 'new' } })
  given(t, account, ...active, asked('new'), { type: 'EmailChanged', data: changed })
    .when('verifyEmail', follow('new'), LATE)
    .yieldsNothing()
})

test('J-ACC-13 an older link, a wrong one and one that has lapsed change nothing', (t) => {
  const two = given(t, account, ...active, asked('new'), asked('newest'))
  two.when('verifyEmail', follow('new'), at('09:30:00')).isRefused('verification-link-invalid')
  two.when('verifyEmail', follow('old'), at('09:30:00')).isRefused('verification-link-invalid')
  two.when('verifyEmail', follow('newest'), LATE).isRefused('verification-link-invalid')
})

test('J-ACC-17 an account may ask for so many letters an hour, and for more when the hour is over', (t) => {
  const ask = { ...letter('new'), address: address('new') }
  const letters = Array.from({ length: LETTERS_PER_HOUR_MAX }, (_, n) => asked('new', at(`08:0${n}:00`)))
  given(t, account, ...active, ...letters.slice(1))
    .when('askLetter', ask, at('09:00:00'))
    .yields(asked('new'))
  const full = given(t, account, ...active, ...letters)
  full.when('askLetter', ask, at('08:59:59')).isRefused('rate-limited')
  full.when('askLetter', ask, at('09:00:00')).yields(asked('new'))
  given(t, account).when('askLetter', ask).isRefused('not-found')
  given(t, account, ...active, { type: 'AccountErased', data: { erasedAt: at('08:00:00') } })
    .when('askLetter', ask)
    .isRefused('not-found')
})

test('J-ACC-15 a password is reset, and quiet when it is the very same hash', (t) => {
  const reset = { passwordHash: '$argon2id$2' }
  given(t, account, ...active)
    .when('resetPassword', reset, at('09:00:00'))
    .yields({ type: 'PasswordReset', data: { ...reset, resetAt: at('09:00:00') } })
  given(t, account, ...active, { type: 'PasswordReset', data: reset })
    .when('resetPassword', reset)
    .yieldsNothing()
  given(t, account).when('resetPassword', reset).isRefused('not-found')
})

test('J-ACC-13 an address is released by its holder alone, and is then anybody’s', (t) => {
  const claimed = { type: 'EmailClaimed', data: { accountId: 'acc_1', claimedAt: at('09:00:00') } } as const
  const released = { type: 'EmailReleased', data: { accountId: 'acc_1' } } as const
  given(t, email, claimed).when('release', { accountId: 'acc_1' }).yields(released)
  given(t, email, claimed).when('release', { accountId: 'acc_2' }).yieldsNothing()
  given(t, email, claimed, released).when('release', { accountId: 'acc_1' }).yieldsNothing()
  given(t, email, claimed, released)
    .when('claim', { accountId: 'acc_2' }, at('09:00:00'))
    .yields({ type: 'EmailClaimed', data: { accountId: 'acc_2', claimedAt: at('09:00:00') } })
})

test('J-ACC-13 the policy releases what is not used any more, and run again from the start it releases nothing that is', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const ledger = ledgerOn(store, world)
  await ledger.account.signUp('acc_1', {
    ...address('old'),
    passwordHash: '$argon2id$1',
    primaryWallet: null,
    termsAgreed: 'explicit',
    key: { keyId: 'k1', keyHash: 'h1', hint: 'sk_live_…abcd', kind: 'owner' },
    cloudToken: { token: 'v1.t', tokenHash: 'th' },
    verification: { ...letter('old'), expiresAt: LATE },
  })
  const change = async (name: string) => {
    await ledger.email.claim(name, { accountId: 'acc_1' })
    await ledger.account.askLetter('acc_1', { ...letter(name), expiresAt: LATE, address: address(name) })
    await ledger.account.verifyEmail('acc_1', follow(name))
  }
  const holders = async () => Promise.all(['old', 'new'].map(async (name) => (await ledger.email.read(name)).holder))
  await ledger.email.claim('old', { accountId: 'acc_1' })
  await change('new')
  await runPolicies(store, ledger, world, [releaseEmail])
  t.deepEqual(await holders(), [undefined, 'acc_1'])
  await change('old')
  const before = (await everything(store)).length
  await runPolicies(store, ledger, world, [releaseEmail])
  t.deepEqual(await holders(), ['acc_1', undefined])
  t.is((await everything(store)).length, before + 1)
  await runPolicies(store, ledger, world, [releaseEmail])
  t.is((await everything(store)).length, before + 1)
})

test('J-WAL-09 a coin is removed once, with its pause', (t) => {
  const eth = { type: 'WalletAddressSet', data: { asset: 'eth', addresses: ['a'] } } as const
  const paused = { type: 'WalletPaused', data: { asset: 'eth' } } as const
  const removed = { type: 'WalletRemoved', data: { asset: 'eth' } } as const
  given(t, wallet, eth, paused).when('remove', { asset: 'eth' }).yields(removed)
  given(t, wallet, eth, removed).when('remove', { asset: 'eth' }).isRefused('wallet-missing')
  given(t, wallet, eth, paused, removed).when('setAddress', eth.data).yields(eth)
  given(t, wallet, eth, paused, removed, eth).when('resume', { asset: 'eth' }).yieldsNothing()
})
