import test from 'ava'
import { type AccountEvents, account } from '../../domain/account/account.ts'
import { email } from '../../domain/account/email.ts'
import { letter } from '../../domain/account/letter.ts'
import { wallet } from '../../domain/account/wallet.ts'
import { webhook } from '../../domain/account/webhook.ts'
import { given } from '../support/given.ts'

const at = (time: string) => `2026-03-03T${time}.000Z`
const signUp = {
  email: 'v1.acc_1.iv.box',
  emailFingerprint: 'fp',
  passwordHash: '$argon2id$x',
  primaryWallet: null,
  termsAgreed: 'explicit',
} as const
const key = { keyId: 'k1', keyHash: 'h1', hint: 'sk_live_…abcd', kind: 'owner' } as const
const cloudToken = { token: 'v1.acc_1.iv.ct', tokenHash: 'th' }
const verification: AccountEvents['EmailVerificationRequested'] = {
  tokenHash: 'right',
  expiresAt: at('10:00:00'),
  letter: 'v1.acc_1.iv.letter',
}
const signedUp = [
  { type: 'AccountSignedUp', data: signUp },
  { type: 'ApiKeyIssued', data: key },
  { type: 'CloudTokenIssued', data: cloudToken },
  { type: 'EmailVerificationRequested', data: verification },
] as const
const verified = [
  { type: 'EmailVerified', data: { emailFingerprint: 'fp' } },
  { type: 'AccountActivated', data: { emailFingerprint: 'fp' } },
] as const

test('J-ACC-01 a sign-up makes the account, its key, its cloud token and the letter, once', (t) => {
  const command = { ...signUp, key, cloudToken, verification }
  given(t, account)
    .when('signUp', command)
    .yields(...signedUp)
  given(t, account, ...signedUp)
    .when('signUp', command)
    .isRefused('id-taken')
})

test('J-ACC-06 the link of the letter activates the account until it expires, to the millisecond', (t) => {
  const follow = given(t, account, ...signedUp)
  follow.when('verifyEmail', { tokenHash: 'right' }, at('09:00:00')).yields(...verified)
  follow.when('verifyEmail', { tokenHash: 'right' }, at('10:00:00')).yields(...verified)
  follow.when('verifyEmail', { tokenHash: 'right' }, '2026-03-03T10:00:00.001Z').isRefused('verification-link-invalid')
})

test('J-ACC-07 a second click changes nothing, also after the link has expired', (t) => {
  const follow = given(t, account, ...signedUp, ...verified)
  follow.when('verifyEmail', { tokenHash: 'right' }, at('09:30:00')).yieldsNothing()
  follow.when('verifyEmail', { tokenHash: 'right' }, at('23:00:00')).yieldsNothing()
})

test('a wrong token activates nobody, whatever the account', (t) => {
  given(t, account).when('verifyEmail', { tokenHash: 'right' }).isRefused('verification-link-invalid')
  given(t, account, ...signedUp)
    .when('verifyEmail', { tokenHash: 'wrong' })
    .isRefused('verification-link-invalid')
  given(t, account, ...signedUp, ...verified)
    .when('verifyEmail', { tokenHash: 'wrong' })
    .isRefused('verification-link-invalid')
})

test('an address belongs to one account, and asking again for the same one is quiet', (t) => {
  const claimed = { type: 'EmailClaimed', data: { accountId: 'acc_1', claimedAt: at('10:00:00') } } as const
  given(t, email).when('claim', { accountId: 'acc_1' }, at('10:00:00')).yields(claimed)
  given(t, email, claimed).when('claim', { accountId: 'acc_1' }, at('10:00:59')).yieldsNothing()
  given(t, email, claimed).when('claim', { accountId: 'acc_2', proven: true }).isRefused('email-taken')
})

