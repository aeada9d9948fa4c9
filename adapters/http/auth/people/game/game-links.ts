import { z } from 'zod'
import type { GameLink } from '../../../../../domain/game/members/links.ts'
import type { MemberState } from '../../../../../domain/game/members/member.ts'
import { SPEND_SCOPES } from '../../../../../domain/game/members/scopes.ts'
import { usedOn } from '../../../../../domain/game/members/stakes.ts'
import { openedText } from '../../../../../domain/kernel/opened-text.ts'
import type { UseCaseContext } from '../../../../../domain/use-cases/context.ts'
import { revokeLink } from '../../../../../domain/use-cases/game/links.ts'
import { endpoint } from '../../../core/endpoint.ts'
import { linksPage, type ShownLink } from '../../../pages/people/game-links.ts'
import { seeOther } from '../../../pages/people-page.ts'
import { doneOf, ofPeople } from '../of-people.ts'

/**
 * The links by which others play for a member: read from the member's own newest state, so that a link that was taken
 * back a moment ago is gone.
 */

const common = { ...ofPeople, auth: 'person', path: '/account/game/links' } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The links by which others play for the member',
  query: z.object({ done: z.string().max(20).optional() }),
  async answer({ query, flow, actor }) {
    const said = doneOf(DONE, query.done)
    return linksPage({ csrf: actor.csrf, links: await shownLinks(flow, actor.sub), said })
  },
})

const revoke = endpoint({
  ...common,
  method: 'post',
  summary: 'Takes a link back: the next call of its holder is refused',
  body: z.object({ csrf: z.string().max(100), link_id: z.string().max(64) }),
  async answer({ body, flow, actor }) {
    // The link is taken back in the member's own stream, which has no link of anybody else.
    await revokeLink(flow, actor.sub, body.link_id)
    return seeOther('/account/game/links?done=revoked')
  },
})

export const gameLinkEndpoints = [look, revoke]

const DONE: Readonly<Record<string, string>> = {
  revoked: 'It is taken back: nobody plays for you by it any more.',
  changed: 'It is changed.',
}

const shownLinks = async (flow: UseCaseContext, sub: string): Promise<ShownLink[]> => {
  const member = await flow.ledger.gameMember.read(sub)
  const now = flow.world.now().toISOString()
  const there = Object.entries(member.links).filter(([, link]) => link.state === 'active' || link.expiresAt > now)
  return await Promise.all(there.map(([linkId, link]) => shownLink(flow, member, linkId, link)))
}

const shownLink = async (
  flow: UseCaseContext,
  { spending }: MemberState,
  linkId: string,
  link: GameLink,
): Promise<ShownLink> => ({
  linkId,
  scopes: link.scopes,
  label: await openedText(flow.vault, link.label),
  grants: SPEND_SCOPES.filter((scope) => link.scopes.includes(scope)).map((scope) => ({
    scope,
    units: link.grants[scope] ?? 0,
    used: usedOn(spending, flow.world.now().toISOString(), linkId, scope),
  })),
  ...(link.state === 'active'
    ? { holder: await sellerName(flow, link.accountId), at: link.claimedAt }
    : { holder: undefined, at: link.expiresAt }),
})

/**
 * The name of a seller as its buyers read it. A seller without one goes by the end of its id, so that two of them can
 * be told apart.
 */
const sellerName = async ({ ledger }: UseCaseContext, accountId: string): Promise<string> => {
  const { branding } = await ledger.settings.recent(accountId)
  return branding.brandName.trim() || `a seller without a name (…${accountId.slice(-SHOWN_END)})`
}

const SHOWN_END = 6
