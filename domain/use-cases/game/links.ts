import type { MemberState } from '../../game/members/member.ts'
import type { GameScope } from '../../game/members/scopes.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'

/** How a seller's key comes to act for a member, and whether it still may (G-LNK-01, G-GEN-02). */

/** A key that claims: an owner's, named by its account, or another, named by its lookup id besides. */
export type Holder = { readonly accountId: string; readonly holder: string }

/** Who plays, and by which of its links. */
export type Player = { readonly member: string; readonly linkId: string }
/** The same, with its member as it is now. */
export type LinkedPlayer = Player & { readonly state: Pick<MemberState, 'characters'> }

/** The same member is known to each seller by another id, so that two of them cannot put together what they know. */
const consumerOf = ({ vault, world }: UseCaseContext, accountId: string, member: string): string =>
  world.idFrom('gcu', vault.fingerprint('game-consumer', `${accountId}|${member}`))

/** Refuses `link-code-used` and `link-code-expired`. */
export const claimLink = async (flow: UseCaseContext, offered: { member: string; linkId: string }, by: Holder) => {
  const { member, linkId } = offered
  const consumerId = consumerOf(flow, by.accountId, member)
  const { state } = await flow.ledger.gameMember.claim(member, { linkId, ...by, consumerId })
  const link = state.links[linkId]
  if (link?.state !== 'active') return refuse('link-code-used')
  await holdLink(flow.ledger, member, linkId, link)
  return { linkId, consumerId, scopes: link.scopes }
}

/** A key acts by the link that it claimed last; the one before ends. May run twice. */
export const holdLink = async (
  ledger: Ledger,
  member: string,
  linkId: string,
  { holder, claimedAt }: { holder: string; claimedAt: string },
): Promise<void> => {
  const { state, events } = await ledger.gameHolder.hold(holder, { member, linkId, claimedAt })
  for (const event of events)
    if (event.type === 'GameLinkHeld' && event.data.replaced) await endReplaced(ledger, event.data.replaced)
  if (state.status === 'holds' && state.linkId !== linkId) await endReplaced(ledger, { member, linkId })
}

export const endReplaced = (ledger: Ledger, { member, linkId }: { member: string; linkId: string }) =>
  ledger.gameMember.revoke(member, { linkId, by: 'replaced' })

/**
 * The link that a key acts by, as its member has it now. Refuses `game-not-linked` when there is none or it was
 * revoked, and `game-scope-missing`; what cannot be read refuses too.
 */
export const linkOf = async ({ ledger }: UseCaseContext, holder: string, scope: GameScope | undefined) => {
  const held = await ledger.gameHolder.read(holder)
  if (held.status === 'none') return refuse('game-not-linked', 'No member is linked to this key: POST /v1/game/link.')
  const state = await ledger.gameMember.read(held.member)
  const link = state.links[held.linkId]
  if (link?.state !== 'active' || link.holder !== holder)
    return refuse('game-not-linked', 'The member has revoked this link.')
  if (scope && !link.scopes.includes(scope)) return refuse('game-scope-missing', `The link lacks ${scope}.`)
  return { member: held.member, linkId: held.linkId, link, state }
}
