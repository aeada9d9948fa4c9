import { z } from 'zod'
import { bestEver } from '../../../../domain/game/characters/bests.ts'
import { playsLeft } from '../../../../domain/game/characters/play.ts'
import { GAMES, games } from '../../../../domain/game/world/games.ts'
import { beginRun, endRun, TOKEN_MAX } from '../../../../domain/use-cases/game/play.ts'
import { type Endpoint, endpoint } from '../../core/endpoint.ts'
import { Rewards } from './characters.ts'
import { actingCharacter, CharacterId, CharacterIdText, linkOfCaller, ofGame, ofLedger, Slug } from './of-game.ts'

/** Mini-games (G-GAM-01, G-GAM-02). */

const PATH = '/v1/game/games'
/** Inputs that one run can be sent; no game has as many rounds. */
const EVENTS_MAX = 64
/** Characters of an input. */
const INPUT_MAX = 32
/** Places that are counted; whoever comes after them is told the next one. */
const RANK_MAX = 10_000

const refusals = [...ofGame.refusals, 'character-not-found'] as const

const list = endpoint({
  ...ofLedger,
  path: PATH,
  method: 'get',
  summary: 'The mini-games, and what one character has left and done best; the member’s first one unless it is named',
  query: z.object({ character_id: CharacterIdText.optional() }),
  returns: z.object({
    games: z.array(
      z.object({
        slug: z.string(),
        kind: z.string(),
        max_plausible: z.int(),
        plays_per_day: z.int(),
        plays_left: z.int(),
        my_best: z.int().nullable(),
      }),
    ),
  }),
  refusals,
  async answer(request) {
    const { flow, query } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, 'game.read'), query.character_id)
    const now = flow.world.now().toISOString()
    return {
      games: GAMES.map((slug) => ({
        slug,
        kind: games[slug].kind,
        max_plausible: games[slug].maxPlausible,
        plays_per_day: games[slug].playsPerDay,
        plays_left: playsLeft(character, slug, now),
        my_best: bestEver(character, slug) ?? null,
      })),
    }
  },
})

const start = endpoint({
  ...ofLedger,
  path: PATH,
  method: 'post',
  when: { action: 'start' },
  idempotent: true,
  summary: 'Begin a run: it counts against the day, and its rounds are dealt from a seed that is committed to',
  body: z.object({
    action: z.literal('start'),
    slug: Slug,
    character_id: CharacterId,
  }),
  returns: z.object({
    run_id: z.string(),
    token: z.string(),
    rounds: z.array(z.looseObject({ round: z.int() })),
    commit: z.string(),
    expires_at: z.string(),
  }),
  refusals: [...refusals, 'not-found', 'no-plays-left'],
  async answer(request) {
    const { flow, once, body } = request
    const link = await linkOfCaller(request, 'game.games.act')
    const character = await actingCharacter(flow, link, body.character_id)
    const { runId, token, rounds, commit, expiresAt } = await beginRun(flow, once, link.linkId, character, body.slug)
    return { run_id: runId, token, rounds: [...rounds], commit, expires_at: expiresAt }
  },
})

const finish = endpoint({
  ...ofGame,
  path: PATH,
  method: 'post',
  when: { action: 'finish' },
  idempotent: true,
  summary: 'Send in what was played; the score is counted here, and `reveal` is the seed that was committed to',
  body: z.object({
    action: z.literal('finish'),
    slug: Slug.optional(),
    character_id: CharacterId.optional(),
    token: z.string().min(1).max(TOKEN_MAX),
    events: z
      .array(z.object({ t: z.int(), round: z.int(), input: z.union([z.string().max(INPUT_MAX), z.int()]) }))
      .max(EVENTS_MAX)
      .meta({ description: '`t`: milliseconds after the start, rising; one input for a round, in order' }),
  }),
  returns: z.object({
    score: z.int(),
    best: z.int(),
    rank: z.int().describe(`Among all characters; exact up to ${RANK_MAX}, and one more beyond`),
    rewards: Rewards,
    reveal: z.string(),
  }),
  refusals: [...refusals, 'run-not-found', 'run-elsewhere', 'run-used', 'run-expired', 'implausible-run'],
  async answer(request) {
    const { flow, once, body, queries } = request
    const link = await linkOfCaller(request, 'game.games.act')
    const { slug, token, events: moves, character_id: characterId } = body
    const ended = await endRun(flow, once, link, { token, moves, slug, characterId })
    const { score, best, rewards, seed } = ended
    const rank = 1 + (await queries.gameBetterThan(ended.slug, best, RANK_MAX))
    return { score, best, rank, rewards: { ...rewards, fragments: [...rewards.fragments] }, reveal: seed }
  },
})

export const playEndpoints: readonly Endpoint[] = [list, start, finish]
