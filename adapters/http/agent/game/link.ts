import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { claimLink } from '../../../../domain/use-cases/game/links.ts'
import { endpoint } from '../../core/endpoint.ts'
import { holderOf, ofGame } from './of-game.ts'

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
      if (!row) return refuse('link-code-not-found', 'There is no such link code.')
      const isLate = row.state === 'offered' && row.expiresAt <= flow.world.now().toISOString()
      if (isLate) return refuse('link-code-expired', 'This code has expired: the member makes a new one.')
      const { linkId, consumerId, scopes } = await claimLink(flow, row, holderOf(actor))
      return { link_id: linkId, consumer_id: consumerId, scopes: [...scopes] }
    },
  }),
]
