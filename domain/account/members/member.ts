/**
 * A person of a seller, who signs in to the dashboard (N-82). Buyers who sign in are users; a member belongs to an
 * account and acts in it, and may belong to further ones (N-95). Second factors are the member's own. The password of
 * an owner is that of the account; whoever owns none has one of their own.
 */
import { decider, whenExists } from '../../kernel/decider.ts'
import type { SealedText } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../../kernel/refusals/limits.ts'
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
} from '../../signin/factors.ts'
import type { MemberCommands, MemberEvents } from './member-events.ts'

export type Member = Factors & {
  readonly status: 'joined'
  /** The account that they own; undefined for somebody who owns none. */
  readonly accountId: string | undefined
  /** What they sign in with, where they own no account. */
  readonly own: OwnSignIn | undefined
  /** The accounts in which they have a seat, the oldest first. */
  readonly accounts: readonly string[]
  /** How often they were signed out everywhere on their own account. */
  readonly signOuts: number
  readonly erased: boolean
  readonly code: { readonly hash: string; readonly expiresAt: string } | undefined
  /** Times at which letters with a code were asked for, the newest last. */
  readonly askedAt: readonly string[]
}
type State = { readonly status: 'none' } | Member

type OwnSignIn = { readonly email: SealedText; readonly emailFingerprint: string; readonly passwordHash: string }

/** Accounts in which one person may have a seat. */
export const SEATS_OF_PERSON_MAX = 20

const NOBODY: Member = {
  status: 'joined',
  accountId: undefined,
  own: undefined,
  accounts: [],
  signOuts: 0,
  erased: false,
  code: undefined,
  askedAt: [],
  ...NO_FACTORS,
}

/** Letters with a code that one member is sent in an hour. */
const CODES_PER_HOUR_MAX = 3
const HOUR_MS = 3_600_000
const TOO_MANY_CODES = `At most ${CODES_PER_HOUR_MAX} codes are mailed in an hour. Please try again later.`

/** The id of the first person of an account, its owner: the same whoever makes the account a member, and when. */
export const ownerMemberId = (accountId: string): string => `mem_${accountId.slice(accountId.indexOf('_') + 1)}`

/**
 * The id of a person who owns no account, which comes from the keyed hash of their address: nobody has two. 130 bits of
 * it, in base32. `nth`: whoever was erased, and comes again, is another one.
 */
export const personMemberId = (emailFingerprint: string, nth = 0): string => {
  let rest = BigInt(`0x${emailFingerprint}`) + BigInt(nth)
  let id = ''
  for (let i = 0; i < ID_CHARACTERS; i++) {
    id += BASE32[Number(rest & 31n)]
    rest >>= 5n
  }
  return `mem_${id}`
}

const ID_CHARACTERS = 26
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

