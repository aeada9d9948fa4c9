import type { Deciders } from '../../domain/write-side/deciders.ts'

/** Rounds of every command of the sign-in service and of user balances, for what a stream of many years comes to. */

type Command = readonly [command: string, data: object]
type Own =
  | 'user'
  | 'member'
  | 'clientApp'
  | 'consent'
  | 'signingKeys'
  | 'notification'
  | 'userBalance'
  | 'appCredit'
  | 'ledgerEntry'
  | 'creditGrant'
  | 'intent'
  | 'mandate'
  | 'topUp'

const START = Date.parse('2026-03-02T10:00:00.000Z')
const time = (minutes: number) => new Date(START + minutes * 60_000).toISOString()
const FAR = time(5_000_000)

const link = (n: number, purpose: string) => ({ purpose, tokenHash: `${purpose}${n}`, expiresAt: FAR, letter: 'v1.l' })
const address = (n: number) => ({ email: 'v1.e', emailFingerprint: `f${n}` })

const sent = (n: number) => ({
  transferId: `t${n}`,
  ledgerRef: `oidcpay-${n}`,
  kind: 'intent',
  total: '1',
  clientId: 'app_a',
  request: 'd',
  description: 'v1.d',
  legs: [{ to: 'app:app_a', amount: '1' }],
})
const received = (n: number) => ({
  transferId: `i${n}`,
  ledgerRef: `oidcgrant-${n}`,
  kind: 'grant',
  amount: '100',
  from: 'platform',
  clientId: null,
  description: null,
  source: 'carry-transfers',
  position: String(n),
})
const attempt = (n: number) => ({
  attempt: n,
  status: 500,
  reason: null,
  bodyHead: 'x'.repeat(1_000),
  durationMs: 1,
  attemptedAt: time(n),
  jitter: 0,
})
const terms = (n: number) => ({
  mandateId: `so_${n}`,
  clientId: 'app_a',
  mode: 'adhoc',
  perDebitCap: '5',
  lifetimeCap: '50',
  cooldown: 'none',
  schedAmount: null,
  schedInterval: null,
  approvedAt: time(n),
  validUntil: time(n + 100_000),
})
const ways = { redirectUri: 'https://a.test/cb', appState: 's', expiresAt: FAR, description: 'v1.d' }

/** What an operator says of an act. */
const DECIDED = { by: 'b', reason: 'r' }

