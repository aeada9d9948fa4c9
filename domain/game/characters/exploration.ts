import { addMinutes } from '../../kernel/calendar.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Dice } from '../world/chance.ts'
import { type FragmentSlug, RARITIES, slugsOf } from '../world/fragments.ts'
import { isNode, type Node, type NodeSlug, nodes } from '../world/nodes.ts'
import {
  type Character,
  idleCharacter,
  nextFragment,
  type Rewards,
  type Scan,
  withReservedFragments,
  withRewards,
} from './character-state.ts'
import { today } from './days.ts'
import { chance, outcome } from './outcome.ts'
import { levelOf, pointsFor } from './sheet.ts'

/**
 * A character scans a node where it is, and takes what it found when the scan is over; the outcome is decided when it
 * begins (G-EXP-02).
 */

export type ScanEvents = {
  /** The node rests until `cooldownUntil`. */
  GameScanStarted: Scan & { cooldownUntil: string }
  /** The event sends the found `units` to the member. */
  GameScanClaimed: {
    scanId: string
    slug: NodeSlug
    member: string
    success: boolean
    find: Rewards
    points: number
    /** The seed that was committed to. */
    seed: string
    claimedAt: string
  }
}

export type ScanCommands = {
  /**
   * Refuses `not-found`, `character-busy`, `not-claimed`, `wrong-galaxy`, `not-ready`. Does nothing for a scan that was
   * begun.
   */
  startScan: { scanId: string; slug: string; seed: string; commit: string } & ScanRoll
  /** Refuses `run-not-found`, `not-ready`, `already-claimed`. */
  claimScan: { slug: string }
}

/** What the dice say of a scan before it is known who scans: a roll from 0 to 99, and the fragment that lies there. */
type ScanRoll = { readonly roll: number; readonly fragment: FragmentSlug | undefined }

export const scanChance = (luck: number, danger: number): number => chance(60 + luck - danger)

/**
 * Draws from the dice, in this order: the roll against the danger, the one for the rarity, and which fragment of that
 * rarity it is.
 */
export const drawnAt = (slug: NodeSlug, dice: Dice): ScanRoll => {
  const roll = dice.below(100)
  let left = dice.below(100)
  const { finds }: Node = nodes[slug]
  for (const rarity of RARITIES) {
    const percent = finds[rarity] ?? 0
    const kinds = slugsOf(rarity)
    if (left < percent) return { roll, fragment: kinds[dice.below(kinds.length)] }
    left -= percent
  }
  return { roll, fragment: undefined }
}

/** Whether a node is closed to a character. */
export const isLocked = (character: Character, slug: NodeSlug): boolean => {
  const { level, after }: Node['opensAt'] = nodes[slug].opensAt
  return levelOf(character.xp) < level || !after.every((before) => isNode(before) && character.nodes[before]?.found)
}

/** Time until which a node rests; null when it can be scanned. */
export const restingUntil = ({ nodes: scanned }: Character, slug: NodeSlug, now: string): string | null => {
  const until = scanned[slug]?.cooldownUntil ?? ''
  return now < until ? until : null
}

export const startScan = (before: Character, command: ScanCommands['startScan'], now: string) => {
  const { roll, fragment, ...given } = command
  const { scanId, slug } = command
  if (before.scan?.scanId === scanId) return []
  if (!isNode(slug)) return refuse('not-found', 'There is no such node. Look for it in GET /v1/game/explore.')
  const { character, begun } = today(idleCharacter(before, now), now)
  if (character.scan) return refuse('not-claimed', `Claim the scan of ${character.scan.slug} first.`)
  const node: Node = nodes[slug]
  if (character.galaxy !== node.galaxy)
    return refuse('wrong-galaxy', `This node lies in ${node.galaxy}. Travel there first.`)
  if (isLocked(character, slug))
    return refuse('not-ready', `This node opens at ${opening(node)}. Scan others until then.`)
  const resting = restingUntil(character, slug, now)
  if (resting) return refuse('not-ready', `This node rests until ${resting}. Wait, or scan another one.`)
  const success = roll < scanChance(character.stats.luck, node.danger)
  const find = outcome(success, { xp: node.xp, units: node.units, fragments: nextFragment(character, fragment) })
  const readyAt = addMinutes(now, node.scanMinutes)
  const cooldownUntil = addMinutes(readyAt, node.cooldownMinutes)
  const data = { ...given, slug, startedAt: now, readyAt, cooldownUntil, success, find }
  return [...begun, { type: 'GameScanStarted', data } as const]
}

export const claimScan = (character: Character, { slug }: ScanCommands['claimScan'], now: string) => {
  const { scan } = character
  if (scan?.slug !== slug)
    return isNode(slug) && character.nodes[slug]
      ? refuse('already-claimed', 'What was found there was claimed. Scan another node.')
      : refuse('run-not-found', 'There is no scan of that node. Start one first.')
  if (now < scan.readyAt) return refuse('not-ready', `This scan is ready at ${scan.readyAt}. Come back then.`)
  const { scanId, success, find, seed } = scan
  const points = pointsFor(character.xp, character.xp + find.xp)
  const { member } = character
  const data = { scanId, slug: scan.slug, member, success, find, points, seed, claimedAt: now }
  return [...today(character, now).begun, { type: 'GameScanClaimed', data } as const]
}

export const scanAfter = {
  GameScanStarted: (character: Character, { cooldownUntil, ...scan }: ScanEvents['GameScanStarted']): Character => ({
    ...withReservedFragments(character, scan.find),
    busy: { status: 'scanning', until: scan.readyAt },
    scan,
    nodes: { ...character.nodes, [scan.slug]: { found: character.nodes[scan.slug]?.found ?? false, cooldownUntil } },
  }),
  GameScanClaimed: (character: Character, data: ScanEvents['GameScanClaimed']): Character => {
    const { slug, success, find, points } = data
    const { found = false, cooldownUntil = '' } = character.nodes[slug] ?? {}
    return {
      ...withRewards(character, find, points),
      scan: null,
      nodes: { ...character.nodes, [slug]: { found: found || success, cooldownUntil } },
    }
  },
}

const opening = ({ opensAt: { level, after } }: Node): string =>
  after.length === 0
    ? `level ${level}`
    : `level ${level}, when ${after.join(' and ')} ${after.length > 1 ? 'are' : 'is'} found`
