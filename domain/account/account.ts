import { decider, whenExists } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../kernel/refusals/limits.ts'
import {
  afterRecoveryRequest,
  afterRotation,
  closedText,
  closing,
  firstOwnerKey,
  lately,
  type OwnerKeyCommands,
  type OwnerKeyEvents,
  type OwnerKeys,
  recoveredKey,
  recoveryRequest,
  reinstatement,
  rotation,
  suspension,
} from './owner-keys.ts'
import { afterProof, afterReset, type OwnerPassword, provingHash } from './owner-password.ts'

/** A seller, agent or merchant. The proof of the email address is the gate to activation, and passes once. */

export type AccountEvents = OwnerKeyEvents & {
  /** Somebody agreed to the terms and has an account, not yet activated (J-ACC-01). */
  AccountSignedUp: {
    email: SealedText
    emailFingerprint: string
    passwordHash: string
    primaryWallet: string | null
    termsAgreed: 'explicit' | 'by-omission'
    /** When and from which network it was made, for the letters that ask whether that was you (N-15). */
    origin?: { at: string; network: SealedText }
  }
  /** An API key exists. Only its hash is kept; the key itself was shown once (X-HASH-01). */
  ApiKeyIssued: { keyId: string; keyHash: string; hint: string; kind: 'owner' }
  /** The publishable token of the account's default store. */
  CloudTokenIssued: { token: SealedText; tokenHash: string }
  /** A letter with a link is to be sent; only the hash of the link's token is kept in the clear (N-15). */
  EmailVerificationRequested: {
    tokenHash: string
    expiresAt: string
    letter: SealedText
    /**
     * The address it goes to, which becomes the account's when the link is followed; without it, the one of the sign-up
     * (N-19).
     */
    address?: AccountAddress
    /** When the account asked for it; a sign-up sends its letter unasked. */
    requestedAt?: string
    /** True when the letter is not sent, because so many went to the address within the hour. */
    withheld?: true
  }
  /**
   * The link of a letter does nothing any more: another account proved the address while this one had only begun to.
   */
  EmailVerificationEnded: { emailFingerprint: string }
  /** The link was followed: the address is theirs. */
  EmailVerified: { emailFingerprint: string }
  /** The account may be read and earns its free credit (J-ACC-06, J-ACC-07). */
  AccountActivated: { emailFingerprint: string }
  /**
   * Another address is the account's from now on; `former` may be used by others again (J-ACC-13). `formerEmail` is
   * told of it, where the account had proven it.
   */
  EmailChanged: AccountAddress & { former: string; formerEmail?: SealedText }
  /**
   * A new password; the keys stay as they are (J-ACC-15, N-19). `proven`: whoever set it knew the one before it.
   * `network`: from where, for the letter that asks whether that was you.
   */
  PasswordReset: { passwordHash: string; proven?: true; resetAt?: string; network?: SealedText }
  /** Its data key is destroyed: what was sealed under it cannot be read any more, here or in any copy of the log. */
  AccountErased: { erasedAt: string }
}

/** An address, sealed, and the keyed hash that keeps it unique. */
type AccountAddress = { email: SealedText; emailFingerprint: string }

type Letter = { tokenHash: string; expiresAt: string; letter: SealedText; withheld?: true }

export type AccountCommands = OwnerKeyCommands & {
  signUp: AccountEvents['AccountSignedUp'] & {
    key: AccountEvents['ApiKeyIssued']
    cloudToken: AccountEvents['CloudTokenIssued']
    verification: Letter
  }
  /**
   * Asks for a letter with a link, to be followed by whoever reads mail to the address; links of earlier letters end.
   */
  askLetter: Letter & { address: AccountAddress }
  verifyEmail: { tokenHash: string }
  /**
   * Ends the link for an address that another account takes over. Refuses `email-taken` when the account has it for its
   * own by now.
   */
  endVerification: { emailFingerprint: string }
  /**
   * `proven` is the hash that the password before it was held against. Refuses `credentials-wrong` when another one
   * proves the owner by now.
   */
  resetPassword: { passwordHash: string; proven?: string; network?: SealedText }
  erase: Record<never, never>
}

