import type { Sql } from 'postgres'
import type { FeedKind } from '../../domain/game/world/feed-kinds.ts'
import type { Tier } from '../../domain/game/world/guilds.ts'
import { periodOf } from '../../domain/game/world/periods.ts'
import { SEASON_POINTS } from '../../domain/game/world/quests.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { type FeedOwner, toldOf, toldTypes } from '../../domain/reading/game-feed.ts'
import { type Change, onEach, type Projection, plus, put, type Table, upsert } from '../engine/projection.ts'

/**
 * What has happened to members and their characters in the game, one line for each that an event tells (G-FED-01);
 * quests, guilds and seasons are counted from it. An owner is a member or a character; a member's feed is its own and
 * those of its characters.
 */

const feed = {
  name: 'game_feed',
  columns: {
    owner: 'text',
    // Its place in the ledger's own order: the same in every copy, and rising.
    id: 'bigint',
    kind: 'text',
    at: 'text',
    data: 'json',
  },
  key: ['owner', 'id'],
  indexes: ['owner, kind, at', 'owner, kind, id'],
} as const satisfies Table

const seasons = {
  name: 'game_seasons',
  columns: { owner: 'text', season: 'text', points: 'bigint' },
  key: ['owner', 'season'],
} as const satisfies Table

const shown = ({ type, data, stream, at, order }: RecordedEvent): readonly Change[] =>
  toldOf(type, data, idOf(stream)).flatMap((told) => [
    put(feed, { owner: told.owner, id: String(order), kind: told.kind, at, data: told.data }),
    ...inSeason(told, at),
  ])

export const gameFeedProjection: Projection = {
  name: 'game-feed',
  version: 2,
  tables: [feed, seasons],
  on: onEach(toldTypes, shown),
}

const inSeason = ({ owner, kind }: { owner: string; kind: FeedKind }, at: string): readonly Change[] => {
  const points = SEASON_POINTS[kind] ?? 0
  const fresh = { owner, season: periodOf('season', at).slug, points: '0' }
  return points === 0 ? [] : [upsert(seasons, fresh, (row) => ({ points: plus(row.points, BigInt(points)) }))]
}

/**
 * Queries of the feed of one member: its own lines and those of its characters. These are few owners, and each read is
 * bounded by its index.
 */

export type FeedRow = {
  id: string
  owner: FeedOwner
  kind: FeedKind
  at: string
  data: Readonly<Record<string, unknown>>
}

type Owners = readonly FeedOwner[]

/** Lines to count: those of these kinds from a time up to another, and no further than `most`. */
type FeedCountWish = {
  readonly slug: string
  readonly kinds: readonly FeedKind[]
  readonly from: string
  readonly until: string
  readonly most: number
}

/** Number of lines of these kinds that each tier takes. */
type Steps = { readonly slug: string; readonly kinds: readonly FeedKind[] } & Readonly<Record<Tier, number>>

/** Time at which each tier was reached; null before that. */
type TierTimes = { slug: string } & Record<Tier, string | null>

export const gameFeedQueries = (sql: Sql) => {
  /** An array of names as SQL; none of them has a space in it. */
  const listed = (names: readonly string[]) => sql`string_to_array(${names.join(' ')}, ' ')`
  return {
    /** Lines after an id, the oldest first. */
    gameFeed: (owners: Owners, since: string, limit: number): Promise<FeedRow[]> => sql<FeedRow[]>`
    select f.id::text, f.owner, f.kind, f.at, f.data
    from unnest(${listed(owners)}) as o(owner)
    cross join lateral (
      select * from game_feed where owner = o.owner and id > ${since} order by game_feed.id limit ${limit}
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
      order by game_feed.id desc limit ${limit}
    ) f
    order by f.id desc, f.owner limit ${limit}`,

    /** Number of lines that fit each wish, keyed by its slug. */
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

    /**
     * Time of the line that completed each tier; for each owner and kind, no more lines are read than the highest tier
     * takes.
     */
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

    /** The points that a season has brought. */
    async gameSeasonPoints(owners: Owners, season: string): Promise<number> {
      const [row] = await sql<{ points: string }[]>`
      select coalesce(sum(points), 0)::text as points from game_seasons
      where owner = any(${listed(owners)}) and season = ${season}`
      return Number(row?.points ?? 0)
    },
  }
}
