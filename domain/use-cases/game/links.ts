import { CODE_MINUTES, LABEL_MAX, type LinkTerms } from '../../game/members/links.ts'
import type { MemberState } from '../../game/members/member.ts'
import { type GameScope, type Grants, SPEND_SCOPES } from '../../game/members/scopes.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'
import { suspensionOf } from '../suspended-user.ts'

/** How a seller's key comes to act for a member, and whether it still may (G-LNK-01, G-GEN-02). */

/** The key that claims a link: an owner's key is named by its account, any other key by its lookup id as well. */
export type Holder = { readonly accountId: string; readonly holder: string }

/** A member who plays, and the link that it plays by. */
export type Player = { readonly member: string; readonly linkId: string }
/** A player, with its member's present state. */
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
    return refuse('game-not-linked', 'The member has revoked this link. Ask the member for a new link code.')
  if ((await suspensionOf({ ledger }, held.member)) !== undefined)
    return refuse('game-not-linked', 'The member is suspended: no key plays for them. Ask them to write to support.')
  if (scope && !link.scopes.includes(scope))
    return refuse('game-scope-missing', `The link lacks ${scope}. Ask the member to change the link.`)
  return { member: held.member, linkId: held.linkId, link, state }
}

/** What a member does with the links by which keys act for it in the game (G-LNK-01, G-GEN-02, G-GEN-03, N-50). */

/** A link as its member wishes it. The label is the member's own text, so the log has it sealed. */
export type LinkWish = { readonly label: string; readonly scopes: readonly GameScope[]; readonly grants: Grants }

type LinkContext = Pick<UseCaseContext, 'ledger' | 'world' | 'vault'>

const PREFIX = 'pl'

/**
 * Makes a code that is good once; it is told here and never again, and the log has its hash. Refuses `invalid-request`,
 * `too-many-links`.
 */
export const makeLinkCode = async (
  flow: LinkContext,
  sub: string,
  wish: LinkWish,
): Promise<{ linkId: string; code: string }> => {
  const { ledger, world } = flow
  const code = `${PREFIX}-${world.id(PREFIX).slice(PREFIX.length + 1)}`
  const linkId = world.id('gl')
  const terms = await termsOf(flow, sub, wish)
  await ledger.gameMember.makeCode(sub, { linkId, codeHash: world.digest(code), minutes: CODE_MINUTES, ...terms })
  return { linkId, code }
}

/** Refuses `link-not-found`, `invalid-request`. */
export const changeLink = async (flow: LinkContext, sub: string, linkId: string, wish: LinkWish): Promise<void> => {
  const { links } = await flow.ledger.gameMember.read(sub)
  const before = (Object.hasOwn(links, linkId) ? links[linkId] : undefined) ?? refuse('link-not-found')
  const isCalledSo = (await flow.vault.open(before.label)) === wish.label
  // A label that is sealed anew is another text: an unchanged one keeps its seal, so that no event is written.
  const terms = isCalledSo ? { ...wish, label: before.label } : await termsOf(flow, sub, wish)
  await flow.ledger.gameMember.changeLink(sub, { linkId, ...terms })
}

/** Ends a link, from the next call of the key that holds it. Quiet when there is no such link. */
export const revokeLink = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  sub: string,
  linkId: string,
): Promise<void> => {
  await ledger.gameMember.revoke(sub, { linkId, by: 'member' })
}

/** Whether a link may do or spend more than before: its member is then asked for a proof. */
export const givesMore = (before: Pick<LinkTerms, 'scopes' | 'grants'>, { scopes, grants }: LinkWish): boolean =>
  scopes.some((scope) => !before.scopes.includes(scope)) ||
  SPEND_SCOPES.some((scope) => (grants[scope] ?? 0) > (before.grants[scope] ?? 0))

const termsOf = async (
  { vault }: LinkContext,
  sub: string,
  { label, scopes, grants }: LinkWish,
): Promise<LinkTerms> => {
  if (label.length === 0 || label.length > LABEL_MAX)
    refuse('invalid-request', `label: has to have 1 to ${LABEL_MAX} characters`)
  return { label: await vault.seal(sub, label), scopes, grants }
}
