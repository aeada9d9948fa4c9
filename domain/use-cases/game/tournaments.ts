import { bestIn } from '../../game/characters/bests.ts'
import { existingCharacter } from '../../game/characters/character-state.ts'
import { type Entry, type TournamentCommands, whyNot } from '../../game/contests/tournament.ts'
import { heldAs, tournamentOf } from '../../game/contests/tournaments.ts'
import type { StakeFor } from '../../game/members/stakes.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { characterOf } from './characters.ts'
import { CALL } from './do-once.ts'
import type { CarriedStake } from './duels.ts'
import type { LinkedPlayer } from './links.ts'
import { stakeToday } from './staking.ts'

/** Tournaments (G-TRN-02). An entry is staked first; `carry-stakes` goes on from there if nobody else does. */

type TournamentContext = Pick<UseCaseContext, 'ledger' | 'world'>

/**
 * Refuses `tournament-not-found`, `tournament-closed`, `tournament-full`, `already-entered`, and all that a stake is
 * refused for.
 */
export const enterTournament = async (
  { ledger, world }: TournamentContext,
  once: Once,
  by: LinkedPlayer,
  { slug, characterId }: { slug: string; characterId: number },
): Promise<{ entryUnits: number }> => {
  const tournament = tournamentOf(slug)
  if (!tournament)
    return refuse('tournament-not-found', 'There is no such tournament. Look for it in GET /v1/game/tournaments.')
  await characterOf({ ledger }, by, characterId)
  const { member } = by
  const { entryUnits } = tournament
  const call = once.call(CALL)
  await once.make<Entry & { request?: string }>(
    async () => {
      const { entries } = await ledger.gameTournament.read(slug)
      const before = call && entries.find((entry) => entry.member === member && entry.call?.id === call.id)
      return before?.call ? { ...before, request: before.call.request } : { status: 'none' }
    },
    async () => {
      const wish = { slug, member, characterId, stake: null, ...(call && { call }) }
      // The rules are asked first, so that a stake is made only for what can be entered; they decide again below.
      const asked = { ...wish, stake: entryUnits > 0 ? { stakeId: '', units: entryUnits } : null }
      const why = whyNot(await ledger.gameTournament.read(slug), asked, tournament, world.now().toISOString())
      if (why) refuse(...why)
      if (call) await ledger.gameMember.noteCall(member, { call })
      const stake = await stakeToday({ ledger, world }, by, {
        about: `entry:${slug}`,
        scope: 'game.tournament.entry',
        to: `escrow:tournament:${slug}`,
        units: entryUnits,
        for: { kind: 'tournament', slug, characterId, ...(call && { call }) },
      })
      const { state } = await ledger.gameTournament.enter(slug, { ...wish, stake })
      // Two calls of one day share a stake; whoever was second has not entered with another character.
      if (!state.entries.some((entry) => entry.member === member && entry.characterId === characterId))
        refuse(
          'already-entered',
          'This member has entered the tournament already, once for all its characters. Enter another tournament.',
        )
      return { ...wish, stake }
    },
  )
  return { entryUnits }
}

/** Goes on from an entry that was staked, whatever has happened since; done once more it changes nothing. */
export const carryEntry = (
  { ledger }: Pick<TournamentContext, 'ledger'>,
  { slug, characterId, call }: Extract<StakeFor, { kind: 'tournament' }>,
  by: CarriedStake,
): Promise<unknown> => ledger.gameTournament.enter(slug, { ...by, slug, characterId, ...(call && { call }) })

/**
 * Settles a tournament that is over by the best that each entrant has scored in it, as its character's own stream
 * tells.
 */
export const settleTournament = async (ledger: Ledger, slug: string): Promise<void> => {
  const { entries, held: kept } = await ledger.gameTournament.read(slug)
  const held = heldAs(slug, kept)
  const scores: TournamentCommands['settle']['scores'][number][] = []
  for (const { characterId } of entries) {
    const character = existingCharacter(await ledger.gameCharacter.read(String(characterId)))
    const best = held && bestIn(character, held.game, held.window)
    if (best) scores.push({ characterId, ...best })
  }
  await ledger.gameTournament.settle(slug, { slug, scores })
}
