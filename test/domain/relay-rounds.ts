import { ACCOUNT, AUTHORIZATION_ID, accepted } from './samples.ts'

/** Rounds of signed payments, of who makes them, and of who carries them out. */

type Command = readonly [command: string, data: object]

const time = (minutes: number) => new Date(Date.parse('2026-03-02T10:00:00.000Z') + minutes * 60_000).toISOString()

const relayed = {
  network: 'base',
  relayer: '0xr',
  batched: false,
  gas: '120000',
  maxFeePerGas: '20',
  maxPriorityFeePerGas: '1',
}
const mined = {
  network: 'base',
  relayer: '0xr',
  blockHash: '0xb',
  gasUsed: '80000',
  gasPrice: '10',
  l1Fee: '0',
  gasUsd: '7',
  outcomes: [],
}

export const relayRounds = {
  relayBudget: (n: number): readonly Command[] => [
    ['count', { usd: '7', authorizationId: 'a', tx: `0x${n}`, source: 'count-relay-losses', position: String(n) }],
    ['reach', { percent: 90, lostUsd: '7', limitUsd: '8' }],
  ],
  authorization: (n: number): readonly Command[] => [
    ['accept', accepted],
    ['revert', { tx: `0x${n}`, gasUsd: '7' }],
    ['spendGas', { transferId: `eth:0x${n}:1`, tx: `0x${n}`, gasUsd: '7' }],
    ['fail', { reason: 'funds' }],
    ['settle', { transferId: `eth:0x${n}:1`, tx: `0x${n}` }],
    ['move', { from: `0x${n}`, transferId: `eth:0x${n}m:1`, tx: `0x${n}m` }],
    ['reverse', { transferId: `eth:0x${n}m:1`, tx: `0x${n}m`, reason: 'reorganised' }],
    ['redeem', {}],
  ],
  payer: (n: number): readonly Command[] => [
    ['reserve', { authorizationId: `${AUTHORIZATION_ID}${n}`, value: '1', balance: '100000', until: time(n + 600) }],
    ['release', { authorizationId: `${AUTHORIZATION_ID}${n - 700}`, failed: n % 100 === 0 }],
  ],
  caller: (n: number): readonly Command[] => [
    [
      'reserve',
      {
        accountId: ACCOUNT,
        authorizationId: `${AUTHORIZATION_ID}${n}`,
        amount: '1',
        until: time(n + 600),
        cap: { amount: '1000000', windowHours: 8_000 },
      },
    ],
    ['release', { accountId: ACCOUNT, authorizationId: `${AUTHORIZATION_ID}${n - 700}` }],
    [
      'spend',
      {
        accountId: ACCOUNT,
        challengeId: `c${n}`,
        authorizationId: null,
        amount: '1',
        at: time(n),
        source: 'counting',
        position: String(2 * n),
      },
    ],
    [
      'unspend',
      { accountId: ACCOUNT, challengeId: `c${n - 200}`, amount: '1', source: 'counting', position: String(2 * n + 1) },
    ],
  ],
  relay: (n: number): readonly Command[] => [
    ['send', { ...relayed, nonce: n, hash: `0x${n}`, authorizations: [`${AUTHORIZATION_ID}${n}`] }],
    ['mine', { ...mined, nonce: n - 3, hash: `0x${n - 3}`, block: n }],
    ['reorganise', { network: 'base', relayer: '0xr', nonce: n - 5, hash: `0x${n - 5}` }],
    ['fail', { network: 'base', relayer: '0xr', nonce: n - 5, hash: `0x${n - 5}`, reason: 'reverted' }],
  ],
}
