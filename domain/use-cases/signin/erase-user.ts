import type { UseCaseContext } from '../context.ts'
import { revokeLink } from '../game/links.ts'

/**
 * Erases a user: nobody can sign in any more, nothing more is debited, nobody plays for them, and what was sealed for
 * them cannot be read. The data key goes last, so that a repeat finishes what broke off. What they had stays in the
 * books under their `sub`. Refuses `not-found`.
 */
export const eraseUser = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  sub: string,
): Promise<void> => {
  await ledger.user.erase(sub, {})
  const { orders } = await ledger.userBalance.read(sub)
  for (const mandateId of Object.keys(orders)) await ledger.userBalance.end(sub, { mandateId, by: 'user' })
  const { links } = await ledger.gameMember.read(sub)
  for (const linkId of Object.keys(links)) await revokeLink({ ledger }, sub, linkId)
  await vault.erase(sub)
}
