import { CLAIM_ABANDONED_MS } from '../../account/email.ts'
import type { UseCaseContext } from '../context.ts'

/** An email address has one holder at a time, whatever kind of account claims it. */

/** Tells whether the holder of a claim came to use the address. */
export type UseCheck = (holder: string) => Promise<boolean>

type AddressHolderContext = Pick<UseCaseContext, 'ledger' | 'world'>

export type EmailClaimant = {
  readonly id: string
  /** The claimant has proven that the request for the address was their own, or will have to before they use it. */
  readonly proven: boolean
  readonly uses: UseCheck
  /**
   * Makes sure that a holder who never used the address cannot use it any more. Refuses `email-taken` when the holder
   * has used it.
   */
  readonly settle?: (holder: string) => Promise<unknown>
}

/**
 * Gives the address to the claimant. Refuses `email-taken`; `password-required` where others want it and nothing is
 * proven.
 */
export const claimFor = async (
  { ledger, world }: AddressHolderContext,
  fingerprint: string,
  { id, proven, uses, settle }: EmailClaimant,
): Promise<void> => {
  const { holder: from, claimedAt } = await ledger.email.read(fingerprint)
  const isOld = world.now().getTime() - Date.parse(claimedAt) > CLAIM_ABANDONED_MS
  if (from === undefined || from === id || !isOld || (await uses(from))) {
    await ledger.email.claim(fingerprint, { accountId: id, proven })
    return
  }
  await settle?.(from)
  await ledger.email.reclaim(fingerprint, { from, claimedAt, accountId: id, proven })
}
