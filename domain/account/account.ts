import { decider } from '../decider.ts'
import type { Sealed } from '../ports.ts'
import { refuse } from '../refusal.ts'

/** A seller, agent or merchant. The proof of the email address is the gate to activation, and passes once. */

export type AccountEvents = {
  /** Somebody agreed to the terms and has an account, not yet activated (J-ACC-01). */
  AccountSignedUp: {
    email: Sealed
    emailFingerprint: string
    passwordHash: string
    primaryWallet: string | null
    termsAgreed: 'explicit' | 'by-omission'
  }
  /** An API key exists. Only its hash is kept; the key itself was shown once (X-HASH-01). */
  ApiKeyIssued: { keyId: string; keyHash: string; hint: string; kind: 'owner' }
  /** The publishable token of the account's default store. */
  CloudTokenIssued: { token: Sealed; tokenHash: string }
  /** A letter with a link is to be sent; only the hash of the link's token is kept in the clear (N-15). */
  EmailVerificationRequested: { tokenHash: string; expiresAt: string; letter: Sealed }
  /** The link was followed: the address is theirs. */
  EmailVerified: { emailFingerprint: string }
  /** The account may be read and earns its free credit (J-ACC-06, J-ACC-07). */
  AccountActivated: { emailFingerprint: string }
  /** Its data key is destroyed: what was sealed under it cannot be read any more, here or in any copy of the log. */
  AccountErased: { erasedAt: string }
}

export type AccountCommands = {
  signUp: AccountEvents['AccountSignedUp'] & {
    key: AccountEvents['ApiKeyIssued']
    cloudToken: AccountEvents['CloudTokenIssued']
    verification: AccountEvents['EmailVerificationRequested']
  }
  verifyEmail: { tokenHash: string }
  erase: Record<never, never>
}

type SignedUp = {
  status: 'signed-up' | 'activated'
  email: Sealed
  emailFingerprint: string
  cloudToken: Sealed | undefined
  verification: { tokenHash: string; expiresAt: string } | undefined
  erased: boolean
}
type State = { status: 'none' } | SignedUp

export const account = decider<AccountEvents, AccountCommands, State>({
  category: 'account',
  stateVersion: 2,
  initial: { status: 'none' },
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
    verifyEmail: (state, { tokenHash }, now) => {
      if (state.status === 'none' || state.erased || state.verification?.tokenHash !== tokenHash)
        return refuse('verification-link-invalid')
      if (state.status === 'activated') return []
      if (now > state.verification.expiresAt) return refuse('verification-link-invalid', 'the link has expired')
      const { emailFingerprint } = state
      return [
        { type: 'EmailVerified', data: { emailFingerprint } },
        { type: 'AccountActivated', data: { emailFingerprint } },
      ]
    },
    erase: (state, _, now) => {
      if (state.status === 'none') return refuse('not-found', 'there is no such account')
      return state.erased ? [] : [{ type: 'AccountErased', data: { erasedAt: now } }]
    },
  },
  evolve: {
    AccountSignedUp: (_, { email, emailFingerprint }) => ({
      status: 'signed-up',
      email,
      emailFingerprint,
      cloudToken: undefined,
      verification: undefined,
      erased: false,
    }),
    ApiKeyIssued: (state) => state,
    CloudTokenIssued: (state, { token }) => (state.status === 'none' ? state : { ...state, cloudToken: token }),
    EmailVerificationRequested: (state, { tokenHash, expiresAt }) =>
      state.status === 'none' ? state : { ...state, verification: { tokenHash, expiresAt } },
    EmailVerified: (state) => state,
    AccountActivated: (state) => (state.status === 'none' ? state : { ...state, status: 'activated' }),
    AccountErased: (state) => (state.status === 'none' ? state : { ...state, erased: true }),
  },
})
