import { claimFor, type UseCheck } from '../account/address-holder.ts'
import type { UseCaseContext } from '../context.ts'

/**
 * Whose an e-mail address is among the people who sign in; sellers' accounts are another world, and may have the same
 * one.
 */

type UserAddressContext = Pick<UseCaseContext, 'ledger' | 'world'>

/** The keyed hash by which an address is known; case is not told apart. */
export const userFingerprint = ({ vault }: Pick<UseCaseContext, 'vault'>, email: string): string =>
  vault.fingerprint('user-email', email.normalize('NFKC').toLowerCase())

/** Makes the address the user's, who proves it by their password whenever they follow a link. Refuses `email-taken`. */
export const claimUserAddress = (flow: UserAddressContext, fingerprint: string, sub: string): Promise<void> =>
  claimFor(flow, fingerprint, { id: sub, proven: true, uses: usesIt(flow, fingerprint) })

const usesIt =
  ({ ledger }: UserAddressContext, fingerprint: string): UseCheck =>
  async (sub) => {
    const user = await ledger.user.read(sub)
    return user.status !== 'none' && user.status !== 'erased' && user.emailFingerprint === fingerprint
  }
