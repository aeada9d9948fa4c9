/** The results of a character's duels. */
export type DuelRecord = { readonly wins: number; readonly losses: number; readonly draws: number }

export type Arena = {
  readonly rating: number
  readonly record: DuelRecord
  /** Number of rated duels on its newest day, by opponent. */
  readonly rated: { readonly day: string; readonly by: { readonly [opponent: string]: number } }
  readonly counted: bigint
}

/** The rating that every character begins with. */
export const FIRST_RATING = 1_000
export const NEW_ARENA: Arena = {
  rating: FIRST_RATING,
  record: { wins: 0, losses: 0, draws: 0 },
  rated: { day: '', by: {} },
  counted: -1n,
}