export const member = decider<MemberEvents, MemberCommands, State>({
  category: 'member',
  stateVersion: 2,
  initial: { status: 'none' },
  decide: {
    join: (state, { accountId, role }, now) => {
      const event = { type: 'MemberJoined', data: { accountId, role, joinedAt: now } } as const
      if (role === 'owner') {
        if (state.status === 'none') return [event]
        return state.accountId === accountId ? [] : refuse('id-taken')
      }
      const { accountId: owned, accounts } = joined(state)
      const isFull = accounts.length >= SEATS_OF_PERSON_MAX
      return owned === accountId || accounts.includes(accountId) || isFull ? [] : [event]
    },
    leave: (state, { accountId }, now) =>
      state.status !== 'none' && state.accounts.includes(accountId)
        ? [{ type: 'MemberLeft', data: { accountId, leftAt: now } }]
        : [],
    register: (state, data, now) => {
      const isFree = state.status === 'none' || !(state.accountId || state.accounts.length > 0 || state.erased)
      return isFree ? [{ type: 'MemberRegistered', data: { ...data, registeredAt: now } }] : refuse('id-taken')
    },
    changePassword: (state, { passwordHash }, now) => {
      const { own } = joined(state)
      if (!own) return refuse('not-found', 'The password of an owner is that of the account: set that one.')
      return own.passwordHash === passwordHash
        ? []
        : [{ type: 'MemberPasswordChanged', data: { passwordHash, changedAt: now } }]
    },
    erase: (state, _, now) => {
      const { accountId, erased } = joined(state)
      if (accountId !== undefined)
        return refuse('state-forbids', `This is an owner: name the account instead, which is ${accountId}.`)
      return erased ? [] : [{ type: 'MemberErased', data: { erasedAt: now } }]
    },
    requestCode: (state, data, now) => {
      // The third newest letter is the one that has to be an hour old.
      const third = joined(state).askedAt.at(-CODES_PER_HOUR_MAX)
      const freeAt = third === undefined ? now : new Date(Date.parse(third) + HOUR_MS).toISOString()
      if (freeAt > now) throw new LimitReached('letters.member', secondsUntil(freeAt, now), TOO_MANY_CODES)
      return [{ type: 'MemberCodeRequested', data: { ...ofAccount(joined(state)), ...data, requestedAt: now } }]
    },
    useMailedCode: (state, { codeHash }, now) => {
      const found = joined(state)
      return found.code?.hash === codeHash && now < found.code.expiresAt
        ? [{ type: 'MemberCodeUsed', data: { ...ofAccount(found), codeHash } }]
        : refuse('mfa-code-wrong')
    },
    addPasskey: (state, data) => {
      const found = joined(state)
      return isNewPasskey(found, data) ? [{ type: 'MemberPasskeyAdded', data: { ...ofAccount(found), ...data } }] : []
    },
    removePasskey: (state, { credentialId }) => {
      const found = joined(state)
      if (!hasPasskey(found, credentialId)) return []
      const removed = { type: 'MemberPasskeyRemoved', data: { ...ofAccount(found), credentialId } } as const
      return isLastFactor(found) ? [removed, noCodes(found)] : [removed]
    },
    enrolTotp: (state, data) => [{ type: 'MemberTotpEnrolled', data: { ...ofAccount(joined(state)), ...data } }],
    removeTotp: (state) => {
      const found = joined(state)
      if (found.totp === null) return []
      const removed = { type: 'MemberTotpRemoved', data: ofAccount(found) } as const
      return isLastFactor(found) ? [removed, noCodes(found)] : [removed]
    },
    issueRecoveryCodes: (state, { hashes }) => {
      mustBeFewCodes(hashes)
      return [{ type: 'MemberRecoveryCodesIssued', data: { ...ofAccount(joined(state)), hashes } }]
    },
    useRecoveryCode: (state, { hash }) => {
      const found = joined(state)
      mustHaveCode(found, hash)
      return [{ type: 'MemberRecoveryCodeUsed', data: { ...ofAccount(found), hash } }]
    },
    resetFactors: (state, act, now) =>
      hasFactors(joined(state)) ? [{ type: 'MemberFactorsReset', data: { ...act, resetAt: now } }] : [],
    endSessions: (state, act, now) =>
      joined(state) && [{ type: 'MemberSessionsEnded', data: { ...act, endedAt: now } }],
  },
  evolve: {
    MemberJoined: (state, { accountId, role }) => {
      if (role === 'owner') return { ...NOBODY, accountId }
      return state.status === 'none' ? state : { ...state, accounts: [...state.accounts, accountId] }
    },
    MemberLeft: whenExists((state, { accountId }) => ({
      ...state,
      accounts: state.accounts.filter((each) => each !== accountId),
    })),
    MemberRegistered: (state, { registeredAt: _, ...own }) => ({
      ...NOBODY,
      own,
      signOuts: state.status === 'none' ? 0 : state.signOuts + 1,
    }),
    MemberPasswordChanged: whenExists((state, { passwordHash }) => ({
      ...state,
      own: state.own && { ...state.own, passwordHash },
      signOuts: state.signOuts + 1,
    })),
    MemberErased: whenExists((state) => ({ ...NOBODY, erased: true, signOuts: state.signOuts + 1 })),
    MemberCodeRequested: whenExists((state, { codeHash, expiresAt, requestedAt }) => ({
      ...state,
      code: { hash: codeHash, expiresAt },
      askedAt: [...state.askedAt, requestedAt].slice(-CODES_PER_HOUR_MAX),
    })),
    MemberCodeUsed: whenExists((state) => ({ ...state, code: undefined })),
    MemberPasskeyAdded: whenExists((state, { accountId: _, ...key }) => ({ ...state, ...withPasskey(state, key) })),
    MemberPasskeyRemoved: whenExists((state, { credentialId }) => ({
      ...state,
      ...withoutPasskey(state, credentialId),
    })),
    MemberTotpEnrolled: whenExists((state, { secret }) => ({ ...state, totp: secret })),
    MemberTotpRemoved: whenExists((state) => ({ ...state, totp: null })),
    MemberRecoveryCodesIssued: whenExists((state, { hashes }) => ({ ...state, recoveryCodes: hashes })),
    MemberRecoveryCodeUsed: whenExists((state, { hash }) => ({ ...state, ...withoutCode(state, hash) })),
    MemberFactorsReset: whenExists((state) => ({ ...state, ...NO_FACTORS })),
    MemberSessionsEnded: whenExists((state) => ({ ...state, signOuts: state.signOuts + 1 })),
  },
})

const noCodes = (found: Member) =>
  ({ type: 'MemberRecoveryCodesIssued', data: { ...ofAccount(found), hashes: [] } }) as const

/** The account whose books show what becomes of a member. */
const ofAccount = ({ accountId }: Member) => (accountId === undefined ? {} : { accountId })

const joined = (state: State): Member => (state.status === 'none' ? refuse('not-found', 'no such member') : state)