test('an address is taken over only from the holder that is named, at the time that is named', (t) => {
  const claimed = { type: 'EmailClaimed', data: { accountId: 'acc_1', claimedAt: at('10:00:00') } } as const
  const taken = { type: 'EmailClaimed', data: { accountId: 'acc_2', claimedAt: at('11:00:00') } } as const
  const reclaim = { from: 'acc_1', claimedAt: at('10:00:00'), accountId: 'acc_2', proven: true }
  given(t, email, claimed).when('reclaim', reclaim, at('11:00:00')).yields(taken)
  given(t, email, claimed, taken).when('reclaim', reclaim).yieldsNothing()
  given(t, email, claimed, taken)
    .when('reclaim', { ...reclaim, accountId: 'acc_3' })
    .isRefused('email-taken')
  given(t, email).when('reclaim', reclaim).isRefused('email-taken')
  const again = { type: 'EmailClaimed', data: { accountId: 'acc_1', claimedAt: at('10:30:00') } } as const
  given(t, email, claimed).when('claim', { accountId: 'acc_1' }, at('10:30:00')).yields(again)
  given(t, email, claimed, again).when('reclaim', reclaim, at('11:00:00')).isRefused('email-taken')
})

test('a letter has one outcome', (t) => {
  const sent = { accountId: 'acc_1', attempts: 1 }
  const failed = { accountId: 'acc_1', attempts: 5, reason: 'no route' }
  given(t, letter).when('sent', sent).yields({ type: 'LetterSent', data: sent })
  given(t, letter).when('giveUp', failed).yields({ type: 'LetterFailed', data: failed })
  given(t, letter, { type: 'LetterSent', data: sent }).when('sent', sent).yieldsNothing()
  given(t, letter, { type: 'LetterSent', data: sent }).when('giveUp', failed).yieldsNothing()
  given(t, letter, { type: 'LetterFailed', data: failed }).when('sent', sent).yieldsNothing()
})

const eth = { type: 'WalletAddressSet', data: { asset: 'eth', addresses: ['a', 'b'] } } as const
const paused = { type: 'WalletPaused', data: { asset: 'eth' } } as const
const resumed = { type: 'WalletResumed', data: { asset: 'eth' } } as const

test('a wallet address is set, replaced, and quiet when it is the same; the order of a list counts', (t) => {
  given(t, wallet).when('setAddress', eth.data).yields(eth)
  given(t, wallet, eth).when('setAddress', eth.data).yieldsNothing()
  const swapped = { asset: 'eth', addresses: ['b', 'a'] }
  given(t, wallet, eth).when('setAddress', swapped).yields({ type: 'WalletAddressSet', data: swapped })
  const shorter = { asset: 'eth', addresses: ['a'] }
  given(t, wallet, eth).when('setAddress', shorter).yields({ type: 'WalletAddressSet', data: shorter })
})

test('a coin is paused and resumed, quiet when it already is, refused when it has no address', (t) => {
  given(t, wallet, eth).when('pause', { asset: 'eth' }).yields(paused)
  given(t, wallet, eth, paused).when('pause', { asset: 'eth' }).yieldsNothing()
  given(t, wallet, eth, paused).when('resume', { asset: 'eth' }).yields(resumed)
  given(t, wallet, eth, paused, resumed).when('resume', { asset: 'eth' }).yieldsNothing()
  given(t, wallet, eth).when('pause', { asset: 'btc' }).isRefused('wallet-missing')
  given(t, wallet, eth).when('resume', { asset: 'btc' }).isRefused('wallet-missing')
})

test('a new address does not resume a paused coin', (t) => {
  const moved = { type: 'WalletAddressSet', data: { asset: 'eth', addresses: ['c'] } } as const
  given(t, wallet, eth, paused, moved).when('pause', { asset: 'eth' }).yieldsNothing()
})

const secret = { secret: 'v1.s1', last4: 'aaaa' }
const other = { secret: 'v1.s2', last4: 'bbbb' }
const minted = (candidate: typeof secret, reason: 'first' | 'rotated', shown: boolean) =>
  ({ type: 'WebhookSecretMinted', data: { ...candidate, reason, shown } }) as const
const url = (slot: 'agent' | 'account', to = 'https://a.example/') =>
  ({ type: 'WebhookUrlSet', data: { slot, url: to } }) as const

test('Q-20 the first URL of either slot mints the secret, and shows it', (t) => {
  for (const slot of ['account', 'agent'] as const)
    given(t, webhook)
      .when('setUrl', { ...url(slot).data, ...secret })
      .yields(url(slot), minted(secret, 'first', true))
})

