import { ACCOUNT } from './samples.ts'

/** Rounds of what belongs to an account and is small: sandbox keys, wallets, letters, connections to services. */

type Command = readonly [command: string, data: object]

export const accountRounds = {
  sandboxKeys: (n: number): readonly Command[] => [
    ['issue', { keyId: `k${n}`, keyHash: 'h', hint: 'x', kind: 'secret', label: null }],
    ['rotate', { number: Math.floor(n / 6), keyId: `r${n}`, keyHash: 'h', hint: 'x' }],
    ['noteUse', { keyId: `r${n}` }],
    ['limit', { number: Math.floor(n / 6), endsAt: '2126-01-01T00:00:00.000Z' }],
    ['revoke', { number: Math.floor(n / 12) }],
  ],
  wallet: (n: number): readonly Command[] => [
    ['setAddress', { asset: 'eth', addresses: [`a${n}`] }],
    ['pause', { asset: 'eth' }],
    ['lose', { asset: 'eth', address: `a${n}` }],
    ['resume', { asset: 'eth' }],
    ...(n % 2 ? [['remove', { asset: 'eth' }] as const] : []),
  ],
  receiptLetter: (n: number): readonly Command[] => [
    ['request', { accountId: ACCOUNT, challengeId: `c${n}`, letter: 'v1.l' }],
  ],
  letter: (n: number): readonly Command[] => [
    ['sent', { accountId: ACCOUNT, attempts: n }],
    ['giveUp', { accountId: ACCOUNT, attempts: n, reason: 'x' }],
  ],
  integrations: (n: number): readonly Command[] => [['set', { values: 'v1.v', fingerprint: `f${n}` }]],
}
