/**
 * How a tournament's pool is given out: all of it, to the best three, or to the best alone where few have entered
 * (G-TRN-02).
 */

export type TournamentScore = {
  readonly member: string
  readonly characterId: number
  readonly score: number
  readonly at: string
}
export type RankedScore = TournamentScore & { readonly rank: number; readonly units: number }

/** Out of 100, from the first place on. */
const SHARES = [50, 30, 20]
const WINNER_TAKES_ALL = [100]
/** Entrants from which on there are three prizes. */
const MANY = 5

/** Of two with the same score, who had it earlier comes first. */
export const rankedScores = (
  scored: readonly TournamentScore[],
  entrants: number,
  pool: number,
): readonly RankedScore[] => {
  const order = [...scored].sort((a, b) => b.score - a.score || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const shares = entrants < MANY ? WINNER_TAKES_ALL : SHARES
  const prizes = order.map((_, place) => Math.floor((pool * (shares[place] ?? 0)) / 100))
  const rest = pool - prizes.reduce((sum, units) => sum + units, 0)
  return order.map((each, place) => ({
    ...each,
    rank: place + 1,
    units: (prizes[place] ?? 0) + (place === 0 ? rest : 0),
  }))
}
