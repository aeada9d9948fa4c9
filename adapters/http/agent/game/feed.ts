import { z } from 'zod'
import { FEED_KINDS } from '../../../../domain/game/world/feed-kinds.ts'
import { characterOfFeed } from '../../../../domain/reading/game-feed.ts'
import type { FeedRow } from '../../../../projections/game/game-feed.ts'
import { endpoint } from '../../core/endpoint.ts'
import { ownersOf } from '../../core/game-progress.ts'
import { count } from '../common/paging.ts'
import { linkOfCaller, ofGame } from './of-game.ts'

/** What has happened to the member in the game, the oldest first (G-FED-01). */

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50

const Event = z
  .object({
    id: z.int(),
    kind: z.enum(FEED_KINDS),
    at: z.string(),
    character_id: z.int().optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({
    id: 'GameEvent',
    description: 'Something that has happened to the member or a character. Ids rise, with gaps.',
  })

export const feedEndpoints = [
  endpoint({
    ...ofGame,
    method: 'get',
    path: '/v1/game/feed',
    summary: 'What has happened to the member in the game; ask again with `since_id` = `last_id`',
    query: z.object({
      since_id: z
        .string()
        .regex(/^\d{1,16}$/)
        .transform(Number)
        .pipe(z.int())
        .optional(),
      limit: count(LIMIT_MAX).pipe(z.int().min(1)).optional(),
    }),
    returns: z.object({ events: z.array(Event), last_id: z.int() }),
    async answer(request) {
      const { query, queries } = request
      const { since_id = 0, limit = LIMIT_DEFAULT } = query
      const { member, state } = await linkOfCaller(request, 'game.feed.read')
      const rows = await queries.gameFeed(ownersOf(member, state), String(since_id), limit)
      return { events: rows.map(shown), last_id: Number(rows.at(-1)?.id ?? since_id) }
    },
  }),
]

const shown = ({ id, owner, kind, at, data }: FeedRow) => {
  const characterId = characterOfFeed(owner)
  return { id: Number(id), kind, at, ...(characterId !== undefined && { character_id: characterId }), data }
}
