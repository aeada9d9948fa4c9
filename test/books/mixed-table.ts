import type { Amounts, Scene } from './mixed-scene.ts'

/** How the table of a month is written: what each kind of sale adds to the books, and how it is played. */

type Whose = 'seller' | 'platform' | 'user' | 'app'
/**
 * Whose books, account and asset; how much in whole money, or in smallest units by what was moved. What it is worth in
 * dollars is left out where an odd payment came without a price, and where its coin has no round worth.
 */
export type ExpectedLine = readonly [
  whose: Whose,
  account: string,
  asset: string,
  amount: string | ((moved: Amounts) => bigint),
  usd?: string,
]

export type Kind = {
  readonly expected: readonly ExpectedLine[]
  play(scene: Scene): Promise<Amounts>
}

export const coins = (name: string) => (moved: Amounts) => moved[name] ?? 0n
export const minus = (name: string) => (moved: Amounts) => -(moved[name] ?? 0n)
