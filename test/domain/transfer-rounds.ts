import { ACCOUNT, CHALLENGE_ID, paidCoin, recordedTransaction, transferData } from './samples.ts'

/** Rounds of a transfer that is taken, set aside, ignored and returned, again and again; and of what gives it back. */

type Command = readonly [command: string, data: object]

const came = (n: number) => ({ ...transferData, tx: `0x${n}` })
const back = (n: number) => ({ ...transferData, tx: `0x${n}r` })
const payment = (n: number) => ({ accountId: ACCOUNT, challengeId: CHALLENGE_ID, asset: 'eth', transfer: came(n) })
const hand = { accountId: ACCOUNT, by: 'key' }

export const transferRounds = {
  transfer: (n: number): readonly Command[] => [
    ['claim', payment(n)],
    ['setAside', { ...payment(n), reason: 'doubled' }],
    ['ignore', { ...hand, reason: 'small' }],
    ['reopen', hand],
    ['recordReturn', { ...hand, hash: `0x${n}w` }],
    ['refuseReturnHash', { hash: `0x${n}w`, reason: 'not-found' }],
    ['recordReturn', { ...hand, hash: `0x${n}r` }],
    ['sendReturn', { back: back(n), hash: `0x${n}r`, by: 'key' }],
    ['unsendReturn', { back: back(n), hash: `0x${n}r`, times: 1, reason: 'reorganised' }],
    ['reopen', hand],
    ['match', { ...hand, challengeId: `c${n}`, asset: 'eth' }],
    ['reverse', { reason: 'reorganised', times: n }],
    ['restore', { blockHash: '0xb' }],
  ],
  refundTransfer: (n: number): readonly Command[] => [
    [
      'claim',
      {
        accountId: recordedTransaction.accountId,
        transactionId: '1',
        coin: paidCoin,
        transfer: back(n),
        hash: `0x${n}r`,
        by: 'owner',
      },
    ],
    ['reverse', { reason: 'reorganised', times: n }],
    ['claimReturn', { ...hand, returned: `eth:0x${n}:native`, transfer: back(n), hash: `0x${n}r` }],
  ],
}
