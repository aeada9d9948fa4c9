import { z } from 'zod'
import { levelOf } from '../../../../domain/game/characters/sheet.ts'
import { GAME_SCOPES, SPEND_SCOPES } from '../../../../domain/game/members/scopes.ts'
import { usedOn } from '../../../../domain/game/members/stakes.ts'
import { highestOf, TIERS } from '../../../../domain/game/world/guilds.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { charactersOf } from '../../../../domain/use-cases/game/characters.ts'
import { claimLink } from '../../../../domain/use-cases/game/links.ts'
import { endpoint } from '../../core/endpoint.ts'
import { championsOf, membershipsOf } from '../../core/game-progress.ts'
import { holderOf, linkOfCaller, ofGame } from './of-game.ts'

/** What a link is, and whom it acts for (G-ME-01). Any link may ask. */

const tier = z.enum(TIERS)

const Me = z
  .object({
    link_id: z.string(),
    consumer_id: z.string(),
    scopes: z.array(z.enum(GAME_SCOPES)),
    grants: z.array(z.object({ scope: z.enum(SPEND_SCOPES), units_per_day: z.int(), used_today: z.int() })),
    memberships: z.array(z.object({ slug: z.string(), tier, since: z.string() })),
    highest_tier: tier.nullable(),
    champions: z.array(z.object({ character_id: z.int(), title: z.string() })),
    roster: z.array(z.object({ id: z.int(), name: z.string(), level: z.int() })),
    since: z.string(),
  })
  .meta({ id: 'GameMe', description: 'A link and its member. `consumer_id` is what this seller knows the member by.' })

export const meEndpoints = [
  endpoint({
    ...ofGame,
    method: 'get',
    path: '/v1/game/me',
    summary: 'The link that the key acts by: what it may do and spend, and whom it acts for',
    returns: Me,
    async answer(request) {
      const { flow, queries } = request
      const { member, linkId, link, state } = await linkOfCaller(request)
      const mine = { queries, member, state }
      const [memberships, champions, characters] = await Promise.all([
        membershipsOf(mine),
        championsOf(mine),
        charactersOf(flow, state),
      ])
      const now = flow.world.now().toISOString()
      return {
        link_id: linkId,
        consumer_id: link.consumerId,
        scopes: [...link.scopes],
        since: link.claimedAt,
        grants: SPEND_SCOPES.flatMap((scope) => {
          const units = link.grants[scope] ?? 0
          return units > 0
            ? [{ scope, units_per_day: units, used_today: usedOn(state.spending, now, linkId, scope) }]
            : []
        }),
        memberships: [...memberships],
        highest_tier: highestOf(memberships.map((each) => each.tier)) ?? null,
        champions: champions.map(({ characterId, title }) => ({ character_id: characterId, title })),
        roster: characters.map(({ characterId, name, xp }) => ({ id: characterId, name, level: levelOf(xp) })),
      }
    },
  }),
]

/** A member's one-time code links the key that sends it (G-LNK-01, G-LNK-02). */

const CODE_MAX = 64

export const linkEndpoints = [
  endpoint({
    ...ofGame,
    method: 'post',
    path: '/v1/game/link',
    summary: 'Link a member by the one-time code that it has made; a link that the key had before ends',
    body: z.object({
      code: z
        .string()
        .min(1)
        .max(CODE_MAX)
        .meta({ examples: ['pl-7j3k…'] }),
    }),
    returns: z.object({ link_id: z.string(), consumer_id: z.string(), scopes: z.array(z.string()) }),
    refusals: ['link-code-not-found', 'link-code-used', 'link-code-expired'],
    async answer({ body, actor, flow, queries }) {
      const row = await queries.gameLinkByCode(flow.world.digest(body.code))
      if (!row) return refuse('link-code-not-found')
      const isLate = row.state === 'offered' && row.expiresAt <= flow.world.now().toISOString()
      if (isLate) return refuse('link-code-expired')
      const { linkId, consumerId, scopes } = await claimLink(flow, row, holderOf(actor))
      return { link_id: linkId, consumer_id: consumerId, scopes: [...scopes] }
    },
  }),
]
