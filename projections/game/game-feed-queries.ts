import type { Sql } from 'postgres'
import type { FeedKind } from '../../domain/game/world/feed-kinds.ts'
import type { Tier } from '../../domain/game/world/guilds.ts'
import type { FeedOwner } from '../../domain/reading/game-feed.ts'

/**
 * Reads of the feed of one member: its own lines and those of its characters, so few owners. Each read is bounded by
 * its index.
 */

export type FeedRow = {
  id: string
  owner: FeedOwner
  kind: FeedKind
  at: string
  data: Readonly<Record<string, unknown>>
}

type Owners = readonly FeedOwner[]

/** What is counted: lines of these kinds from a time up to another, and no further than `most`. */
export type FeedCountWish = {
  readonly slug: string
  readonly kinds: readonly FeedKind[]
  readonly from: string
  readonly until: string
  readonly most: number
}

/** How many lines of these kinds each tier takes. */
export type Steps = { readonly slug: string; readonly kinds: readonly FeedKind[] } & Readonly<Record<Tier, number>>

/** When each tier was reached. */
export type TierTimes = { slug: string } & Record<Tier, string | null>

export const gameFeedQueries = (sql: Sql) => {
  /** None of them has a space in it. */
  const listed = (names: readonly string[]) => sql`string_to_array(${names.join(' ')}, ' ')`
  return {
    /** Ascending, after the id. */
    gameFeed: (owners: Owners, since: string, limit: number): Promise<FeedRow[]> => sql<FeedRow[]>`
    select f.id::text, f.owner, f.kind, f.at, f.data
    from unnest(${listed(owners)}) as o(owner)
    cross join lateral (
      select * from game_feed where owner = o.owner and id > ${since} order by id limit ${limit}
    ) f
    order by f.id, f.owner limit ${limit}`,

    /** Lines of some kinds, the newest first; `before` is the id of the last one that is known. */
    gameFeedOf: (owners: Owners, kinds: readonly FeedKind[], limit: number, before?: string): Promise<FeedRow[]> => sql<
      FeedRow[]
    >`
    select f.id::text, f.owner, f.kind, f.at, f.data
    from unnest(${listed(owners)}) as o(owner) cross join unnest(${listed(kinds)}) as k(kind)
    cross join lateral (
      select * from game_feed
      where owner = o.owner and kind = k.kind ${before === undefined ? sql`` : sql`and id < ${before}`}
      order by id desc limit ${limit}
    ) f
    order by f.id desc, f.owner limit ${limit}`,

    /** How many lines there are of what is counted, by slug. */
    async gameCounts(owners: Owners, wanted: readonly FeedCountWish[]): Promise<ReadonlyMap<string, number>> {
      const rows = await sql<{ slug: string; count: number }[]>`
      select w.slug, (
        select count(*)::int from (
          select 1 from game_feed f
          where f.owner = any(${listed(owners)}) and f.kind = any(w.kinds) and f.at >= w.from and f.at < w.until
          limit w.most
        ) found
      ) as count
      from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb)
        as w(slug text, kinds text[], "from" text, until text, most integer)`
      return new Map(rows.map(({ slug, count }) => [slug, count]))
    },

    /** The line that made the number full, for each step; no owner's lines count further than the last step. */
    gameSteps: (owners: Owners, steps: readonly Steps[]): Promise<TierTimes[]> => sql<TierTimes[]>`
    select s.slug, times.at[s.bronze] as bronze, times.at[s.silver] as silver, times.at[s.gold] as gold
    from jsonb_to_recordset(${JSON.stringify(steps)}::text::jsonb)
      as s(slug text, kinds text[], bronze integer, silver integer, gold integer)
    cross join lateral (
      select array_agg(f.at order by f.at) as at
      from unnest(${listed(owners)}) as o(owner) cross join unnest(s.kinds) as k(kind)
      cross join lateral (
        select at from game_feed where owner = o.owner and kind = k.kind order by at limit s.gold
      ) f
    ) times`,

    /** What a season has brought. */
    async gameSeasonPoints(owners: Owners, season: string): Promise<number> {
      const [row] = await sql<{ points: string }[]>`
      select coalesce(sum(points), 0)::text as points from game_seasons
      where owner = any(${listed(owners)}) and season = ${season}`
      return Number(row?.points ?? 0)
    },
  }
}
