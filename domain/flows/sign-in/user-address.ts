import type { Flow } from '../flow.ts'

/** Whose an e-mail address is among the people who sign in; sellers' accounts are another world, and may have the same one. */

/** A claim that came to nothing may be taken over after this long; no request lives so long. */
const CLAIM_ABANDONED_MS = 60_000

/** The keyed hash by which an address is known; case is not told apart. */
export const userFingerprint = ({ vault }: Pick<Flow, 'vault'>, email: string): string =>
  vault.fingerprint('user-email', email.normalize('NFKC').toLowerCase())

/** Makes the address the user's. Refuses `email-taken`. */
export const claimUserAddress = async (
  flow: Pick<Flow, 'ledger' | 'world'>,
  fingerprint: string,
  sub: string,
): Promise<void> => {
  const { holder } = await userOfAddress(flow, fingerprint)
  if (holder?.abandoned) await flow.ledger.email.reclaim(fingerprint, { from: holder.sub, accountId: sub })
  else await flow.ledger.email.claim(fingerprint, { accountId: sub })
}

/** Who has an address now; `abandoned` when they claimed it and never came to use it. */
export const userOfAddress = async (
  { ledger, world }: Pick<Flow, 'ledger' | 'world'>,
  fingerprint: string,
): Promise<{ holder: { sub: string; abandoned: boolean } | undefined }> => {
  const { holder: sub, claimedAt } = await ledger.email.read(fingerprint)
  if (sub === undefined) return { holder: undefined }
  const user = await ledger.user.read(sub)
  const uses = user.status !== 'none' && user.status !== 'erased' && user.emailFingerprint === fingerprint
  const isOld = world.now().getTime() - Date.parse(claimedAt) > CLAIM_ABANDONED_MS
  return { holder: { sub, abandoned: !uses && isOld } }
}
