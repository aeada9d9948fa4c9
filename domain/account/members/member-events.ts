import type { SealedText } from '../../kernel/ports.ts'
import type { FactorCommands, OperatorAct, Passkey } from '../../signin/factors.ts'

/** The events of a person of a seller, and the commands on them. */

export type MemberEvents = {
  /**
   * A person belongs to an account. `owner`: its first person, of whom there is one, and who may do everything in it.
   * `invited`: they have a seat in it; what they may do there stands in the stream of its team (N-95).
   */
  MemberJoined: { accountId: string; role: 'owner' | 'invited'; joinedAt: string }
  /** They have no seat in the account any more. */
  MemberLeft: { accountId: string; leftAt: string }
  /**
   * Somebody who owns no account signs in with an address and a password of their own. Again, for one who belongs to no
   * account any more: what they had to sign in with before is gone.
   */
  MemberRegistered: { email: SealedText; emailFingerprint: string; passwordHash: string; registeredAt: string }
  /** Another password of somebody who owns no account; every session of theirs ends. */
  MemberPasswordChanged: { passwordHash: string; changedAt: string }
  /** What was sealed for somebody who owns no account can be read by nobody any more; they sign in nowhere. */
  MemberErased: { erasedAt: string }
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
  /**
   * An operator took every second factor and every recovery code away, from somebody who has lost them. `accountId` is
   * the account that asked, in whose books it shows: also for somebody who has a seat there.
   */
  MemberFactorsReset: OperatorAct & { accountId: string; resetAt: string }
  /** An operator signed the member out everywhere. `accountId` is the account that asked, as in a reset. */
  MemberSessionsEnded: OperatorAct & { accountId: string; endedAt: string }
}

/** The account that the member owns, so that its books show what became of its owner; none for who owns none. */
type OfAccount = { accountId?: string }

export type MemberCommands = FactorCommands & {
  /**
   * Quiet for somebody who belongs to the account already. Refuses `id-taken` for an owner of another one, and
   * `not-found` for an invited person who is nobody yet.
   */
  join: { accountId: string; role: 'owner' | 'invited' }
  leave: { accountId: string }
  /** Refuses `id-taken` for somebody who belongs to an account. */
  register: { email: SealedText; emailFingerprint: string; passwordHash: string }
  /** Refuses `not-found`, and `state-forbids` for an owner, who is erased with the account. */
  erase: Record<never, never>
  /** Refuses `not-found` for somebody whose password is that of the account that they own. */
  changePassword: { passwordHash: string }
  /** Refuses `rate-limited` after so many letters within an hour. */
  requestCode: { codeHash: string; expiresAt: string; letter: SealedText }
  /** Uses up the mailed code. Refuses `mfa-code-wrong`. */
  useMailedCode: { codeHash: string }
  /** Quiet for somebody who has no second factor. */
  resetFactors: OperatorAct & { accountId: string }
  /** Notes the end of all sessions, whether or not there are any. */
  endSessions: OperatorAct & { accountId: string }
}
