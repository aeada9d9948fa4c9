import { isClaimed, type MemberState } from '../../../domain/game/members/member.ts'
import { guilds, TIERS, type Tier } from '../../../domain/game/world/guilds.ts'
import { periodOf } from '../../../domain/game/world/periods.ts'
import { type Quest, questOf, quests, seasonTier } from '../../../domain/game/world/quests.ts'
import { characterFeed, characterOfFeed, type FeedOwner, memberFeed } from '../../../domain/reading/game-feed.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'

/**
 * How far a member has come in the game: quests, guilds, the season and the streak, as its own pages and its links show
 * them.
 */

type MemberProgress = {
  readonly flow: UseCaseContext
  readonly queries: Queries
  readonly member: string
  readonly state: MemberState
}

/** The owners whose lines in the feed are the member's. */
export const ownersOf = (member: string, { characters }: Pick<MemberState, 'characters'>): readonly FeedOwner[] => [
  memberFeed(member),
  ...characters.map(characterFeed),
]

export type QuestProgress = Quest & {
  readonly slug: string
  readonly endsAt: string
  readonly progress: number
  readonly state: 'open' | 'done' | 'claimed'
}

export const questsOf = async ({ flow, queries, member, state }: MemberProgress): Promise<readonly QuestProgress[]> => {
  const now = flow.world.now().toISOString()
  const all = Object.entries(quests).map(([slug, quest]) => ({ ...quest, slug, period: periodOf(quest.every, now) }))
  const counts = await queries.gameCounts(
    ownersOf(member, state),
    all.map(({ slug, kinds, target, period: { startsAt, endsAt } }) => ({
      slug,
      kinds,
      most: target,
      from: startsAt,
      until: endsAt,
    })),
  )
  return all.map(({ period, ...quest }) => {
    const progress = counts.get(quest.slug) ?? 0
    const isTaken = isClaimed(state.quests, quest.slug, period.slug)
    const isDone = progress >= quest.target
    return { ...quest, endsAt: period.endsAt, progress, state: isTaken ? 'claimed' : isDone ? 'done' : 'open' }
  })
}

/** How often something of a quest was done within a time. */
export const progressIn =
  ({ queries, member, state }: MemberProgress, slug: string) =>
  async (from: string, until: string): Promise<number> => {
    const { kinds = [], target = 0 } = questOf(slug) ?? {}
    const counts = await queries.gameCounts(ownersOf(member, state), [{ slug, kinds, from, until, most: target }])
    return counts.get(slug) ?? 0
  }

export const seasonOf = async ({ flow, queries, member, state }: MemberProgress) => {
  const { slug, startsAt, endsAt } = periodOf('season', flow.world.now().toISOString())
  const points = await queries.gameSeasonPoints(ownersOf(member, state), slug)
  return { slug, startsAt, endsAt, points, tier: seasonTier(points) }
}

export type Membership = { readonly slug: string; readonly tier: Tier; readonly since: string }

/** Guilds that the member belongs to by what it and its characters have done. */
export const membershipsOf = async ({
  queries,
  member,
  state,
}: Omit<MemberProgress, 'flow'>): Promise<readonly Membership[]> => {
  const steps = Object.entries(guilds).map(([slug, { kinds, tiers }]) => ({ slug, kinds, ...tiers }))
  const reached = await queries.gameSteps(ownersOf(member, state), steps)
  return reached.flatMap((row) => {
    const tier = TIERS.findLast((each) => row[each] !== null)
    return tier ? [{ slug: row.slug, tier, since: row[tier] ?? '' }] : []
  })
}

/** Titles shown at once, the newest. */
const CHAMPIONS_MAX = 50

/** Tournaments that a character of the member has won. */
export const championsOf = async ({ queries, member, state }: Omit<MemberProgress, 'flow'>) => {
  const rows = await queries.gameFeedOf(ownersOf(member, state), ['tournament-won'], CHAMPIONS_MAX)
  return rows.flatMap(({ owner, data }) => {
    const characterId = characterOfFeed(owner)
    return characterId === undefined ? [] : [{ characterId, title: `Champion of ${data.slug}` }]
  })
}
