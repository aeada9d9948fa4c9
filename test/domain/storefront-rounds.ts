import { OFFER_STATUSES } from '../../domain/storefront/offer.ts'
import { ACCOUNT } from './samples.ts'

/** Rounds of what a seller sets up for its checkout and its landing pages. */

/** The rounds are a minute apart. */
const minutes = (n: number) => new Date(Date.parse('2026-03-02T10:00:00.000Z') + n * 60_000).toISOString()

type Command = readonly [command: string, data: object]

export const storefrontRounds = {
  discounts: (n: number, isLast: boolean): readonly Command[] => [
    ['add', { code: `Code ${n % 9}`, multiplier: n % 2 ? '0.5' : '0.8' }],
    ['remove', { code: `code ${(n + 4) % 9}` }],
    ...(isLast ? [['replace', { codes: [{ code: 'Last', multiplier: '1' }] }] as const] : []),
  ],
  customFields: (n: number): readonly Command[] => [
    ['add', { type: 'text', label: `Field ${n % 9}`, options: [], required: n % 2 === 0 }],
    ['remove', { index: n % 3 }],
  ],
  landers: (n: number): readonly Command[] => [
    ['create', { checkoutId: `c${n}`, tpl: 'split', slots: 3 }],
    ['change', { landerId: n, facts: { headline: `Headline ${n}`, acceptsOffers: n % 2 === 0 } }],
    ['delete', { landerId: n - 1 }],
  ],
  stock: (n: number): readonly Command[] => [
    [
      'change',
      { accountId: ACCOUNT, by: 'k', reason: 'received', count: 40 + (n % 5), call: { id: `c${n}`, request: 'r' } },
    ],
    ['lend', { holder: `pr_${n}`, quantity: 1, until: minutes(n + 3), network: `n${n}` }],
    ['keep', { holder: `pr_${n - 1}`, quantity: 1 }],
    ['release', { holder: `pr_${n - 1}` }],
    ['keep', { holder: `ch_${n}.eth`, from: `pr_${n}`, quantity: 1 }],
    ['claim', { holder: `ch_${n}.btc`, quantity: 1_000, payment: `btc:${n}:0` }],
    ['sell', { holder: `ch_${n}.eth`, position: String(3 * n) }],
    ['restore', { quantity: 1, position: String(3 * n + 1), holder: `ch_${n}.eth` }],
    ['sell', { holder: `ch_${n}.eth`, position: String(3 * n + 2) }],
    ['giveBack', { holder: `pr_${n}` }],
  ],
  offer: (n: number): readonly Command[] => [
    [
      'make',
      {
        accountId: ACCOUNT,
        landerId: 1,
        checkoutId: 'c1',
        amount: '40000000',
        currency: 'USD',
        email: 'v1.e',
        message: 'v1.m',
        origin: 'of_1',
      },
    ],
    ['setStatus', { accountId: ACCOUNT, status: OFFER_STATUSES[n % OFFER_STATUSES.length] }],
  ],
}
