import { SETTLE_GRACE_MINUTES } from '../../game/contests/tournament.ts'
import { addMinutes } from '../../kernel/calendar.ts'
import type { World } from '../../kernel/ports.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { settleTournament } from './tournaments.ts'

/** Duels and tournaments, of each kind, that one run takes; the next run takes the rest. */
const AT_ONCE_MAX = 200

export type DueGames = {
  duelsDue(now: string, limit: number): Promise<readonly string[]>
  /** The tournaments that ended before this time and are not settled. */
  tournamentsDue(before: string, limit: number): Promise<readonly string[]>
}

/**
 * Ends what is due in the game: duels that nobody has answered in time give their wager back (G-PVP-02), tournaments
 * that are over are settled (G-TRN-02). Repeating it changes nothing.
 */
export const endDueGames = async (ledger: Ledger, world: World, due: DueGames): Promise<void> => {
  for (const duelId of await due.duelsDue(world.now().toISOString(), AT_ONCE_MAX))
    await ledger.gameDuel.expire(duelId, {})
  const before = addMinutes(world.now().toISOString(), -SETTLE_GRACE_MINUTES)
  for (const slug of await due.tournamentsDue(before, AT_ONCE_MAX)) await settleTournament(ledger, slug)
}
