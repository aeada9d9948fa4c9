import { z } from 'zod'
import type { Flow } from '../../../../domain/flows/flow.ts'
import { charactersOf } from '../../../../domain/flows/game/characters.ts'
import { claimQuest } from '../../../../domain/flows/game/claim-quest.ts'
import { isRefusal, type Refusal } from '../../../../domain/refusal.ts'
import type { Queries } from '../../../../projections/index.ts'
import { endpoint } from '../../endpoint.ts'
import { progressIn, questsOf, seasonOf, streaksOf } from '../../game-progress.ts'
import { questsPage } from '../../pages/people/game-quests.ts'
import { seeOther } from '../../pages/people-page.ts'
import type { Person } from '../caller.ts'
import { ofPeople } from './of-people.ts'

/** Rewards are taken by the member itself and here alone: no key can do it (G-QST-01). */

const { ledgerOnly, showsLater, ...ofRows } = ofPeople
const common = { ...ofRows, auth: 'person', path: '/account/game/quests' } as const
const SLUG_MAX = 60

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The quests of the member, its season and its streak',
  query: z.object({ done: z.string().max(20).optional() }),
  async answer({ query, ...request }) {
    return questsPage({ ...(await board(request)), said: query.done && 'The reward is yours.' })
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
      return seeOther('/account/game/quests?done=1')
    } catch (error) {
      if (!isRefusal(error, 'state-forbids', 'already-claimed', 'not-found')) throw error
      return questsPage({ ...(await board(request)), error: (error as Refusal).detail ?? 'That did not work.' })
    }
  },
})

export const gameQuestEndpoints = [look, claim]

type Request = { readonly flow: Flow; readonly queries: Queries; readonly actor: Person }

const member = async ({ flow, queries, actor }: Request) => ({
  ...{ flow, queries, member: actor.sub, state: await flow.ledger.gameMember.read(actor.sub) },
})

const board = async (request: Request) => {
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
