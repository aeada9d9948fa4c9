import type { Dice } from '../world/chance.ts'

/**
 * What a mini-game is, in rules alone. `Dealt` is a round as the dice made it, with all that decides it; the player is
 * given `shown` of it, which tells nothing that the game hides. Whoever has the seed can deal the same rounds again.
 */
export type Rules<Dealt> = {
  deal(dice: Dice): readonly Dealt[]
  shown(dealt: Dealt): Readonly<Record<string, unknown>>
  /**
   * Whole points for an input at `t` milliseconds after the start; undefined for one that nobody can make in this
   * round.
   */
  points(dealt: Dealt, input: Input, t: number): number | undefined
}

export type Input = string | number

/** No hand answers faster than this, in milliseconds: neither what it sees nor its own last input. */
export const HUMAN_FLOOR_MS = 80

export const rules = <Dealt>(game: Rules<Dealt>): Rules<Dealt> => game

/** `count` things in order, each made by its number from 0. */
export const times = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n))
