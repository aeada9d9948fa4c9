import { z } from 'zod'
import { streaksOf } from '../../../../../domain/game/characters/days.ts'
import { isRefusal } from '../../../../../domain/kernel/refusal.ts'
import { charactersOf } from '../../../../../domain/use-cases/game/characters.ts'
import { claimQuest } from '../../../../../domain/use-cases/game/claim-quest.ts'
import { endpoint } from '../../../core/endpoint.ts'
import { progressIn, questsOf, seasonOf } from '../../../core/game-progress.ts'
import { questsPage } from '../../../pages/people/game-quests.ts'
import { seeOther } from '../../../pages/people-page.ts'
import { doneOf, ofRows, type PersonRequest, saidOf } from '../of-people.ts'

/** Rewards are taken by the member itself and here alone: no key can do it (G-QST-01). */

const common = { ...ofRows, auth: 'person', path: '/account/game/quests' } as const
const SLUG_MAX = 60
const DONE = { reward: 'The reward is yours.' }

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The quests of the member, its season and its streak',
  query: z.object({ done: z.string().max(20).optional() }),
  async answer({ query, ...request }) {
    return questsPage({ ...(await board(request)), said: doneOf(DONE, query.done) })
  },
})

const claim = endpoint({
  ...common,
  method: 'post',
  summary: 'Takes the reward of a quest that is done',
  body: z.object({ csrf: z.string().max(100), slug: z.string().max(SLUG_MAX) }),
  async answer({ body, ...request }) {
    const { flow, actor } = request
    try {
      await claimQuest(flow, actor.sub, body.slug, progressIn(await member(request), body.slug))
      return seeOther('/account/game/quests?done=reward')
    } catch (error) {
      if (!isRefusal(error, 'state-forbids', 'already-claimed', 'not-found')) throw error
      return questsPage({ ...(await board(request)), error: saidOf(error) })
    }
  },
})

export const gameQuestEndpoints = [look, claim]

const member = async ({ flow, queries, actor }: PersonRequest) => ({
  flow,
  queries,
  member: actor.sub,
  state: await flow.ledger.gameMember.read(actor.sub),
})

const board = async (request: PersonRequest) => {
  const mine = await member(request)
  const { flow } = request
  const [quests, season, characters] = await Promise.all([
    questsOf(mine),
    seasonOf(mine),
    charactersOf(flow, mine.state),
  ])
  const streak = streaksOf(characters, flow.world.now().toISOString())
  return { csrf: request.actor.csrf, quests, season, streak }
}
