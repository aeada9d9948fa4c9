/**
 * A person of a seller, who signs in to the dashboard (N-82). Buyers who sign in are users; a member belongs to an
 * account and acts in it. Second factors are the member's own; the password is the account's.
 */
import { decider, whenExists } from '../../kernel/decider.ts'
import { refuse } from '../../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../../kernel/refusals/limits.ts'
import {
  type Factors,
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
  readonly accountId: string
  readonly role: 'owner'
  readonly joinedAt: string
  readonly code: { readonly hash: string; readonly expiresAt: string } | undefined
  /** Times at which letters with a code were asked for, the newest last. */
  readonly askedAt: readonly string[]
}
type State = { readonly status: 'none' } | Member

/** Letters with a code that one member is sent in an hour. */
const CODES_PER_HOUR_MAX = 3
const HOUR_MS = 3_600_000
const TOO_MANY_CODES = `At most ${CODES_PER_HOUR_MAX} codes are mailed in an hour. Please try again later.`

/** The id of the first person of an account, its owner: the same whoever makes the account a member, and when. */
export const ownerMemberId = (accountId: string): string => `mem_${accountId.slice(accountId.indexOf('_') + 1)}`

export const member = decider<MemberEvents, MemberCommands, State>({
  category: 'member',
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    join: (state, { accountId, role }, now) => {
      if (state.status === 'none') return [{ type: 'MemberJoined', data: { accountId, role, joinedAt: now } }]
      return state.accountId === accountId ? [] : refuse('id-taken')
    },
    requestCode: (state, data, now) => {
      // The third newest letter is the one that has to be an hour old.
      const third = joined(state).askedAt.at(-CODES_PER_HOUR_MAX)
      const freeAt = third === undefined ? now : new Date(Date.parse(third) + HOUR_MS).toISOString()
      if (freeAt > now) throw new LimitReached('letters.member', secondsUntil(freeAt, now), TOO_MANY_CODES)
      return [{ type: 'MemberCodeRequested', data: { accountId: joined(state).accountId, ...data, requestedAt: now } }]
    },
    useMailedCode: (state, { codeHash }, now) => {
      const { code, accountId } = joined(state)
      return code?.hash === codeHash && now < code.expiresAt
        ? [{ type: 'MemberCodeUsed', data: { accountId, codeHash } }]
        : refuse('mfa-code-wrong')
    },
    addPasskey: (state, data) => {
      const { accountId, ...factors } = joined(state)
      return isNewPasskey(factors, data) ? [{ type: 'MemberPasskeyAdded', data: { accountId, ...data } }] : []
    },
    removePasskey: (state, { credentialId }) => {
      const { accountId, ...factors } = joined(state)
      if (!hasPasskey(factors, credentialId)) return []
      const removed = { type: 'MemberPasskeyRemoved', data: { accountId, credentialId } } as const
      return isLastFactor(factors) ? [removed, noCodes(accountId)] : [removed]
    },
    enrolTotp: (state, data) => [{ type: 'MemberTotpEnrolled', data: { accountId: joined(state).accountId, ...data } }],
    removeTotp: (state) => {
      const { accountId, ...factors } = joined(state)
      if (factors.totp === null) return []
      const removed = { type: 'MemberTotpRemoved', data: { accountId } } as const
      return isLastFactor(factors) ? [removed, noCodes(accountId)] : [removed]
    },
    issueRecoveryCodes: (state, { hashes }) => {
      mustBeFewCodes(hashes)
      return [{ type: 'MemberRecoveryCodesIssued', data: { accountId: joined(state).accountId, hashes } }]
    },
    useRecoveryCode: (state, { hash }) => {
      const { accountId, ...factors } = joined(state)
      mustHaveCode(factors, hash)
      return [{ type: 'MemberRecoveryCodeUsed', data: { accountId, hash } }]
    },
  },
  evolve: {
    MemberJoined: (_, { accountId, role, joinedAt }) => ({
      status: 'joined',
      accountId,
      role,
      joinedAt,
      code: undefined,
      askedAt: [],
      ...NO_FACTORS,
    }),
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
  },
})

const noCodes = (accountId: string) => ({ type: 'MemberRecoveryCodesIssued', data: { accountId, hashes: [] } }) as const

const joined = (state: State): Member => (state.status === 'none' ? refuse('not-found', 'no such member') : state)
