import type { SealedText } from '../../kernel/ports.ts'
import type { FactorCommands, Passkey } from '../../signin/factors.ts'

/** The events of a person of a seller, and the commands on them. */

export type MemberEvents = {
  /**
   * A person belongs to an account. `owner`: its first person, of whom there is one, and who may do everything in it.
   */
  MemberJoined: { accountId: string; role: 'owner'; joinedAt: string }
  /** A letter with a code goes to the member before the first second factor is added; only the newest code counts. */
  MemberCodeRequested: OfAccount & { codeHash: string; expiresAt: string; letter: SealedText; requestedAt: string }
  /** The mailed code was typed. */
  MemberCodeUsed: OfAccount & { codeHash: string }
  MemberPasskeyAdded: OfAccount & Passkey
  MemberPasskeyRemoved: OfAccount & { credentialId: string }
  MemberTotpEnrolled: OfAccount & { secret: SealedText }
  MemberTotpRemoved: OfAccount
  /** The new codes replace all former ones; none when no second factor is left. */
  MemberRecoveryCodesIssued: OfAccount & { hashes: readonly string[] }
  MemberRecoveryCodeUsed: OfAccount & { hash: string }
}

/** The account that the member belongs to, so that its books show what became of its members. */
type OfAccount = { accountId: string }

export type MemberCommands = FactorCommands & {
  /** Quiet for somebody who belongs to the account already. Refuses `id-taken` for a person of another one. */
  join: { accountId: string; role: 'owner' }
  /** Refuses `rate-limited` after so many letters within an hour. */
  requestCode: { codeHash: string; expiresAt: string; letter: SealedText }
  /** Uses up the mailed code. Refuses `mfa-code-wrong`. */
  useMailedCode: { codeHash: string }
}
