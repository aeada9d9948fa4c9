import { addDays, dayOf } from '../../kernel/calendar.ts'
import type { SealedText } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../../kernel/refusals/limits.ts'
import type { GameCall } from '../characters/calls.ts'
import type { CharacterClass } from '../world/classes.ts'
import type { Links } from './links.ts'
import { SPEND_SCOPES, type SpendScope } from './scopes.ts'

/**
 * Game units that a link spends. One event in the member's own stream counts them against the day's grant and moves
 * them into escrow, so that no two calls can spend the same; it says what they are for, so that whoever finds it can
 * finish what was begun. What cannot be proved is refused (G-GEN-03, X-CLOSED-01).
 */

/** Where staked units lie until the contest or the work is over: the name of the account in the journal. */
type Escrow = `escrow:pvp:${string}` | `escrow:tournament:${string}` | `studio:${string}`

/** What a stake was made for, with all that is needed to go on from it. */
export type StakeFor =
  | { readonly kind: 'duel'; readonly duelId: string; readonly terms: DuelTerms; readonly request?: string }
  | { readonly kind: 'duel-accept'; readonly duelId: string; readonly requestId: string; readonly request?: string }
  | { readonly kind: 'tournament'; readonly slug: string; readonly characterId: number; readonly call?: GameCall }
  | { readonly kind: 'studio'; readonly jti: string; readonly order: StudioOrder }

/** A duel as its challenger asks for it; the two are characters. */
export type DuelTerms = {
  readonly challenger: number
  readonly defender: number
  readonly challengerMember: string
  readonly defenderMember: string
  readonly wagerUnits: number
  readonly seed: string
  readonly commit: string
}

/** A work of the studio as it was ordered; its options are people's words, so they are sealed under the member. */
export type StudioOrder = {
  readonly slug: string
  readonly characterId: number
  readonly opts: SealedText
  readonly priceUnits: number
  /** The character as it was when the work was ordered. */
  readonly sitter: Sitter
}

export type Sitter = { readonly name: string; readonly class: CharacterClass; readonly level: number }

export type Stake = {
  /** One id for each thing that is staked for, so that a repetition finds the stake. */
  stakeId: string
  linkId: string
  scope: SpendScope
  units: number
  to: Escrow
  for: StakeFor
  /**
   * The only day (UTC) that it may be staked on, where the id holds for that day alone: a day's stakes are forgotten
   * with the day.
   */
  onDay?: string
  /** Time from which it must not be staked any more. */
  until?: string
}

export type StakedUnits = Omit<Stake, 'onDay' | 'until'> & {
  day: string
  usedToday: number
  balance: number
  stakedAt: string
}

/** What has been spent on the newest day that anything was spent on. */
export type Spending = {
  readonly day: string
  readonly newest: string
  /** Units that were spent, keyed by link and scope. */
  readonly used: { readonly [linkAndScope: string]: number }
  /** The day's stakes, keyed by id. */
  readonly stakes: { readonly [stakeId: string]: { readonly key: string; readonly units: number } }
}

export const NOTHING_SPENT: Spending = { day: '', newest: '', used: {}, stakes: {} }

/** Stakes of one link under one scope in one day, whether or not they came back. */
const STAKES_MAX = 100
/**
 * Stakes of all links of a member in one day, also of links that are not there any more. No link can have so many that
 * none are left for the others.
 */
const ALL_STAKES_MAX = 400

const TOO_MANY_STAKES = `A link stakes at most ${STAKES_MAX} times in a day. Try again after midnight UTC.`

const STAKED_BY_ANOTHER =
  'Another link of this member has staked units for this today. Try again after midnight UTC, if it is open then.'

const CEILINGS = {
  'game.studio.spend': 'grant-ceiling',
  'game.pvp.wager': 'wager-grant-ceiling',
  'game.tournament.entry': 'entry-grant-ceiling',
} as const

/**
 * Another link of the member has staked for the same thing. What is staked by the day is free for this one on the next
 * day; a quote is of the link that it was made for, for ever.
 */