export const signInRounds: { readonly [K in Own & keyof Deciders]: (n: number, last: boolean) => readonly Command[] } =
  {
    user: (n, last) => [
      ['register', { ...address(0), passwordHash: 'p', profile: 'v1.p', verification: link(0, 'verify-email') }],
      ['requestLink', link(n, 'verify-email')],
      ['verifyEmail', { tokenHash: `verify-email${n}` }],
      ['requestLink', link(n, 'reset-password')],
      ['resetPassword', { tokenHash: `reset-password${n}`, passwordHash: `p${n}` }],
      [
        'requestEmailChange',
        {
          atNew: { ...link(n, 'change-email'), address: address(n) },
          atPresent: { ...link(n, 'confirm-change'), address: address(n) },
        },
      ],
      ['confirmEmailChange', { tokenHash: `change-email${n}` }],
      ['confirmEmailChange', { tokenHash: `confirm-change${n}` }],
      ['requestLink', link(n, 'enrol')],
      ['useMailedCode', { tokenHash: `enrol${n}` }],
      ['setPassword', { passwordHash: `q${n}` }],
      ['rehashPassword', { from: `q${n}`, passwordHash: `r${n}` }],
      ['setProfile', { profile: `v1.${n}` }],
      ['addPasskey', { credentialId: `c${n}`, publicKey: 'k', transports: [], label: 'v1.l' }],
      ['removePasskey', { credentialId: `c${n - 5}` }],
      ['enrolTotp', { secret: `v1.${n}` }],
      ['issueRecoveryCodes', { hashes: [`a${n}`, `b${n}`] }],
      ['useRecoveryCode', { hash: `a${n}` }],
      ...(n % 2 ? [['removeTotp', {}] as const] : []),
      ['suspend', DECIDED],
      ['reinstate', DECIDED],
      ['endSessions', DECIDED],
      ...(n % 3 ? [] : [['resetFactors', DECIDED] as const]),
      ...(last ? [['erase', {}] as const] : []),
    ],
    member: (n) => [
      ['register', { ...address(n), passwordHash: `p${n}` }],
      ['changePassword', { passwordHash: `q${n}` }],
      ['join', { accountId: `acc_${n}`, role: n ? 'invited' : 'owner' }],
      ['leave', { accountId: `acc_${n - 9}` }],
      ['erase', {}],
      ['requestCode', { codeHash: `c${n}`, expiresAt: FAR, letter: 'v1.l' }],
      ['useMailedCode', { codeHash: `c${n}` }],
      ['addPasskey', { credentialId: `c${n}`, publicKey: 'k', transports: [], label: 'v1.l' }],
      ['removePasskey', { credentialId: `c${n - 5}` }],
      ['enrolTotp', { secret: `v1.${n}` }],
      ['issueRecoveryCodes', { hashes: [`a${n}`, `b${n}`] }],
      ['useRecoveryCode', { hash: `a${n}` }],
      ...(n % 2 ? [['removeTotp', {}] as const] : []),
      ['endSessions', { ...DECIDED, accountId: `acc_${n}` }],
      ...(n % 3 ? [] : [['resetFactors', { ...DECIDED, accountId: `acc_${n}` }] as const]),
    ],
    clientApp: (n, last) => [
      [
        'register',
        {
          name: 'Shop',
          owner: null,
          confidential: true,
          firstParty: false,
          redirectUris: ['https://a.test/cb'],
          secretHash: 's',
          creditPushKeyHash: 'c',
          backchannelUrl: 'https://a.test/b',
          signingSecret: 'v1.s',
        },
      ],
      ['setUris', { redirectUris: [`https://a.test/${n}`], postLogoutUris: [`https://a.test/${n}`] }],
      ['rotateSecret', { secretHash: `s${n}` }],
      ['rotateCreditPushKey', { keyHash: `k${n}` }],
      ['setBackchannel', { url: `https://a.test/b${n}` }],
      ['setSigningSecret', { secret: `v1.${n}` }],
      ['claimDomain', { domain: `d${n}.test`, token: 't' }],
      ['verifyDomain', { domain: `d${n}.test` }],
      ['lapseDomain', { domain: `d${n}.test` }],
      ['releaseDomain', { domain: `d${n - 5}.test` }],
      ['rename', { name: `Shop ${n}` }],
      ...(last ? [['disable', {}] as const] : []),
    ],
    consent: (n) => [
      ['grant', { sub: 'usr_a', clientId: 'app_a', scopes: ['openid', 'email'] }],
      ['revoke', { sub: 'usr_a', clientId: 'app_a', n }],
    ],
    signingKeys: (n) => [
      ['begin', { kid: `b${n}`, publicJwk: { kty: 'RSA', n: 'n', e: 'e' }, privateKey: 'v1.k' }],
      ['add', { kid: `k${n}`, publicJwk: { kty: 'RSA', n: 'n', e: 'e' }, privateKey: 'v1.k' }],
      ['replace', { kid: `r${n}`, publicJwk: { kty: 'RSA', n: 'n', e: 'e' }, privateKey: 'v1.k', lost: `b${n}` }],
    ],
    notification: (n) => [
      ['schedule', { clientId: 'app_a', url: 'https://a.test/b', kind: 'receipt', payload: '{}' }],
      ['skip', { clientId: 'app_a' }],
      ['record', attempt(n + 1)],
      ['replay', {}],
    ],
    userBalance: (n) => [
      ['receive', received(n)],
      ['takeBack', { ...received(n), amount: '1', source: 'take-back-top-ups' }],
      ['send', { ...sent(n), known: 1e9 }],
      ['activate', { ...terms(n), until: FAR }],
      ['debit', { ...sent(n), transferId: `m${n}`, mandateId: `so_${n}`, period: null, known: 1e9 }],
      ['miss', { mandateId: `so_${n}`, period: 0, attempt: 1, reason: 'insufficient-balance' }],
      ['forbid', { mandateId: `so_f${n}`, clientId: 'app_a', by: 'user' }],
      ['end', { mandateId: `so_${n - 5}`, by: 'user' }],
      ['book', { number: 2 * n }],
    ],
    appCredit: (n) => [
      ['receive', received(n)],
      ['send', { ...sent(n), known: 1e9 }],
      ['book', { number: n }],
    ],
    ledgerEntry: (n) => [['book', { ...sent(n), from: 'user:usr_a', sentAt: time(n) }]],
    creditGrant: (n) => [['send', sent(n)]],
    intent: (n) => [
      ['create', { sub: 'usr_a', clientId: 'app_a', amount: '1000', currency: 'USD', ...ways }],
      ['confirm', { codeHash: `c${n}`, codeExpiresAt: FAR, amr: ['pwd', 'otp'] }],
      ['decline', {}],
      ['complete', { ledgerRef: 'oidcpay-1', completedAt: time(n) }],
      ['refund', { ref: `r${n}`, amount: '1' }],
    ],
    mandate: (n) => [
      [
        'create',
        {
          sub: 'usr_a',
          clientId: 'app_a',
          mode: 'adhoc',
          perDebitCap: '5',
          lifetimeCap: '50',
          cooldown: 'none',
          schedAmount: null,
          schedInterval: null,
          ...ways,
        },
      ],
      ['approve', { approvedAt: time(n), validUntil: FAR }],
      ['decline', {}],
      ['revoke', { by: 'user', revokedAt: time(n) }],
    ],
    topUp: (n) => [
      ['start', { clientId: 'app_a', amount: '10', redirectUri: 'https://a.test/cb', appState: 's', expiresAt: FAR }],
      ['accept', { sub: 'usr_a', requestId: 'pr_1', expiresAt: FAR }],
      [
        'settle',
        {
          ...sent(n),
          kind: 'top-up',
          topUpId: 'tu_1',
          sub: 'usr_a',
          challengeId: `c${n}`,
          short: n % 2 === 0,
          source: 'settle-top-ups',
          position: String(2 * n),
        },
      ],
      [
        'reverse',
        {
          transferId: `t${n}`,
          ledgerRef: `oidctop-${n}`,
          total: '1',
          clientId: 'app_a',
          topUpId: 'tu_1',
          challengeId: `c${n}`,
          source: 'settle-top-ups',
          position: String(2 * n + 1),
        },
      ],
    ],
  }
