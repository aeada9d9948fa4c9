import type { SealedText } from '../kernel/ports.ts'
import type { FactorCommands, OperatorAct, Passkey } from './factors.ts'

/** The events of a person who signs in, and the commands on them. */

/** An address, sealed, and the keyed hash that keeps it unique. */
export type Address = { email: SealedText; emailFingerprint: string }

/**
 * `enrol`: a typed code instead of a link. Before the first second factor is added, it shows that whoever knows the
 * password reads the mail, too.
 */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'change-email' | 'confirm-change' | 'enrol'

/** A letter with a link, or a code, that works once; only the hash of its token is kept in the clear. */
export type MailedLink = {
  purpose: LinkPurpose
  tokenHash: string
  expiresAt: string
  letter: SealedText
  /** For a change of address: the new one. */
  address?: Address
}

export type UserEvents = {
  UserRegistered: Address & { passwordHash: string; profile: SealedText }
  UserLinkRequested: MailedLink & { requestedAt: string }
  /** One of the two links of a change of address was followed, and the other is waited for; or a code was typed. */
  UserLinkFollowed: { purpose: LinkPurpose }
  /** The link in a letter to the address was followed. */
  UserEmailVerified: { emailFingerprint: string }
  /** Both addresses have agreed; `former` may be used by others again. */
  UserEmailChanged: Address & { former: string; formerEmail: SealedText }
  /**
   * `by`: `reset` is a mailed link, `user` somebody who knew the old password, and `rehash` the same password under a
   * newer hash.
   */
  UserPasswordSet: { passwordHash: string; by: 'reset' | 'user' | 'rehash' }
  /** JSON of `{name, preferred_username, picture, locale}`, sealed. */
  UserProfileSet: { profile: SealedText }
  PasskeyAdded: Passkey
  PasskeyRemoved: { credentialId: string }
  TotpEnrolled: { secret: SealedText }
  TotpRemoved: Record<never, never>
  /** The new codes replace all former ones; none when no second factor is left. */
  RecoveryCodesIssued: { hashes: readonly string[] }
  RecoveryCodeUsed: { hash: string }
  /** An operator keeps the user from signing in, and from paying; what comes in for them is kept. */
  UserSuspended: OperatorAct & { suspendedAt: string }
  UserReinstated: OperatorAct & { reinstatedAt: string }
  /** An operator took every second factor and every recovery code away, from somebody who has lost them. */
  UserFactorsReset: OperatorAct & { resetAt: string }
  /** An operator signed the user out everywhere; what apps were given with a session ends with it. */
  UserSessionsEnded: OperatorAct & { endedAt: string }
  /** The user's data key is destroyed: what was sealed under it cannot be read any more. */
  UserErased: { erasedAt: string }
}

export type UserCommands = FactorCommands & {
  /** `verification` is null when the operator vouches for the address. */
  register: UserEvents['UserRegistered'] & { verification: MailedLink | null }
  /** Adds a link; others of the same purpose end. Refuses `rate-limited` after `LINKS_PER_HOUR` of it. */
  requestLink: MailedLink
  /** Adds a link for each of the two addresses; both have to agree. Refuses `rate-limited` as well. */
  requestEmailChange: { atNew: MailedLink; atPresent: MailedLink }
  /** Uses up the link. Refuses `verification-link-invalid`. */
  verifyEmail: { tokenHash: string }
  /** Sets a new password. Whoever follows the link reads the mail of the address, so that it is verified as well. */
  resetPassword: { tokenHash: string; passwordHash: string }
  /** Uses up the link to one of the two addresses; the change is made with the second. */
  confirmEmailChange: { tokenHash: string }
  /** Uses up the mailed code. Refuses `mfa-code-wrong`. */
  useMailedCode: { tokenHash: string }
  setPassword: { passwordHash: string }
  /** Does nothing when the password was changed meanwhile. */
  rehashPassword: { from: string; passwordHash: string }
  setProfile: { profile: SealedText }
  suspend: OperatorAct
  reinstate: OperatorAct
  /** Quiet for somebody who has no second factor. */
  resetFactors: OperatorAct
  /** Notes the end of all sessions, whether or not there are any. */
  endSessions: OperatorAct
  erase: Record<never, never>
}
