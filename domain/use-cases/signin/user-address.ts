import { claimFor, type UseCheck } from '../account/address-holder.ts'
import type { UseCaseContext } from '../context.ts'

/** The user that an e-mail address belongs to. Sellers' accounts are kept apart, and may have the same address. */

type UserAddressContext = Pick<UseCaseContext, 'ledger' | 'world'>

/** The keyed hash by which an address is known; upper and lower case make no difference. */
export const userFingerprint = ({ vault }: Pick<UseCaseContext, 'vault'>, email: string): string =>
  vault.fingerprint('user-email', email.normalize('NFKC').toLowerCase())

/** Gives the address to a user, who proves it by their password whenever they follow a link. Refuses `email-taken`. */
export const claimUserAddress = (flow: UserAddressContext, fingerprint: string, sub: string): Promise<void> =>
  claimFor(flow, fingerprint, { id: sub, proven: true, uses: usesIt(flow, fingerprint) })

const usesIt =
  ({ ledger }: UserAddressContext, fingerprint: string): UseCheck =>
  async (sub) => {
    const user = await ledger.user.read(sub)
    return user.status !== 'none' && user.status !== 'erased' && user.emailFingerprint === fingerprint
  }
