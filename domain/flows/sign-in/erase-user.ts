import type { Flow } from '../flow.ts'

/**
 * Erases a user: nobody can sign in any more, nothing more is debited, and what was sealed for them cannot be read. The data key goes last, so that
 * doing it again finishes what broke off. What they had stays in the books under their `sub`. Refuses `not-found`.
 */
export const eraseUser = async ({ ledger, vault }: Pick<Flow, 'ledger' | 'vault'>, sub: string): Promise<void> => {
  await ledger.user.erase(sub, {})
  const { orders } = await ledger.userBalance.read(sub)
  for (const mandateId of Object.keys(orders)) await ledger.userBalance.end(sub, { mandateId, by: 'user' })
  await vault.erase(sub)
}
