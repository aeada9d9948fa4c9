import { z } from 'zod'
import { streaksOf } from '../../../../domain/game/characters/days.ts'
import { charactersOf } from '../../../../domain/use-cases/game/characters.ts'
import { endpoint } from '../../core/endpoint.ts'
import { questsOf, seasonOf } from '../../core/game-progress.ts'
import { linkOfCaller, ofGame } from './of-game.ts'

/** The member's quests. The member takes their rewards on its own pages, so there is no call that claims (G-QST-01). */

const Quests = z
  .object({
    quests: z.array(
      z.object({
        slug: z.string(),
        title: z.string(),
        progress: z.int(),
        target: z.int(),
        state: z.enum(['open', 'done', 'claimed']),
        reward: z.object({ units: z.int() }),
      }),
    ),
    streaks: z.object({ current: z.int(), best: z.int(), last_day: z.string().nullable() }),
    season: z.object({
      slug: z.string(),
      starts_at: z.string(),
      ends_at: z.string(),
      points: z.int(),
      tier: z.string().nullable(),
    }),
  })
  .meta({
    id: 'GameQuests',
    description: 'Quests of the present day, week and season (UTC). `done`: the member can claim it.',
  })

export const questEndpoints = [
  endpoint({
    ...ofGame,
    method: 'get',
    path: '/v1/game/quests',
    summary: 'The member’s quests, streak and season',
    returns: Quests,
    async answer(request) {
      const { flow, queries } = request
      const { member, state } = await linkOfCaller(request, 'game.read')
      const mine = { flow, queries, member, state }
      const [quests, season, characters] = await Promise.all([
        questsOf(mine),
        seasonOf(mine),
        charactersOf(flow, state),
      ])
      const { current, best, lastDay = null } = streaksOf(characters, flow.world.now().toISOString())
      return {
        quests: quests.map(({ slug, title, progress, target, state: how, units }) => ({
          slug,
          title,
          progress,
          target,
          state: how,
          reward: { units },
        })),
        streaks: { current, best, last_day: lastDay },
        season: {
          slug: season.slug,
          starts_at: season.startsAt,
          ends_at: season.endsAt,
          points: season.points,
          tier: season.tier ?? null,
        },
      }
    },
  }),
]
