import { CLAIM_ABANDONED_MS } from '../../account/email.ts'
import type { UseCaseContext } from '../context.ts'

/** One holder of an email address at a time, whatever kind of account the address is claimed for. */

/** Whether who has claimed an address came to use it. */
export type UseCheck = (holder: string) => Promise<boolean>

type AddressHolderContext = Pick<UseCaseContext, 'ledger' | 'world'>

export type EmailClaimant = {
  readonly id: string
  /** They have shown, or will have to, that it is they who asked for the address. */
  readonly proven: boolean
  readonly uses: UseCheck
  /** Sees to it that who never came to use the address can not do so any more. Refuses `email-taken` when they have. */
  readonly settle?: (holder: string) => Promise<unknown>
}

/** Makes the address theirs. Refuses `email-taken`; `password-required` where others want it and nothing is proven. */
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
