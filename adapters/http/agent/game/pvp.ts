import { z } from 'zod'
import { duelStateAt, WAGER_MAX } from '../../../../domain/game/contests/duel.ts'
import { winnerOf } from '../../../../domain/game/contests/fight.ts'
import {
  acceptDuel,
  cancelDuel,
  challengeDuel,
  type DuelNamed,
  declineDuel,
} from '../../../../domain/use-cases/game/duels.ts'
import type { DuelRow } from '../../../../projections/game/game-duels.ts'
import { type Endpoint, endpoint } from '../../core/endpoint.ts'
import { CharacterId, linkOfCaller, ofGame } from './of-game.ts'

/** Duels between characters of two members, for game units or for nothing but the rating (G-PVP-01 to G-PVP-03). */

const LADDER_MAX = 100
const CHALLENGES_MAX = 50
const DUEL_ID_MAX = 40

const posting = { ...ofGame, method: 'post', path: '/v1/game/pvp', idempotent: true } as const
const answering = { ...ofGame, method: 'post', path: '/v1/game/pvp' } as const
const refusals = [...ofGame.refusals, 'duel-not-found', 'not-your-duel', 'duel-closed'] as const
const staking = ['wager-grant-ceiling', 'insufficient-units', 'busy'] as const

const State = z.enum(['open', 'resolved', 'declined', 'canceled', 'expired'])
const Fighter = z.object({ character_id: z.int(), name: z.string() })
const Ended = z.object({ challenge_id: z.string(), state: State })
const DuelId = z.string().min(1).max(DUEL_ID_MAX)

const Challenge = Ended.extend({
  challenger: Fighter,
  defender: Fighter,
  wager_units: z.int(),
  expires_at: z.string(),
  mine: z.boolean().describe('Made by the linked member; others are aimed at it'),
  commit: z.string(),
  winner_character_id: z.int().nullable().optional().describe('Of a resolved one; null for a draw'),
  reveal: z.string().optional(),
  request_id: z.string().optional(),
})

const list = endpoint({
  ...ofGame,
  method: 'get',
  path: '/v1/game/pvp',
  summary:
    'The ladder: those who have fought, the best first, then who has not yet; and the duels of the linked member, open ones first',
  returns: z.object({
    ladder: z.array(
      z.object({
        rank: z.int(),
        character_id: z.int(),
        name: z.string(),
        rating: z.int(),
        wins: z.int(),
        losses: z.int(),
      }),
    ),
    challenges: z.array(Challenge),
  }),
  async answer(request) {
    const { member } = await linkOfCaller(request, 'game.read')
    const { queries, flow } = request
    const [ladder, duels] = await Promise.all([queries.duelLadder(LADDER_MAX), queries.duelsOf(member, CHALLENGES_MAX)])
    return {
      ladder: ladder.map(({ characterId, ...rest }) => ({ ...rest, character_id: characterId })),
      challenges: duels.map((row) => shown(row, member, flow.world.now().toISOString())),
    }
  },
})

const create = endpoint({
  ...posting,
  when: { action: 'create' },
  summary: 'Challenge a character of another member; a wager goes into escrow until it is over',
  body: z.object({
    action: z.literal('create'),
    character_id: CharacterId,
    defender_character_id: CharacterId,
    wager_units: z.int().min(0).max(WAGER_MAX).default(0),
  }),
  returns: Ended.extend({
    wager_units: z.int(),
    escrow_id: z.string().optional().describe('Where the wager lies; only of one above 0'),
    commit: z.string().describe('SHA-256 of the seed that the dice follow from'),
    expires_at: z.string(),
  }),
  refusals: [...ofGame.refusals, 'character-not-found', 'too-many-duels', ...staking],
  async answer(request) {
    const { flow, once, body, queries } = request
    const player = await linkOfCaller(request, 'game.pvp.act')
    const { character_id: challenger, defender_character_id: defender, wager_units: wagerUnits } = body
    const open = (limit: number) => queries.openDuelsBy(player.member, flow.world.now().toISOString(), limit)
    const duel = await challengeDuel(flow, once, player, { challenger, defender, wagerUnits }, open)
    const { duelId, terms, expiresAt } = duel
    return {
      ...endedOf(duel, flow.world.now().toISOString()),
      wager_units: terms.wagerUnits,
      ...(terms.wagerUnits > 0 && { escrow_id: `escrow:pvp:${duelId}` }),
      commit: terms.commit,
      expires_at: expiresAt,
    }
  },
})