export type SignedUpAccount = OwnerKeys &
  OwnerPassword & {
    status: 'signed-up' | 'activated'
    email: SealedText
    emailFingerprint: string
    origin: AccountEvents['AccountSignedUp']['origin']
    verification: { tokenHash: string; expiresAt: string; address: AccountAddress } | undefined
    /** When the last letters were asked for, at most as many as may be asked for in an hour. */
    asked: readonly string[]
    /**
     * How often every member was signed out: by each new password, owner key, suspension and closing, and
     * by an operator. A session
     * that began before the last of them has ended.
     */
    signOuts: number
    erased: boolean
  }
type State = { status: 'none' } | SignedUpAccount

/**
 * Letters that one account may ask for in an hour, so that it cannot fill a stranger's mailbox (J-ACC-13, J-ACC-17).
 */
export const LETTERS_PER_HOUR_MAX = 5
const HOUR_MS = 3_600_000

const signedOut = (state: SignedUpAccount): SignedUpAccount => ({ ...state, signOuts: state.signOuts + 1 })

export const account = decider<AccountEvents, AccountCommands, State>({
  category: 'account',
  stateVersion: 9,
  initial: { status: 'none' },
  // So a sign-up reads one account, the address's holder or its own, whether or not the address is known.
  begins: ['signUp'],
  decide: {
    signUp: (state, { key, cloudToken, verification, ...signUp }) =>
      state.status === 'none'
        ? [
            { type: 'AccountSignedUp', data: signUp },
            { type: 'ApiKeyIssued', data: key },
            { type: 'CloudTokenIssued', data: cloudToken },
            { type: 'EmailVerificationRequested', data: verification },
          ]
        : refuse('id-taken'),
    askLetter: (state, { address, ...letter }, now) => {
      mayAskLetter(state, now)
      return [{ type: 'EmailVerificationRequested', data: { ...letter, address, requestedAt: now } }]
    },
    verifyEmail: (state, { tokenHash }, now) => {
      const { account, address } = linkedAccount(state, tokenHash, now)
      const { emailFingerprint } = address
      const { emailFingerprint: former, email, status } = account
      const told = status === 'activated' ? { formerEmail: email } : {}
      const changed = emailFingerprint !== former
      const verified = { emailFingerprint }
      return [
        ...(changed ? [{ type: 'EmailChanged', data: { ...address, former, ...told } } as const] : []),
        ...(changed || status !== 'activated' ? [{ type: 'EmailVerified', data: verified } as const] : []),
        ...(status === 'activated' ? [] : [{ type: 'AccountActivated', data: verified } as const]),
      ]
    },
    endVerification: (state, { emailFingerprint }) => {
      if (isOwn(state, emailFingerprint)) return refuse('email-taken')
      const isOpen = state.status !== 'none' && state.verification?.address.emailFingerprint === emailFingerprint
      return isOpen ? [{ type: 'EmailVerificationEnded', data: { emailFingerprint } }] : []
    },
    resetPassword: (state, { passwordHash, proven, ...told }, now) => {
      if (state.status === 'none') return refuse('not-found', NO_SUCH_ACCOUNT)
      if (state.passwordHash === passwordHash) return []
      if (proven !== undefined && proven !== provingHash(state, now)) return refuse('credentials-wrong', CHANGED)
      const how = proven === undefined ? {} : { proven: true as const }
      return [{ type: 'PasswordReset', data: { passwordHash, ...how, ...told, resetAt: now } }]
    },
    rotateKey: (state, wish, now) => rotation(existing(state), wish, now),
    requestRecovery: (state, letter, now) => recoveryRequest(existing(state), letter, now),
    recoverKey: (state, data, now) => recoveredKey(existing(state), data, now),
    suspend: (state, data, now) => suspension(existing(state), data, now),
    reinstate: (state, data, now) => reinstatement(existing(state), data, now),
    endSessions: (state, data, now) =>
      existing(state) && [{ type: 'AccountSessionsEnded', data: { ...data, endedAt: now } }],
    close: (state, data, now) => closing(existing(state), data, now),
    erase: (state, _, now) => {
      if (state.status === 'none') return refuse('not-found', NO_SUCH_ACCOUNT)
      return state.erased ? [] : [{ type: 'AccountErased', data: { erasedAt: now } }]
    },
  },
  evolve: {
    AccountSignedUp: (_, { email, emailFingerprint, passwordHash, origin }) => ({
      ...firstOwnerKey(''),
      status: 'signed-up',
      email,
      emailFingerprint,
      passwordHash,
      former: undefined,
      origin,
      verification: undefined,
      asked: [],
      signOuts: 0,
      erased: false,
    }),
    ApiKeyIssued: whenExists((state, { keyId }) => ({ ...state, keyId })),
    OwnerKeyRotated: whenExists((state, data) =>
      signedOut(afterRotation(data.cause === 'operator' ? state : afterProof(state, data.rotatedAt), data)),
    ),
    KeyRecoveryRequested: whenExists(afterRecoveryRequest),
    AccountSuspended: whenExists((state, { reason, suspendedAt }) =>
      signedOut({ ...state, suspended: { reason, at: suspendedAt } }),
    ),
    AccountClosed: whenExists((state, { closedAt }) => signedOut({ ...state, closed: { at: closedAt } })),
    AccountSessionsEnded: whenExists((state) => signedOut(state)),
    AccountReinstated: whenExists((state) => ({ ...state, suspended: undefined })),
    CloudTokenIssued: (state) => state,
    EmailVerificationRequested: (state, { tokenHash, expiresAt, address, requestedAt }) => {
      if (state.status === 'none') return state
      const { email, emailFingerprint } = address ?? state
      const verification = { tokenHash, expiresAt, address: { email, emailFingerprint } }
      const asked = requestedAt === undefined ? state.asked : [...lately(state.asked, requestedAt), requestedAt]
      return { ...state, verification, asked }
    },
    EmailVerificationEnded: whenExists((state) => ({ ...state, verification: undefined })),
    EmailVerified: (state) => state,
    AccountActivated: whenExists((state) => ({ ...state, status: 'activated' })),
    // A letter that went to the former address recovers nothing any more.
    EmailChanged: whenExists((state, { email, emailFingerprint }) => ({
      ...state,
      email,
      emailFingerprint,
      recovery: undefined,
    })),
    PasswordReset: whenExists((state, data) => signedOut(afterReset(state, data))),
    AccountErased: whenExists((state) => ({ ...state, erased: true })),
  },
})

