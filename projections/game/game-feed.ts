import type { FeedKind } from '../../domain/game/world/feed-kinds.ts'
import { periodOf } from '../../domain/game/world/periods.ts'
import { SEASON_POINTS } from '../../domain/game/world/quests.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { idOf } from '../../domain/kernel/stream-id.ts'
import { toldOf, toldTypes } from '../../domain/reading/game-feed.ts'
import type { EventType } from '../../domain/write-side/deciders.ts'
import { type Change, type Projection, plus, put, type Table, upsert } from '../engine/projection.ts'

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
  on: Object.fromEntries(toldTypes.map((type) => [type, shown])) as { [T in EventType]?: typeof shown },
}

const inSeason = ({ owner, kind }: { owner: string; kind: FeedKind }, at: string): readonly Change[] => {
  const points = SEASON_POINTS[kind] ?? 0
  const fresh = { owner, season: periodOf('season', at).slug, points: '0' }
  return points === 0 ? [] : [upsert(seasons, fresh, (row) => ({ points: plus(row.points, BigInt(points)) }))]
}
