import { decider, type Of } from '../decider.ts'
import type { Sealed } from '../ports.ts'
import { refuse } from '../refusal.ts'

/**
 * A person who signs in (N-59): who they are, sealed; how they prove it, hashed or sealed. The stream is named by the `sub` that apps know them
 * by, `usr_…`.
 */

/** An address, sealed, and the keyed hash that keeps it unique. */
type Address = { email: Sealed; emailFingerprint: string }

export type LinkPurpose = 'verify-email' | 'reset-password' | 'change-email' | 'confirm-change'

/** A letter with a link that works once; only the hash of its token is kept in the clear. */
type MailedLink = {
  purpose: LinkPurpose
  tokenHash: string
  expiresAt: string
  letter: Sealed
  /** Of a change of address: the one that it is to be. */
  address?: Address
}

export type Passkey = {
  /** base64url. */
  credentialId: string
  /** COSE key, base64url. */
  publicKey: string
  transports: readonly string[]
  /** What its owner calls it, sealed. */
  label: Sealed
}

export type UserEvents = {
  UserRegistered: Address & { passwordHash: string; profile: Sealed }
  UserLinkRequested: MailedLink & { requestedAt: string }
  /** One of the two links of a change of address was followed; the other is waited for. */
  UserLinkFollowed: { purpose: LinkPurpose }
  /** The link in a letter to the address was followed. */
  UserEmailVerified: { emailFingerprint: string }
  /** Both addresses have agreed; `former` may be used by others again. */
  UserEmailChanged: Address & { former: string }
  /** `reset`: by a mailed link, `user`: by who knew the old one, `rehash`: the same one, kept in a newer way. */
  UserPasswordSet: { passwordHash: string; by: 'reset' | 'user' | 'rehash' }
  /** JSON of `{name, preferred_username, picture, locale}`, sealed. */
  UserProfileSet: { profile: Sealed }
  PasskeyAdded: Passkey
  PasskeyRemoved: { credentialId: string }
  TotpEnrolled: { secret: Sealed }
  TotpRemoved: Record<never, never>
  /** Replaces all that were there. */
  RecoveryCodesIssued: { hashes: readonly string[] }
  RecoveryCodeUsed: { hash: string }
  /** Their data key is destroyed: what was sealed under it cannot be read any more. */
  UserErased: { erasedAt: string }
}

export type UserCommands = {
  /** `verification` is null when the operator vouches for the address. */
  register: UserEvents['UserRegistered'] & { verification: MailedLink | null }
  /** Links of the same purpose end. Refuses `rate-limited` after `LINKS_PER_HOUR`. */
  requestLink: MailedLink
  /** Uses up the link. Refuses `verification-link-invalid`. */
  verifyEmail: { tokenHash: string }
  resetPassword: { tokenHash: string; passwordHash: string }
  /** Uses up the link to one of the two addresses; the change is made with the second. */
  confirmEmailChange: { tokenHash: string }
  setPassword: { passwordHash: string }
  /** Quiet when the password has become another one meanwhile. */
  rehashPassword: { from: string; passwordHash: string }
  setProfile: { profile: Sealed }
  addPasskey: Passkey
  removePasskey: { credentialId: string }
  enrolTotp: { secret: Sealed }
  removeTotp: Record<never, never>
  issueRecoveryCodes: { hashes: readonly string[] }
  /** Refuses `mfa-code-wrong`. */
  useRecoveryCode: { hash: string }
  erase: Record<never, never>
}

type OpenLink = { readonly tokenHash: string; readonly expiresAt: string; readonly address?: Address | undefined }

export type User = Address & {
  status: 'unverified' | 'verified' | 'erased'
  passwordHash: string
  profile: Sealed
  links: { readonly [P in LinkPurpose]?: OpenLink | undefined }
  /** When letters were asked for, the newest last. */
  askedAt: readonly string[]
  passkeys: { readonly [credentialId: string]: Passkey }
  totp: Sealed | null
  recoveryCodes: readonly string[]
}
type State = { status: 'none' } | User

export const PASSKEYS_MAX = 20
export const RECOVERY_CODES_MAX = 10
/** Letters with links that one user may ask for in an hour; the first one comes unasked. */
const LINKS_PER_HOUR = 5

