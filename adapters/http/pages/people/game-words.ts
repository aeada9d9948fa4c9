import type { GameScope, SpendScope } from '../../../../domain/game/members/scopes.ts'
import type { CharacterClass } from '../../../../domain/game/world/classes.ts'

/** What the game's own words mean, for people. */

export const SCOPE_WORDS: Readonly<Record<GameScope, string>> = {
  'game.read': 'See the game’s world, what there is to do, and your quests',
  'game.characters.read': 'See your characters',
  'game.characters.act': 'Train your characters, let them travel and go on missions',
  'game.explore.act': 'Explore with your characters',
  'game.games.act': 'Play the games of skill',
  'game.pvp.act': 'Challenge others to duels and answer their challenges',
  'game.pvp.wager': 'Stake units in duels',
  'game.tournaments.act': 'Enter tournaments',
  'game.tournament.entry': 'Pay the entry of tournaments in units',
  'game.inventions.propose': 'Propose inventions, which use up fragments',
  'game.studio.spend': 'Order from the studio for units',
  'game.feed.read': 'Follow what happens to you in the game',
}

/** What the units of a day are spent on. */
export const SPEND_WORDS: Readonly<Record<SpendScope, string>> = {
  'game.studio.spend': 'Studio',
  'game.pvp.wager': 'Duels',
  'game.tournament.entry': 'Tournaments',
}

export const CLASS_WORDS: Readonly<Record<CharacterClass, readonly [name: string, about: string]>> = {
  pathfinder: ['Pathfinder', 'quick, and at home in every galaxy'],
  engineer: ['Engineer', 'clever with everything that can be taken apart'],
  envoy: ['Envoy', 'calm, and good with words'],
  vanguard: ['Vanguard', 'strong, and first through the gate'],
}

export const unitsText = (units: number): string => `${units.toLocaleString('en')} ${units === 1 ? 'unit' : 'units'}`
