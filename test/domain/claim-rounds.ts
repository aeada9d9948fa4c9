/** Rounds of an address that goes from hand to hand. */

type Command = readonly [command: string, data: object]

const time = (minutes: number) => new Date(Date.parse('2026-03-02T10:00:00.000Z') + minutes * 60_000).toISOString()

export const claimRounds = {
  addressClaim: (n: number): readonly Command[] => [
    ['claim', { accountId: `a${n % 3}`, coin: `c${n}` }],
    ['prove', { accountId: `a${n}`, coin: `c${n}`, provedAt: time(n) }],
    ['take', { accountId: `p${n % 5}`, coin: 'eth' }],
    ['move', { accountId: `m${n}`, coins: ['eth'], reason: 'why' }],
    ['release', { accountId: `m${n}`, renewedAt: time(n) }],
    ['adopt', { holders: Array.from({ length: 50 }, (_, i) => ({ accountId: `o${i}`, coins: ['eth'] })) }],
  ],
}