export const user = decider<UserEvents, UserCommands, State>({
  category: 'user',
  stateVersion: 1,
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
    requestLink: (state, link, now) => {
      const { askedAt } = known(state)
      const since = new Date(Date.parse(now) - 3_600_000).toISOString()
      if (askedAt.filter((at) => at > since).length >= LINKS_PER_HOUR)
        return refuse('rate-limited', `at most ${LINKS_PER_HOUR} letters an hour`)
      return [{ type: 'UserLinkRequested', data: { ...link, requestedAt: now } }]
    },
    verifyEmail: (state, { tokenHash }, now) => {
      const { emailFingerprint, status } = opened(state, 'verify-email', tokenHash, now)
      return status === 'verified' ? [] : [{ type: 'UserEmailVerified', data: { emailFingerprint } }]
    },
    resetPassword: (state, { tokenHash, passwordHash }, now) => {
      opened(state, 'reset-password', tokenHash, now)
      return [{ type: 'UserPasswordSet', data: { passwordHash, by: 'reset' } }]
    },
    confirmEmailChange: (state, { tokenHash }, now) => confirmEmailChange(state, tokenHash, now),
    setPassword: (state, { passwordHash }) =>
      known(state) ? [{ type: 'UserPasswordSet', data: { passwordHash, by: 'user' } }] : [],
    rehashPassword: (state, { from, passwordHash }) =>
      known(state).passwordHash === from ? [{ type: 'UserPasswordSet', data: { passwordHash, by: 'rehash' } }] : [],
    setProfile: (state, data) => (known(state) ? [{ type: 'UserProfileSet', data }] : []),
    addPasskey: (state, data) => {
      const { passkeys } = known(state)
      if (passkeys[data.credentialId]) return []
      if (Object.keys(passkeys).length >= PASSKEYS_MAX)
        return refuse('invalid-request', `at most ${PASSKEYS_MAX} passkeys`)
      return [{ type: 'PasskeyAdded', data }]
    },
    removePasskey: (state, data) =>
      known(state).passkeys[data.credentialId] ? [{ type: 'PasskeyRemoved', data }] : [],
    enrolTotp: (state, data) => (known(state) ? [{ type: 'TotpEnrolled', data }] : []),
    removeTotp: (state) => (known(state).totp === null ? [] : [{ type: 'TotpRemoved', data: {} }]),
    issueRecoveryCodes: (state, { hashes }) =>
      known(state) && hashes.length <= RECOVERY_CODES_MAX
        ? [{ type: 'RecoveryCodesIssued', data: { hashes } }]
        : refuse('invalid-request', `at most ${RECOVERY_CODES_MAX} codes`),
    useRecoveryCode: (state, data) =>
      known(state).recoveryCodes.includes(data.hash) ? [{ type: 'RecoveryCodeUsed', data }] : refuse('mfa-code-wrong'),
    erase: (state, _, now) => {
      if (state.status === 'none') return refuse('not-found', 'no such user')
      return state.status === 'erased' ? [] : [{ type: 'UserErased', data: { erasedAt: now } }]
    },
  },
  evolve: {
    UserRegistered: (_, data) => ({
      ...{ status: 'unverified', ...data, links: {}, askedAt: [], passkeys: {}, totp: null, recoveryCodes: [] },
    }),
    UserLinkRequested: (state, { purpose, tokenHash, expiresAt, address, requestedAt }) =>
      changed(state, ({ links, askedAt }) => ({
        links: { ...links, [purpose]: { tokenHash, expiresAt, address } },
        askedAt: [...askedAt, requestedAt].slice(-LINKS_PER_HOUR),
      })),
    UserLinkFollowed: (state, { purpose }) =>
      changed(state, ({ links }) => ({ links: { ...links, [purpose]: undefined } })),
    // The link stays, so that following it again says the same; it ends by its time.
    UserEmailVerified: (state) => changed(state, () => ({ status: 'verified' })),
    UserEmailChanged: (state, { email, emailFingerprint }) =>
      changed(state, ({ links }) => ({
        ...{ email, emailFingerprint, status: 'verified' },
        links: { ...links, 'change-email': undefined, 'confirm-change': undefined },
      })),
    UserPasswordSet: (state, { passwordHash, by }) =>
      changed(state, ({ links }) => ({
        passwordHash,
        ...(by === 'reset' && { links: { ...links, 'reset-password': undefined } }),
      })),
    UserProfileSet: (state, { profile }) => changed(state, () => ({ profile })),
    PasskeyAdded: (state, key) =>
      changed(state, ({ passkeys }) => ({ passkeys: { ...passkeys, [key.credentialId]: key } })),
    PasskeyRemoved: (state, { credentialId }) =>
      changed(state, ({ passkeys: { [credentialId]: _, ...passkeys } }) => ({ passkeys })),
    TotpEnrolled: (state, { secret }) => changed(state, () => ({ totp: secret })),
    TotpRemoved: (state) => changed(state, () => ({ totp: null })),
    RecoveryCodesIssued: (state, { hashes }) => changed(state, () => ({ recoveryCodes: hashes })),
    RecoveryCodeUsed: (state, { hash }) =>
      changed(state, ({ recoveryCodes }) => ({ recoveryCodes: recoveryCodes.filter((each) => each !== hash) })),
    UserErased: (state) => changed(state, () => ({ status: 'erased' })),
  },
})

/**
 * A new address needs the word of both: of who reads mail there, and of who reads the present one. Whoever follows the second of the two links
 * makes the change.
 */
const confirmEmailChange = (state: State, tokenHash: string, now: string): readonly Of<UserEvents>[] => {
  const { links, emailFingerprint } = known(state)
  const purpose = links['change-email']?.tokenHash === tokenHash ? 'change-email' : 'confirm-change'
  const { address } = opened(state, purpose, tokenHash, now).links[purpose] ?? {}
  if (!address) return refuse('verification-link-invalid')
  const other = links[purpose === 'change-email' ? 'confirm-change' : 'change-email']
  return other === undefined
    ? [{ type: 'UserEmailChanged', data: { ...address, former: emailFingerprint } }]
    : [{ type: 'UserLinkFollowed', data: { purpose } }]
}

/** Refuses `verification-link-invalid` unless this is the newest link of its purpose, in time. */
const opened = (state: State, purpose: LinkPurpose, tokenHash: string, now: string): User => {
  const found = known(state)
  const link = found.links[purpose]
  return link?.tokenHash === tokenHash && now < link.expiresAt ? found : refuse('verification-link-invalid')
}

const known = (state: State): User =>
  state.status === 'none' || state.status === 'erased' ? refuse('not-found', 'no such user') : state

const changed = (state: State, fields: (user: User) => Partial<User>): State =>
  state.status === 'none' ? state : { ...state, ...fields(state) }
