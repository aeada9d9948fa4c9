import { decider, type Of } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../kernel/refusals/limits.ts'
import {
  type Factors,
  hasFactors,
  hasPasskey,
  isLastFactor,
  isNewPasskey,
  mustBeFewCodes,
  mustHaveCode,
  NO_FACTORS,
  withoutCode,
  withoutPasskey,
  withPasskey,
} from './factors.ts'
import type { Address, LinkPurpose, MailedLink, UserCommands, UserEvents } from './user-events.ts'

/**
 * A person who signs in (N-59): who they are, sealed; how they prove it, hashed or sealed. The stream is named by the
 * `sub` that apps know them by, `usr_…`.
 */

type OpenLink = { readonly tokenHash: string; readonly expiresAt: string; readonly address?: Address | undefined }

export type User = Address &
  Factors & {
    status: 'unverified' | 'verified' | 'erased'
    passwordHash: string
    profile: SealedText
    /** Since when an operator keeps them from signing in and paying, and why. */
    suspended: { readonly reason: string; readonly at: string } | undefined
    links: { readonly [P in LinkPurpose]?: OpenLink | undefined }
    /** Times at which letters were asked for, the newest last. */
    askedAt: { readonly [P in LinkPurpose]?: readonly string[] | undefined }
  }
type State = { status: 'none' } | User

/** Letters of one purpose that go to one user in an hour, so that nobody's mailbox is flooded in our name. */
const LINKS_PER_HOUR = 3
const HOUR_MS = 3_600_000
const TOO_MANY_LETTERS = `At most ${LINKS_PER_HOUR} such letters are sent in an hour. Please follow those that you have.`

export const user = decider<UserEvents, UserCommands, State>({
  category: 'user',
  stateVersion: 2,
  initial: { status: 'none' },
  begins: ['register'],
  decide: {
    register: (state, { verification, ...data }, now) =>
      state.status === 'none'
        ? [
            { type: 'UserRegistered', data },
            verification
              ? { type: 'UserLinkRequested', data: { ...verification, requestedAt: now } }
              : { type: 'UserEmailVerified', data: { emailFingerprint: data.emailFingerprint } },
          ]
        : refuse('id-taken'),
    requestLink: (state, link, now) =>
      // Alone, one of the two letters of a change would make it without the other.
      link.address ? refuse('invalid-request', 'Both addresses have to agree first.') : [requested(state, link, now)],
    requestEmailChange: (state, { atNew, atPresent }, now) => [
      requested(state, atNew, now),
      requested(state, atPresent, now),
    ],
    verifyEmail: (state, { tokenHash }, now) => {
      const { emailFingerprint, status } = userOfLink(state, 'verify-email', tokenHash, now)
      return status === 'verified' ? [] : [{ type: 'UserEmailVerified', data: { emailFingerprint } }]
    },
    resetPassword: (state, { tokenHash, passwordHash }, now) => {
      const { status, emailFingerprint } = userOfLink(state, 'reset-password', tokenHash, now)
      const set = { type: 'UserPasswordSet', data: { passwordHash, by: 'reset' } } as const
      return status === 'verified' ? [set] : [set, { type: 'UserEmailVerified', data: { emailFingerprint } }]
    },
    confirmEmailChange: (state, { tokenHash }, now) => confirmEmailChange(state, tokenHash, now),
    useMailedCode: (state, { tokenHash }, now) => {
      const code = known(state).links.enrol
      return code?.tokenHash === tokenHash && now < code.expiresAt
        ? [{ type: 'UserLinkFollowed', data: { purpose: 'enrol' } }]
        : refuse('mfa-code-wrong')
    },
    setPassword: (state, { passwordHash }) =>
      known(state) ? [{ type: 'UserPasswordSet', data: { passwordHash, by: 'user' } }] : [],
    rehashPassword: (state, { from, passwordHash }) =>
      known(state).passwordHash === from ? [{ type: 'UserPasswordSet', data: { passwordHash, by: 'rehash' } }] : [],
    setProfile: (state, data) => (known(state) ? [{ type: 'UserProfileSet', data }] : []),
    addPasskey: (state, data) => (isNewPasskey(known(state), data) ? [{ type: 'PasskeyAdded', data }] : []),
    removePasskey: (state, data) => {
      if (!hasPasskey(known(state), data.credentialId)) return []
      const removed = { type: 'PasskeyRemoved', data } as const
      return isLastFactor(known(state)) ? [removed, NO_CODES] : [removed]
    },
    enrolTotp: (state, data) => (known(state) ? [{ type: 'TotpEnrolled', data }] : []),
    removeTotp: (state) => {
      if (known(state).totp === null) return []
      const removed = { type: 'TotpRemoved', data: {} } as const
      return isLastFactor(known(state)) ? [removed, NO_CODES] : [removed]
    },
    issueRecoveryCodes: (state, { hashes }) => {
      mustBeFewCodes(hashes)
      return known(state) ? [{ type: 'RecoveryCodesIssued', data: { hashes } }] : []
    },
    useRecoveryCode: (state, data) => {
      mustHaveCode(known(state), data.hash)
      return [{ type: 'RecoveryCodeUsed', data }]
    },
    suspend: (state, act, now) =>
      known(state).suspended ? [] : [{ type: 'UserSuspended', data: { ...act, suspendedAt: now } }],
    reinstate: (state, act, now) =>
      known(state).suspended ? [{ type: 'UserReinstated', data: { ...act, reinstatedAt: now } }] : [],
    resetFactors: (state, act, now) =>
      hasFactors(known(state)) ? [{ type: 'UserFactorsReset', data: { ...act, resetAt: now } }] : [],
    endSessions: (state, act, now) => known(state) && [{ type: 'UserSessionsEnded', data: { ...act, endedAt: now } }],
    erase: (state, _, now) => {
      if (state.status === 'none') return refuse('not-found', NO_SUCH_USER)
      return state.status === 'erased' ? [] : [{ type: 'UserErased', data: { erasedAt: now } }]
    },
  },
  evolve: {
    UserRegistered: (_, data) => ({
      status: 'unverified',
      ...data,
      suspended: undefined,
      links: {},
      askedAt: {},
      ...NO_FACTORS,
    }),
    UserLinkRequested: (state, { purpose, tokenHash, expiresAt, address, requestedAt }) =>
      changed(state, ({ links, askedAt }) => ({
        links: { ...links, [purpose]: { tokenHash, expiresAt, address } },
        askedAt: { ...askedAt, [purpose]: [...(askedAt[purpose] ?? []), requestedAt].slice(-LINKS_PER_HOUR) },
      })),
    UserLinkFollowed: (state, { purpose }) =>
      changed(state, ({ links }) => ({ links: { ...links, [purpose]: undefined } })),
    // The link stays, so that following it again says the same; it ends by its time.
    UserEmailVerified: (state) => changed(state, () => ({ status: 'verified' })),
    UserEmailChanged: (state, { email, emailFingerprint }) =>
      // Links that lie in the former mailbox end with it.
      changed(state, () => ({ email, emailFingerprint, status: 'verified', links: {} })),
    UserPasswordSet: (state, { passwordHash, by }) =>
      changed(state, ({ links }) => ({
        passwordHash,
        ...(by !== 'rehash' && { links: { ...links, 'reset-password': undefined } }),
      })),
    UserProfileSet: (state, { profile }) => changed(state, () => ({ profile })),
    PasskeyAdded: (state, key) => changed(state, (user) => withPasskey(user, key)),
    PasskeyRemoved: (state, { credentialId }) => changed(state, (user) => withoutPasskey(user, credentialId)),
    TotpEnrolled: (state, { secret }) => changed(state, () => ({ totp: secret })),
    TotpRemoved: (state) => changed(state, () => ({ totp: null })),
    RecoveryCodesIssued: (state, { hashes }) => changed(state, () => ({ recoveryCodes: hashes })),
    RecoveryCodeUsed: (state, { hash }) => changed(state, (user) => withoutCode(user, hash)),
    UserSuspended: (state, { reason, suspendedAt }) =>
      changed(state, () => ({ suspended: { reason, at: suspendedAt } })),
    UserReinstated: (state) => changed(state, () => ({ suspended: undefined })),
    UserFactorsReset: (state) => changed(state, () => NO_FACTORS),
    UserSessionsEnded: (state) => state,
    UserErased: (state) => changed(state, () => ({ status: 'erased', passwordHash: '', links: {}, ...NO_FACTORS })),
  },
})

