import { Refusal, refuse } from '../../kernel/refusal.ts'
import type { Deal } from '../games/judge.ts'
import type { CharacterClass, Stats } from '../world/classes.ts'
import type { FragmentSlug } from '../world/fragments.ts'
import type { Galaxy } from '../world/galaxies.ts'
import type { GameSlug } from '../world/games.ts'
import type { NodeSlug } from '../world/nodes.ts'
import type { Arena } from './arena.ts'
import type { Bests } from './bests.ts'
import type { AnsweredCall } from './calls.ts'

/** The state of a character, and the checks that all of its actions begin with. */
export type CharacterState = { readonly status: 'none' } | Character

export type Character = Arena & {
  readonly status: 'made'
  /** The member that it belongs to: the user's sub. */
  readonly member: string
  readonly characterId: number
  readonly name: string
  readonly class: CharacterClass
  readonly stats: Stats
  readonly xp: number
  readonly trainingPoints: number
  /** The galaxy where it is, or where it is going. */
  readonly galaxy: Galaxy
  readonly busy: Occupation | null
  /** The newest day on which it did anything, how many in a row that made, and the longest such row. */
  readonly day: string
  readonly streak: number
  readonly bestStreak: number
  readonly mission: Mission | null
  /** Runs that are over, the newest last, so that a second claim is told from a claim of an unknown run. */
  readonly over: readonly string[]
  readonly fragments: { readonly [id: string]: FragmentSlug }
  /** Number of fragments that it was given, or will be by actions under way; also the id of the last one. */
  readonly found: number
  /** The newest calls that were made under an Idempotency-Key. */
  readonly calls: readonly AnsweredCall[]
  readonly scan: Scan | null
  /** The nodes that it scanned: whether a scan has succeeded, and the time until which each rests. */
  readonly nodes: { readonly [N in NodeSlug]?: { readonly found: boolean; readonly cooldownUntil: string } }
  readonly plays: Plays
  readonly runs: { readonly [runId: string]: Run }
  readonly bests: Bests
  /** Sets of fragments that were proposed as inventions, the newest last. */
  readonly tried: readonly string[]
}

type Occupation = { readonly status: 'travelling' | 'scanning' | 'on-mission'; readonly until: string }

type Mission = {
  readonly runId: string
  readonly missionId: string
  readonly readyAt: string
  readonly success: boolean
  readonly rewards: Rewards
  readonly seed: string
}

/** A scan of a node; its outcome was decided when it was begun. `success`: nothing went wrong. */
export type Scan = {
  readonly scanId: string
  readonly slug: NodeSlug
  readonly startedAt: string
  readonly readyAt: string
  readonly success: boolean
  readonly find: Rewards
  readonly seed: string
  readonly commit: string
}

/** A run of a mini-game that was begun and is not over. */
export type Run = {
  readonly slug: GameSlug
  /** The link that plays; no other may finish it. */
  readonly linkId: string
  readonly startedAt: string
  readonly expiresAt: string
  readonly seed: string
  readonly commit: string
  readonly deal: Deal
}

/** Runs that were begun on the newest day that any was. */
export type Plays = { readonly day: string; readonly begun: { readonly [G in GameSlug]?: number } }

/** What an action brought: experience, units from the house, and fragments under the character's own numbers. */
export type Rewards = {
  readonly xp: number
  readonly units: number
  readonly fragments: readonly { readonly id: number; readonly slug: FragmentSlug }[]
}

/** The most fragments that a character can hold; it leaves what it finds beyond. */
const FRAGMENTS_MAX = 200
const OVER_MAX = 50

/** Refuses `character-not-found`. */
export const existingCharacter = (state: CharacterState): Character =>
  state.status === 'none' ? refuse('character-not-found') : state

/** Refuses `character-busy` and says until when. */
export const idleCharacter = (character: Character, now: string): Character => {
  const { busy } = character
  if (busy && now < busy.until) throw busyUntil(busy)
  return character
}

const busyUntil = ({ status, until }: Occupation) =>
  new Refusal('character-busy', `This character is ${status} until ${until}. Wait until then.`, undefined, undefined, {
    busy_until: until,
  })

export const statusAt = ({ busy }: Character, now: string): 'idle' | Occupation['status'] =>
  busy && now < busy.until ? busy.status : 'idle'

export const withRewards = (character: Character, { xp, fragments }: Rewards, points: number): Character => ({
  ...character,
  xp: character.xp + xp,
  trainingPoints: character.trainingPoints + points,
  fragments: { ...character.fragments, ...Object.fromEntries(fragments.map(({ id, slug }) => [id, slug])) },
})

/**
 * Reserves the numbers of fragments that are decided and not yet given, so that two actions under way give no number
 * twice.
 */
export const withReservedFragments = (character: Character, { fragments }: Rewards): Character => ({
  ...character,
  found: Math.max(character.found, ...fragments.map(({ id }) => id)),
})

export const withOver = (over: readonly string[], runId: string): readonly string[] => [...over, runId].slice(-OVER_MAX)

/** The fragment that would be found next, if there is room for it. */
export const nextFragment = (character: Character, slug: FragmentSlug | undefined): Rewards['fragments'] =>
  slug === undefined || Object.keys(character.fragments).length >= FRAGMENTS_MAX
    ? []
    : [{ id: character.found + 1, slug }]
