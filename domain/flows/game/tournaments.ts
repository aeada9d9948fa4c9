import { dayOf } from '../../calendar.ts'
import { bestIn } from '../../game/bests.ts'
import { made } from '../../game/character-state.ts'
import type { StakeRef } from '../../game/escrow.ts'
import type { StakeFor } from '../../game/stakes.ts'
import { type Entry, type TournamentCommands, whyNot } from '../../game/tournament.ts'
import { tournamentOf } from '../../game/tournaments.ts'
import type { Ledger } from '../../ledger.ts'
import { refuse } from '../../refusal.ts'
import type { Flow } from '../flow.ts'
import type { Once } from '../once.ts'
import { callOf, characterOf } from './act.ts'
import type { CarriedStake, Player } from './duels.ts'

/** Tournaments (G-TRN-02). An entry is staked first; `carry-stakes` goes on from there if nobody else does. */

type Does = Pick<Flow, 'ledger' | 'world'>

/** Refuses `tournament-not-found`, `tournament-closed`, `tournament-full`, `already-entered`, and all that a stake is refused for. */
export const enterTournament = async (
  { ledger, world }: Does,
  once: Once,
  { member, linkId }: Player,
  { slug, characterId }: { slug: string; characterId: number },
): Promise<{ entryUnits: number }> => {
  const tournament = tournamentOf(slug)
  if (!tournament) return refuse('tournament-not-found', 'There is no such tournament.')
  await characterOf({ ledger }, member, characterId)
  const { entryUnits } = tournament
  const call = callOf(once)
  await once.make<Entry & { request?: string }>(
    async () => {
      const { entries } = await ledger.gameTournament.read(slug)
      const before = call && entries.find((entry) => entry.member === member && entry.call?.id === call.id)
      return before?.call ? { ...before, request: before.call.request } : { status: 'none' }
    },
    async () => {
      const wish = { slug, member, characterId, stake: null, ...(call && { call }) }
      // Asked first, so that a stake is made only for what can be entered; it is decided again below.
      const asked = { ...wish, stake: entryUnits > 0 ? { stakeId: '', units: entryUnits } : null }
      const why = whyNot(await ledger.gameTournament.read(slug), asked, tournament, world.now().toISOString())
      if (why) refuse(...why)
      const stake = entryUnits > 0 ? await entryStake({ ledger, world }, { member, linkId }, wish, entryUnits) : null
      const { state } = await ledger.gameTournament.enter(slug, { ...wish, stake })
      // Two calls of one day share a stake; whoever was second has not entered with another character.
      if (!state.entries.some((entry) => entry.member === member && entry.characterId === characterId))
        refuse('already-entered', 'You have entered this tournament: one entry per member.')
      return { ...wish, stake }
    },
  )
  return { entryUnits }
}

/** Goes on from an entry that was staked, whatever has happened since; done once more it changes nothing. */
export const carryEntry = (
  { ledger }: Pick<Does, 'ledger'>,
  { slug, characterId, call }: Extract<StakeFor, { kind: 'tournament' }>,
  by: CarriedStake,
): Promise<unknown> => ledger.gameTournament.enter(slug, { ...by, slug, characterId, ...(call && { call }) })

/** Settles a tournament that is over by the best that each entrant has scored in it, as its character's own stream tells. */
export const settleTournament = async (ledger: Ledger, slug: string): Promise<void> => {
  const tournament = tournamentOf(slug)
  if (!tournament) return
  const { game, window } = tournament
  const { entries } = await ledger.gameTournament.read(slug)
  const scores: TournamentCommands['settle']['scores'][number][] = []
  for (const { characterId } of entries) {
    const best = bestIn(made(await ledger.gameCharacter.read(String(characterId))), game, window)
    if (best) scores.push({ characterId, ...best })
  }
  await ledger.gameTournament.settle(slug, { slug, scores })
}

/** The id is of the day, on which alone it is good, so that no two stakes ever share one. */
const entryStake = async (
  { ledger, world }: Does,
  { member, linkId }: Player,
  { slug, characterId, call }: Pick<Entry, 'characterId' | 'call'> & { slug: string },
  units: number,
): Promise<StakeRef> => {
  const onDay = dayOf(world.now().toISOString())
  const stakeId = `entry:${slug}:${onDay}`
  const what = { kind: 'tournament', slug, characterId, ...(call && { call }) } as const
  const where = { scope: 'game.tournament.entry', to: `escrow:tournament:${slug}` } as const
  await ledger.gameMember.stake(member, { stakeId, linkId, units, ...where, for: what, onDay })
  return { stakeId, units }
}
