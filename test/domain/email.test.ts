import test from 'ava'
import { account } from '../../domain/account/account.ts'
import { ADDRESS_LETTERS_PER_HOUR_MAX, email, NETWORK_LETTERS_PER_HOUR_MAX } from '../../domain/account/email.ts'
import type { EventsOf } from '../../domain/kernel/decider.ts'
import { given } from '../support/given.ts'

/** An email address: wanted by several, proven by one, held by that one alone. */

type Event = EventsOf<typeof email>

const at = (time: string, day = '03') => `2026-03-${day}T${time}.000Z`
const asked = (accountId: string, requestedAt = at('09:00:00'), network = 'n1'): Event => ({
  type: 'EmailRequested',
  data: { accountId, requestedAt, network },
})
const claimed = (accountId: string, claimedAt = at('10:00:00')): Event => ({
  type: 'EmailClaimed',
  data: { accountId, claimedAt },
})
const NOON = at('12:00:00')
const byLink = { accountId: 'acc_1' }
const byPassword = { accountId: 'acc_1', proven: true }

test('N-15 the link alone claims an address while one account alone has asked for it within a day', (t) => {
  const alone = given(t, email, asked('acc_1'), asked('acc_1', at('11:00:00')))
  alone.when('claim', byLink, NOON).yields(claimed('acc_1', NOON))
  const rivals = given(t, email, asked('acc_2'), asked('acc_1', at('11:00:00')))
  rivals.when('claim', byLink, NOON).isRefused('password-required')
  rivals.when('claim', byPassword, NOON).yields(claimed('acc_1', NOON))
  rivals.when('claim', byLink, '2026-03-04T08:59:59.999Z').isRefused('password-required')
  rivals.when('claim', byLink, at('09:00:00', '04')).yields(claimed('acc_1', at('09:00:00', '04')))
})

test('N-15 of many accounts that ask, none is taken for the only one, however often each of them asks', (t) => {
  const crowd = ['acc_1', 'acc_2', 'acc_3', 'acc_4', 'acc_4', 'acc_1', 'acc_1'].map((id) => asked(id))
  for (const accountId of ['acc_1', 'acc_2', 'acc_3', 'acc_4'])
    given(t, email, ...crowd)
      .when('claim', { accountId }, NOON)
      .isRefused('password-required')
})

test('N-15 who has only begun to claim counts as one who asked, also when it is tried again', (t) => {
  const begun = given(t, email, asked('acc_2'), claimed('acc_2'))
  const takeOver = { from: 'acc_2', claimedAt: at('10:00:00') }
  begun.when('reclaim', { ...byLink, ...takeOver }, NOON).isRefused('password-required')
  begun.when('reclaim', { ...byPassword, ...takeOver }, NOON).yields(claimed('acc_1', NOON))
  given(t, email, claimed('acc_1'), asked('acc_2', at('10:00:30')))
    .when('claim', byLink, at('10:00:40'))
    .isRefused('password-required')
})

test('J-ACC-13 who had the address and let it go does not stand in the way of the next one', (t) => {
  const released = { type: 'EmailReleased', data: { accountId: 'acc_2' } } as const
  given(t, email, asked('acc_2'), claimed('acc_2'), released, asked('acc_1', at('11:00:00')))
    .when('claim', byLink, NOON)
    .yields(claimed('acc_1', NOON))
})

test('N-16 an address is sent so many letters an hour, of which one network causes a part, and asking for more is quiet', (t) => {
  const ask = (network: string) => ({ accountId: 'acc_9', network })
  const minute = (n: number) => at(`11:0${n}:00`)
  const own = Array.from({ length: NETWORK_LETTERS_PER_HOUR_MAX }, (_, n) => asked(`acc_${n}`, minute(n)))
  const flood = given(t, email, ...own)
  const sent = (network: string, now = NOON) => asked('acc_9', now, network)
  const withheld = (network: string, now = NOON): Event => ({
    type: 'EmailRequested',
    data: { accountId: 'acc_9', requestedAt: now, network, withheld: true },
  })
  flood.when('request', ask('n1'), at('11:59:59')).yields(withheld('n1', at('11:59:59')))
  flood.when('request', ask('n1'), NOON).yields(sent('n1'))
  flood.when('request', ask('n2'), at('11:59:59')).yields(sent('n2', at('11:59:59')))
  const others = Array.from({ length: ADDRESS_LETTERS_PER_HOUR_MAX - own.length }, (_, n) =>
    asked(`acc_${n}`, at('11:30:00'), `other ${n}`),
  )
  const full = given(t, email, ...own, ...others)
  full.when('request', ask('n3'), at('11:59:59')).yields(withheld('n3', at('11:59:59')))
  full.when('request', ask('n3'), NOON).yields(sent('n3'))
  given(t, email, ...own, ...others, withheld('n3', at('11:59:59')))
    .when('request', ask('n3'), NOON)
    .yields(sent('n3'))
})

test('N-16 a link ends when another account proves the address, unless its own account has done so', (t) => {
  const data = { email: 'v1.acc_1.iv.box', emailFingerprint: 'fp', passwordHash: '$argon2id$x' }
  const signedUp = [
    { type: 'AccountSignedUp', data: { ...data, primaryWallet: null, termsAgreed: 'explicit' } },
    {
      type: 'EmailVerificationRequested',
      data: { tokenHash: 'right', expiresAt: at('10:00:00', '04'), letter: 'v1.acc_1.iv.letter' },
    },
  ] as const
  const end = { emailFingerprint: 'fp' }
  const ended = { type: 'EmailVerificationEnded', data: end } as const
  given(t, account, ...signedUp)
    .when('endVerification', end)
    .yields(ended)
  given(t, account, ...signedUp)
    .when('endVerification', { emailFingerprint: 'other' })
    .yieldsNothing()
  given(t, account, ...signedUp, ended)
    .when('endVerification', end)
    .yieldsNothing()
  given(t, account).when('endVerification', end).yieldsNothing()
  given(t, account, ...signedUp, ended)
    .when('verifyEmail', { tokenHash: 'right' }, NOON)
    .isRefused('verification-link-invalid')
  given(t, account, ...signedUp, { type: 'AccountActivated', data: end })
    .when('endVerification', end)
    .isRefused('email-taken')
})
