import { endReplaced, holdLink } from '../flows/game/links.ts'
import type { Policy } from '../policy.ts'
import { idOf } from '../stream-id.ts'

/** A key acts by the link that it claimed last, also when its call broke off. */
export const holdLinks: Policy = {
  name: 'hold-links',
  on: {
    GameLinkClaimed: ({ stream, data }, { ledger }) => holdLink(ledger, idOf(stream), data.linkId, data),
    GameLinkHeld: async ({ data: { replaced } }, { ledger }) => replaced && endReplaced(ledger, replaced),
  },
}
