import { siteRounds } from './site-rounds.ts'

/** Rounds of what a seller sets up for its checkout and its landing pages. */

type Command = readonly [command: string, data: object]

export const storefrontRounds = {
  ...siteRounds,
  discounts: (n: number, isLast: boolean): readonly Command[] => [
    ['add', { code: `Code ${n % 9}`, multiplier: n % 2 ? '0.5' : '0.8' }],
    ['remove', { code: `code ${(n + 4) % 9}` }],
    ...(isLast ? [['replace', { codes: [{ code: 'Last', multiplier: '1' }] }] as const] : []),
  ],
  customFields: (n: number): readonly Command[] => [
    ['add', { type: 'text', label: `Field ${n % 9}`, options: [], required: n % 2 === 0 }],
    ['remove', { index: n % 3 }],
  ],
}