/**
 * The account and the address that a link is for. Refuses `verification-link-invalid` when the link is not the newest
 * one, or expired before it was first followed.
 */
export const linkedAccount = (
  state: State,
  tokenHash: string,
  now: string,
): { account: SignedUpAccount; address: AccountAddress } => {
  if (state.status === 'none' || state.erased || state.verification?.tokenHash !== tokenHash)
    return refuse('verification-link-invalid')
  const { address, expiresAt } = state.verification
  if (!isOwn(state, address.emailFingerprint) && now > expiresAt)
    return refuse('verification-link-invalid', 'the link has expired')
  return { account: state, address }
}

/** Whether the account has proven the address, and still has it. Only then is the address held. */
export const isOwn = (state: State, emailFingerprint: string): boolean =>
  state.status === 'activated' && state.emailFingerprint === emailFingerprint

/** What is said of an account that is gone, to whoever held it and to the operator. */
export const NO_SUCH_ACCOUNT =
  'There is no such account: it was erased, or never was. Compare its id, or sign up for a new one.'

/** The account; refuses `not-found` where there is none, or it was erased. */
const existing = (state: State): SignedUpAccount =>
  state.status === 'none' || state.erased ? refuse('not-found', NO_SUCH_ACCOUNT) : state

/** The account, when there is one that may ask for a letter now. Refuses `not-found`, `forbidden`, `rate-limited`. */
export const mayAskLetter = (state: State, now: string): SignedUpAccount => {
  const account = existing(state)
  if (account.closed) return refuse('forbidden', closedText(account.closed.at))
  const [oldest, ...others] = lately(account.asked, now).slice(-LETTERS_PER_HOUR_MAX)
  if (oldest === undefined || others.length < LETTERS_PER_HOUR_MAX - 1) return account
  const freeAt = new Date(Date.parse(oldest) + HOUR_MS).toISOString()
  throw new LimitReached('letters.account', secondsUntil(freeAt, now), TOO_MANY_LETTERS)
}

const CHANGED = 'The password of the account was changed at this moment. Try again with the newest one.'
const TOO_MANY_LETTERS = `An account is sent at most ${LETTERS_PER_HOUR_MAX} letters an hour. Try again later.`
