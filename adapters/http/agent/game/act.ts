import { z } from 'zod'
import type { GameScope } from '../../../../domain/game/members/scopes.ts'
import { STATS } from '../../../../domain/game/world/classes.ts'
import { GALAXIES } from '../../../../domain/game/world/galaxies.ts'
import { missions } from '../../../../domain/game/world/missions.ts'
import { beginMission, endMission, trainStat, travelTo } from '../../../../domain/use-cases/game/act.ts'
import { type Endpoint, endpoint } from '../../core/endpoint.ts'
import { Rewards } from './characters.ts'
import { actingCharacter, CharacterId, linkOfCaller, ofLedger, Slug } from './of-game.ts'

/** What a member's character does: it trains, travels, and goes on missions (G-ACT-01, G-ACT-02). */

const SCOPE: GameScope = 'game.characters.act'
const RUN_ID_MAX = 40
/** The missions for the description of the API, because no call lists them. */
const MISSIONS = Object.entries(missions)
  .map(([id, { galaxy }]) => `\`${id}\` (${galaxy})`)
  .join(', ')

const common = {
  ...ofLedger,
  method: 'post',
  path: '/v1/game/act',
  idempotent: true,
} as const
const refusals = [...ofLedger.refusals, 'character-not-found', 'character-busy'] as const

const train = endpoint({
  ...common,
  when: { action: 'train' },
  summary: 'Raise a stat by one for training points',
  body: z.object({ action: z.literal('train'), character_id: CharacterId, stat: z.enum(STATS) }),
  returns: z.object({ stat: z.string(), from: z.int(), to: z.int(), cost: z.int(), training_points: z.int() }),
  refusals: [...refusals, 'insufficient-training-points', 'stat-at-most'],
  async answer(request) {
    const { flow, once, body } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, SCOPE), body.character_id)
    const { trainingPoints, stat, from, to, cost } = await trainStat(flow, once, character, body.stat)
    return { stat, from, to, cost, training_points: trainingPoints }
  },
})

const travel = endpoint({
  ...common,
  when: { action: 'travel' },
  summary: 'Set out for another galaxy; it takes the time of the way',
  body: z.object({ action: z.literal('travel'), character_id: CharacterId, galaxy: z.enum(GALAXIES) }),
  returns: z.object({ from: z.string(), to: z.string(), arrives_at: z.string() }),
  refusals: [...refusals, 'state-forbids'],
  async answer(request) {
    const { flow, once, body } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, SCOPE), body.character_id)
    const { from, to, arrivesAt } = await travelTo(flow, once, character, body.galaxy)
    return { from, to, arrives_at: arrivesAt }
  },
})

const start = endpoint({
  ...common,
  when: { action: 'mission-start' },
  summary: 'Begin a mission; what comes of it is decided now and told when it is claimed',
  body: z.object({
    action: z.literal('mission-start'),
    character_id: CharacterId,
    mission_id: Slug.describe(MISSIONS),
  }),
  returns: z.object({
    run_id: z.string(),
    mission_id: z.string(),
    ready_at: z.string(),
    success_chance: z.int(),
    commit: z.string(),
  }),
  refusals: [...refusals, 'not-found', 'not-claimed', 'wrong-galaxy'],
  async answer(request) {
    const { flow, once, body } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, SCOPE), body.character_id)
    const run = await beginMission(flow, once, character, body.mission_id)
    const { runId, missionId, readyAt, successChance, commit } = run
    return { run_id: runId, mission_id: missionId, ready_at: readyAt, success_chance: successChance, commit }
  },
})

const claim = endpoint({
  ...common,
  when: { action: 'mission-claim' },
  summary: 'What came of a mission that is ready; `reveal` is the seed that was committed to',
  body: z.object({
    action: z.literal('mission-claim'),
    character_id: CharacterId,
    run_id: z.string().min(1).max(RUN_ID_MAX),
  }),
  returns: z.object({
    run_id: z.string(),
    success: z.boolean(),
    rewards: Rewards,
    level: z.int(),
    reveal: z.string(),
  }),
  refusals: [...refusals, 'run-not-found', 'not-ready', 'already-claimed'],
  async answer(request) {
    const { flow, once, body } = request
    const character = await actingCharacter(flow, await linkOfCaller(request, SCOPE), body.character_id)
    const { runId, success, rewards, level, seed } = await endMission(flow, once, character, body.run_id)
    const { xp, units, fragments } = rewards
    return { run_id: runId, success, rewards: { xp, units, fragments: [...fragments] }, level, reveal: seed }
  },
})

export const actEndpoints: readonly Endpoint[] = [train, travel, start, claim]
