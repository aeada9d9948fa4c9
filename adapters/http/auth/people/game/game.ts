import { z } from 'zod'
import { statusAt } from '../../../../../domain/game/characters/character-state.ts'
import { levelOf } from '../../../../../domain/game/characters/sheet.ts'
import { CLASSES } from '../../../../../domain/game/world/classes.ts'
import { MOVEMENTS } from '../../../../../domain/game/world/feed-kinds.ts'
import { questOf } from '../../../../../domain/game/world/quests.ts'
import { isRefusal } from '../../../../../domain/kernel/refusal.ts'
import { memberFeed } from '../../../../../domain/reading/game-feed.ts'
import { charactersOf, newCharacter } from '../../../../../domain/use-cases/game/characters.ts'
import type { FeedRow } from '../../../../../projections/game/game-feed.ts'
import { endpoint } from '../../../core/endpoint.ts'
import { overviewPage, type ShownMovement } from '../../../pages/people/game.ts'
import { seeOther } from '../../../pages/people-page.ts'
import { doneOf, ofRows, type PersonRequest, saidOf } from '../of-people.ts'

/** A member's characters and units. The lines come from rows, so the page waits until the member's own changes show. */

const common = { ...ofRows, auth: 'person', path: '/account/game' } as const
const PER_PAGE = 20
const DONE = { character: 'Your character is there.' }
/** Characters that may be typed: more than a name may have, so that a long one is told apart from a malformed form. */
const TYPED_MAX = 200

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The characters of the member, its game units and how they came about, the newest first',
  query: z.object({
    before: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional(),
    done: z.string().max(20).optional(),
  }),
  async answer({ query, ...request }) {
    const said = doneOf(DONE, query.done)
    return overviewPage({ ...(await overview(request, query.before)), said })
  },
})

const make = endpoint({
  ...common,
  method: 'post',
  summary: 'Makes a character',
  body: z.object({ csrf: z.string().max(100), name: z.string().max(TYPED_MAX).default(''), class: z.enum(CLASSES) }),
  async answer({ body, ...request }) {
    const wish = { name: body.name, class: body.class }
    try {
      await newCharacter(request.flow, request.actor.sub, wish)
      return seeOther('/account/game?done=character')
    } catch (error) {
      if (!isRefusal(error, 'invalid-request', 'state-forbids', 'too-many-characters')) throw error
      return overviewPage({
        ...(await overview(request)),
        wish,
        error: saidOf(error),
      })
    }
  },
})

export const gameEndpoints = [look, make]

const overview = async ({ flow, queries, actor }: PersonRequest, before?: string) => {
  const state = await flow.ledger.gameMember.read(actor.sub)
  const [characters, rows] = await Promise.all([
    charactersOf(flow, state),
    queries.gameFeedOf([memberFeed(actor.sub)], MOVEMENTS, PER_PAGE + 1, before),
  ])
  const now = flow.world.now().toISOString()
  const page = rows.slice(0, PER_PAGE)
  return {
    csrf: actor.csrf,
    units: state.balance,
    isFirst: before === undefined,
    characters: characters.map((character) => ({
      name: character.name,
      class: character.class,
      level: levelOf(character.xp),
      galaxy: character.galaxy,
      status: STATUS[statusAt(character, now)],
    })),
    movements: page.map(movement),
    older: rows.length > PER_PAGE ? `/account/game?before=${page.at(-1)?.id}` : undefined,
  }
}

const STATUS: Readonly<Record<ReturnType<typeof statusAt>, string>> = {
  idle: 'at rest',
  travelling: 'on the way',
  scanning: 'scanning',
  'on-mission': 'on a mission',
}

const movement = ({ kind, at, data }: FeedRow): ShownMovement => ({
  at,
  what: what(kind, data),
  units: Number(data.units),
  balance: Number(data.balance),
})

const what = (kind: FeedRow['kind'], data: FeedRow['data']): string => {
  if (kind === 'quest-claimed') return `Quest: ${questOf(String(data.slug))?.title ?? data.slug}`
  const [place = '', of = ''] = String(kind === 'units-staked' ? data.to : data.from).split(':')
  const name = place === 'house' ? 'Reward' : place === 'studio' ? 'Studio' : of === 'pvp' ? 'Duel' : 'Tournament'
  return data.returned === true ? `${name}, given back` : name
}
