import { idOf } from '../../kernel/stream-id.ts'
import { endReplaced, holdLink } from '../../use-cases/game/links.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A key acts by the link that it claimed last, also when its call broke off. */
export const holdLinks: Policy = {
  name: 'hold-links',
  on: {
    GameLinkClaimed: ({ stream, data }, { ledger }) => holdLink(ledger, idOf(stream), data.linkId, data),
    GameLinkHeld: async ({ data: { replaced } }, { ledger }) => replaced && endReplaced(ledger, replaced),
  },
}
