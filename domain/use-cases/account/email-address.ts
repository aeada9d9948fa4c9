import { isOwn } from '../../account/account.ts'
import { hasRival } from '../../account/email.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { claimFor } from './address-holder.ts'
import { type Occasion, verificationLetter } from './verification-letter.ts'

/** Whose an email address is: one account's at a time, and only of one that has proven it (N-15, N-16). */

/**
 * The keyed hash by which an address is known. Addresses that reach the same mailbox by every common rule count as one:
 * case is not told apart.
 */
export const fingerprintOf = ({ vault }: Pick<UseCaseContext, 'vault'>, email: string): string =>
  vault.fingerprint('email', email.normalize('NFKC').toLowerCase())

type Wish = { readonly accountId: string; readonly to: string; readonly network: string; readonly occasion: Occasion }

/**
 * Notes that an account wants an address, and writes the letter to whoever reads mail there. The work is the same, and
 * so is what the caller can tell, whether or not the address is another account's: the letter alone says it (N-16).
 */
export const requestAddress = async (flow: UseCaseContext, { accountId, to, network, occasion }: Wish) => {
  const { ledger, vault } = flow
  const fingerprint = fingerprintOf(flow, to)
  const from = { accountId, network: vault.fingerprint('network', network) }
  const { state, events } = await ledger.email.request(fingerprint, from)
  const { holder = accountId } = state
  const held = isOwn(await ledger.account.read(holder), fingerprint)
  const letter = await verificationLetter(flow, { accountId, to, occasion, taken: held && holder !== accountId })
  const withheld = events.some(({ type, data }) => type === 'EmailRequested' && data.withheld)
  return withheld ? { ...letter, withheld } : letter
}

/**
 * Makes the address the account's. Whoever had claimed it and never proven it can not do so by an older link from then
 * on, so that two accounts never come to use one address. Refuses `email-taken`, `password-required`.
 */
export const claimAddress = async (
  flow: UseCaseContext,
  fingerprint: string,
  { accountId, proven }: { accountId: string; proven: boolean },
): Promise<void> => {
  const { ledger, world } = flow
  await claimFor(flow, fingerprint, {
    id: accountId,
    proven,
    uses: async (holder) => isOwn(await ledger.account.read(holder), fingerprint),
    async settle(holder) {
      // Before anything ends: a link that is asked for a password first has not been followed.
      const state = await ledger.email.read(fingerprint)
      if (!proven && hasRival(state, accountId, world.now().toISOString())) refuse('password-required')
      await ledger.account.endVerification(holder, { emailFingerprint: fingerprint })
    },
  })
}