const refuseStaked = (onDay: string | undefined, now: string): never => {
  if (onDay === undefined)
    return refuse(
      'quote-mismatch',
      'Another link of this member has ordered by this quote. Ask for a quote of your own.',
    )
  const waitS = secondsUntil(addDays(dayOf(now), 1), now)
  throw new LimitReached('game.stakes', waitS, STAKED_BY_ANOTHER)
}

/**
 * The event of a stake; undefined when this link has made it before. Another link has no part in what was staked on
 * that link's grant. Refuses `game-not-linked`, `game-scope-missing`, the scope's ceiling, `insufficient-units`,
 * `quote-expired`, `quote-mismatch`, `rate-limited`.
 */
export const stakedUnits = (
  { links, spending, balance }: { links: Links; spending: Spending; balance: number },
  { onDay, until, ...stake }: Stake,
  now: string,
): StakedUnits | undefined => {
  const { linkId, scope, units } = stake
  const key = keyOf(linkId, scope)
  const before = spending.stakes[stake.stakeId]
  if (before?.key === key) return undefined
  if (before) return refuseStaked(onDay, now)
  if (until !== undefined && now >= until)
    return refuse('quote-expired', `This quote was good until ${until}. Ask for a new one.`)
  const link = links[linkId]
  if (link?.state !== 'active') return refuse('game-not-linked')
  if (!link.scopes.includes(scope))
    return refuse('game-scope-missing', `The link lacks ${scope}. Ask the member to change the link.`)
  const ceiling = link.grants[scope] ?? 0
  const usedToday = usedOn(spending, now, linkId, scope) + whole(units)
  // A clock that has gone back would give a day's grant twice.
  if (now < spending.newest)
    return refuse(CEILINGS[scope], `The clock is behind the last ${scope}. Try again in a moment.`)
  if (usedToday > ceiling)
    return refuse(
      CEILINGS[scope],
      `The member grants ${ceiling} units a day for ${scope}. Wait until midnight UTC, or ask for more.`,
    )
  if (onDay !== undefined && onDay !== dayOf(now))
    return refuse(CEILINGS[scope], `The day of this ${scope} is over: ask again.`)
  if (units > balance) return refuse('insufficient-units', `The member has ${balance} units. Win some, or stake less.`)
  const all = Object.values(today(spending, now).stakes)
  if (all.length >= ALL_STAKES_MAX || all.filter((each) => each.key === key).length >= STAKES_MAX)
    throw new LimitReached('game.stakes', secondsUntil(addDays(dayOf(now), 1), now), TOO_MANY_STAKES)
  return { ...stake, day: dayOf(now), usedToday, balance: balance - units, stakedAt: now }
}

export const withStaked = (
  spending: Spending,
  { stakeId, linkId, scope, units, usedToday, stakedAt }: StakedUnits,
): Spending => {
  const { day, used, stakes } = today(spending, stakedAt)
  const key = keyOf(linkId, scope)
  return {
    day,
    newest: stakedAt,
    used: { ...used, [key]: usedToday },
    stakes: { ...stakes, [stakeId]: { key, units } },
  }
}

/** A stake that came back can be spent again on its own day, and on no other. */
export const withReturned = (spending: Spending, stakeId: string): Spending => {
  const stake = spending.stakes[stakeId]
  if (!stake) return spending
  const used = (spending.used[stake.key] ?? 0) - stake.units
  const kept = { ...spending.stakes, [stakeId]: { key: stake.key, units: 0 } }
  return { ...spending, used: { ...spending.used, [stake.key]: Math.max(used, 0) }, stakes: kept }
}

/** Units that a link has spent under a scope on the day of `now`. */
export const usedOn = (spending: Spending, now: string, linkId: string, scope: SpendScope): number =>
  today(spending, now).used[keyOf(linkId, scope)] ?? 0

export const isSpendScope = (scope: string): scope is SpendScope => SPEND_SCOPES.some((spends) => spends === scope)

const today = (spending: Spending, now: string): Spending =>
  spending.day === dayOf(now) ? spending : { ...NOTHING_SPENT, day: dayOf(now), newest: spending.newest }

const keyOf = (linkId: string, scope: SpendScope) => `${linkId} ${scope}`

const whole = (units: number): number =>
  Number.isSafeInteger(units) && units > 0
    ? units
    : refuse('invalid-request', 'units: has to be a whole number above zero')
