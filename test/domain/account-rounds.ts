/** Rounds of the sandbox keys and the wallets of an account. */

type Command = readonly [command: string, data: object]

export const accountRounds = {
  sandboxKeys: (n: number): readonly Command[] => [
    ['issue', { keyId: `k${n}`, keyHash: 'h', hint: 'x', kind: 'secret', label: null }],
    ['rotate', { number: Math.floor(n / 6), keyId: `r${n}`, keyHash: 'h', hint: 'x' }],
    ['noteUse', { keyId: `r${n}` }],
    ['revoke', { number: Math.floor(n / 12) }],
  ],
  wallet: (n: number): readonly Command[] => [
    ['setAddress', { asset: 'eth', addresses: [`a${n}`] }],
    ['pause', { asset: 'eth' }],
    ['lose', { asset: 'eth', address: `a${n}` }],
    ['resume', { asset: 'eth' }],
    ...(n % 2 ? [['remove', { asset: 'eth' }] as const] : []),
  ],
}