const accept = endpoint({
  ...posting,
  when: { action: 'accept' },
  summary: 'Accept a duel, which is fought at once; the same wager is staked',
  body: z.object({ action: z.literal('accept'), challenge_id: DuelId, character_id: CharacterId.optional() }),
  returns: Ended.extend({
    winner_character_id: z.int().nullable().describe('Null for a draw'),
    rounds: z.array(
      z.object({
        stat: z.string(),
        chance: z.int().describe('The challenger’s, out of 100'),
        roll: z.int(),
        winner_character_id: z.int().nullable(),
      }),
    ),
    payout_units: z.int().describe('What the linked member gets out of the escrow'),
    rating: z.object({ before: z.int(), after: z.int() }),
    reveal: z.string().describe('The seed that was committed to'),
    request_id: z.string().describe('What the dice mix in, so that the challenger could not know them'),
  }),
  refusals: [...refusals, 'character-not-found', ...staking],
  async answer(request) {
    const { flow, once, body } = request
    const player = await linkOfCaller(request, 'game.pvp.act')
    const duel = await acceptDuel(flow, once, player, body.challenge_id, body.character_id)
    return { ...endedOf(duel, flow.world.now().toISOString()), ...resultOf(duel, player.member) }
  },
})

const ending = (action: 'decline' | 'cancel', summary: string, end: typeof declineDuel) =>
  endpoint({
    ...answering,
    when: { action },
    summary,
    body: z.object({ action: z.literal(action), challenge_id: DuelId }),
    returns: Ended,
    refusals,
    async answer(request) {
      const player = await linkOfCaller(request, 'game.pvp.act')
      const duel = await end(request.flow, player, request.body.challenge_id)
      return endedOf(duel, request.flow.world.now().toISOString())
    },
  })

const decline = ending('decline', 'Decline a duel; the wager goes back', declineDuel)
const cancel = ending('cancel', 'Take back a duel that nobody has answered; the wager comes back', cancelDuel)

export const pvpEndpoints: readonly Endpoint[] = [list, create, accept, decline, cancel]

const endedOf = (duel: DuelNamed, now: string): z.input<typeof Ended> => ({
  challenge_id: duel.duelId,
  state: duelStateAt(duel, now),
})

const resultOf = ({ terms, result }: DuelNamed, member: string) => {
  const sides = { challenger: terms.challenger, defender: terms.defender }
  const { rounds = [], payouts = [], rating, requestId = '' } = result ?? {}
  const winner = winnerOf(rounds)
  return {
    winner_character_id: winner && sides[winner],
    rounds: rounds.map(({ stat, chance, roll, winner: side }) => ({
      stat,
      chance,
      roll,
      winner_character_id: side && sides[side],
    })),
    payout_units: payouts.find((paid) => paid.member === member)?.units ?? 0,
    rating: rating?.defender ?? { before: 0, after: 0 },
    reveal: terms.seed,
    request_id: requestId,
  }
}

const shown = (row: DuelRow, member: string, now: string): z.input<typeof Challenge> => ({
  challenge_id: row.duelId,
  state: duelStateAt(row, now),
  challenger: { character_id: row.challenger, name: row.challengerName },
  defender: { character_id: row.defender, name: row.defenderName },
  wager_units: row.wagerUnits,
  expires_at: row.expiresAt,
  mine: row.challengerMember === member,
  commit: row.commit,
  ...(row.seed !== null &&
    row.requestId !== null && { winner_character_id: row.winner, reveal: row.seed, request_id: row.requestId }),
})