test('a secret that nobody was shown is replaced when a slot is saved next, one that was shown is kept', (t) => {
  for (const slot of ['account', 'agent'] as const) {
    given(t, webhook, url('agent'), minted(secret, 'first', false))
      .when('setUrl', { ...url(slot, 'https://b.example/').data, ...other })
      .yields(url(slot, 'https://b.example/'), minted(other, 'first', true))
    given(t, webhook, url(slot), minted(secret, 'first', true))
      .when('setUrl', { ...url(slot).data, ...other })
      .yieldsNothing()
  }
  given(t, webhook, url('account'), minted(secret, 'first', true))
    .when('setUrl', { ...url('agent').data, ...other })
    .yields(url('agent'))
})

test('a rotation always mints, and needs a secret or a URL that it could sign for', (t) => {
  given(t, webhook).when('rotateSecret', other).isRefused('invalid-request')
  given(t, webhook, url('agent'))
    .when('rotateSecret', other)
    .yields(minted(other, 'rotated', true))
  const shown = [url('account'), minted(secret, 'first', true)] as const
  given(t, webhook, ...shown)
    .when('rotateSecret', other)
    .yields(minted(other, 'rotated', true))
})

test('Q-52 the secret is gone with the account URL, and the next URL of either slot is a first time again', (t) => {
  const shown = [url('account'), url('agent'), minted(secret, 'first', true)] as const
  const cleared = { type: 'WebhookUrlCleared', data: { slot: 'account' } } as const
  given(t, webhook, ...shown)
    .when('clearUrl', { slot: 'account' })
    .yields(cleared)
  given(t, webhook, ...shown, cleared)
    .when('clearUrl', { slot: 'account' })
    .yieldsNothing()
  given(t, webhook, ...shown, cleared)
    .when('needSecret', other)
    .yields(minted(other, 'first', false))
  for (const slot of ['account', 'agent'] as const)
    given(t, webhook, ...shown, cleared)
      .when('setUrl', { ...url(slot, 'https://b.example/').data, ...other })
      .yields(url(slot, 'https://b.example/'), minted(other, 'first', true))
  const agentCleared = { type: 'WebhookUrlCleared', data: { slot: 'agent' } } as const
  given(t, webhook, ...shown, agentCleared)
    .when('setUrl', { ...url('agent').data, ...other })
    .yields(url('agent'))
})

test('a URL that is saved with a resource mints a secret that nobody is shown, once', (t) => {
  given(t, webhook)
    .when('needSecret', secret)
    .yields(minted(secret, 'first', false))
  given(t, webhook, minted(secret, 'first', false))
    .when('needSecret', other)
    .yieldsNothing()
})

test('N-86 a receiver is chosen once, in place of another, and the built-in one has a secret to sign with', (t) => {
  const chosen = (receiver: 'built-in' | 'none') => ({ type: 'WebhookReceiverChosen', data: { receiver } }) as const
  given(t, webhook)
    .when('chooseReceiver', { receiver: 'none', ...secret })
    .yields(chosen('none'))
  given(t, webhook, chosen('none'))
    .when('chooseReceiver', { receiver: 'none', ...secret })
    .yieldsNothing()
  given(t, webhook, chosen('none'))
    .when('chooseReceiver', { receiver: 'built-in', ...secret })
    .yields(chosen('built-in'), minted(secret, 'first', false))
  given(t, webhook, chosen('built-in'), minted(secret, 'first', false))
    .when('chooseReceiver', { receiver: 'built-in', ...other })
    .yieldsNothing()
})

test('an account is erased once, and one that never was is not found', (t) => {
  const erased = { type: 'AccountErased', data: { erasedAt: at('10:00:00') } } as const
  given(t, account, ...signedUp)
    .when('erase', {}, at('10:00:00'))
    .yields(erased)
  given(t, account, ...signedUp, erased)
    .when('erase', {}, at('11:00:00'))
    .yieldsNothing()
  given(t, account).when('erase', {}).isRefused('not-found')
})