const NO_CODES = { type: 'RecoveryCodesIssued', data: { hashes: [] } } as const

const requested = (state: State, link: MailedLink, now: string): Of<UserEvents> => {
  const { [link.purpose]: askedAt = [] } = known(state).askedAt
  // The third newest letter is the one that has to be an hour old.
  const third = askedAt.at(-LINKS_PER_HOUR)
  const freeAt = third === undefined ? now : new Date(Date.parse(third) + HOUR_MS).toISOString()
  if (freeAt > now) throw new LimitReached('letters.user', secondsUntil(freeAt, now), TOO_MANY_LETTERS)
  return { type: 'UserLinkRequested', data: { ...link, requestedAt: now } }
}

/**
 * A new address needs the consent of two: of whoever reads mail there, and of whoever reads that of the present one.
 * Whoever follows the second of the two links makes the change.
 */
const confirmEmailChange = (state: State, tokenHash: string, now: string): readonly Of<UserEvents>[] => {
  const { email, emailFingerprint } = known(state)
  const { purpose, address, isLast } = emailChangeOf(state, tokenHash, now)
  return isLast
    ? [{ type: 'UserEmailChanged', data: { ...address, former: emailFingerprint, formerEmail: email } }]
    : [{ type: 'UserLinkFollowed', data: { purpose } }]
}

/**
 * The new address that a link stands for, and whether the other of the two was followed before. Refuses
 * `verification-link-invalid`.
 */
export const emailChangeOf = (state: State, tokenHash: string, now: string) => {
  const { links } = known(state)
  const purpose = links['change-email']?.tokenHash === tokenHash ? 'change-email' : 'confirm-change'
  const { address } = userOfLink(state, purpose, tokenHash, now).links[purpose] ?? {}
  if (!address) return refuse('verification-link-invalid')
  const isLast = links[purpose === 'change-email' ? 'confirm-change' : 'change-email'] === undefined
  return { purpose, address, isLast } as const
}

/** Refuses `verification-link-invalid` unless this is the newest link of its purpose, in time. */
export const userOfLink = (state: State, purpose: LinkPurpose, tokenHash: string, now: string): User => {
  const found = known(state)
  const link = found.links[purpose]
  return link?.tokenHash === tokenHash && now < link.expiresAt ? found : refuse('verification-link-invalid')
}

/** What is said of a user who is gone, to the user alone. */
export const NO_SUCH_USER = 'There is no such user: the account was erased, or never was. Sign up for a new one.'

/**
 * Whether somebody is there, and no operator keeps them from acting: else no session, token or order of theirs counts.
 */
export const mayAct = (state: State): state is User =>
  state.status !== 'none' && state.status !== 'erased' && state.suspended === undefined

const known = (state: State): User =>
  state.status === 'none' || state.status === 'erased' ? refuse('not-found', NO_SUCH_USER) : state

const changed = (state: State, fields: (user: User) => Partial<User>): State =>
  state.status === 'none' ? state : { ...state, ...fields(state) }
