import { CODE_MINUTES, LABEL_MAX, type LinkTerms } from '../../game/members/links.ts'
import { type GameScope, type Grants, SPEND_SCOPES } from '../../game/members/scopes.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

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
  // Sealed anew it would be another text, and what changes nothing is no event.
  const terms = isCalledSo ? { ...wish, label: before.label } : await termsOf(flow, sub, wish)
  await flow.ledger.gameMember.changeLink(sub, { linkId, ...terms })
}

/** With effect on the next call of whoever holds it. Quiet when it is not there. */
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
    refuse('invalid-request', `a label has 1 to ${LABEL_MAX} characters`)
  return { label: await vault.seal(sub, label), scopes, grants }
}
