import type { Of } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../kernel/refusals/limits.ts'
import type { Capability } from './capabilities.ts'
import {
  dearestOf,
  freeSlot,
  isUsed,
  SEATED_MAX,
  type SeatPayment,
  type Seats,
  seatedCount,
  slotsFree,
  unusedPayment,
  upgradeFee,
  using,
} from './members/seats.ts'
import { mustFit, type Role, SEAT_PRICES } from './roles.ts'

/**
 * The members of an account's team besides its owner (N-95): they are invited by letter, sit on a seat as sub-keys do,
 * and may do what their role says, in their stores. Whoever did it stands in the event as `by`, a member's id.
 */

/** Invitations that are open at once. */
const INVITATIONS_MAX = 20
/** Letters with an invitation that one account may send in a day. */
const INVITATIONS_PER_DAY_MAX = 20
const DAY_MS = 86_400_000

/** What a member may do, and where. `permissions` are those of the role `custom`; no store means all of them. */
export type MemberGrants = {
  role: Role
  permissions: readonly Capability[]
  storeScope: readonly number[]
}

/** An invitation as it is written down: the link's token as a hash, and the address for which alone it is good. */
export type Invitation = MemberGrants & {
  email: SealedText
  emailFingerprint: string
  tokenHash: string
  expiresAt: string
  letter: SealedText
  by: string
}

export type TeamMemberEvents = {
  /** A letter with a link is sent; an earlier invitation of the same address does nothing any more (N-95). */
  MemberInvited: Invitation & { invitedAt: string; paid?: SeatPayment }
  InvitationWithdrawn: { emailFingerprint: string; by: string }
  /** The invited person has accepted, and has a seat. Their invitation is used up. */
  MemberSeated: MemberGrants & {
    number: number
    slot: number
    memberId: string
    email: SealedText
    emailFingerprint: string
    invitedBy: string
    seatedAt: string
  }
  /** All that the member may do from now on. */
  MemberChanged: MemberGrants & { number: number; memberId: string; by: string; paid?: SeatPayment }
  /** The member may do nothing here any more, and the seat is free. `by` is `operator` where the person was erased. */
  MemberRemoved: { number: number; memberId: string; by: string; removedAt: string }
  /** Whether every member has to have a second factor, the owner too (N-96). */
  SecondFactorRuleChanged: { required: boolean; by: string }
}

export type TeamMemberCommands = {
  /**
   * Refuses `insufficient-credit` when no seat is free that no other invitation counts on, and before that
   * `invalid-request`, `state-forbids`, `too-many-keys`, `rate-limited`. With `paid` there is one more seat.
   */
  invite: Invitation & { paid?: SeatPayment }
  withdraw: { emailFingerprint: string; by: string }
  /**
   * Refuses `verification-link-invalid`, and `state-forbids` when no seat is free. Quiet for who is a member already.
   */
  accept: { memberId: string; emailFingerprint: string; tokenHash: string }
  /** Refuses `not-found`, and `insufficient-credit` for a role that the seat was not paid for. */
  changeMember: Partial<MemberGrants> & { number: number; by: string; paid?: SeatPayment }
  removeMember: { number: number; by: string }
  requireFactor: { required: boolean; by: string }
}

/** A member on a seat. */
export type SeatedMember = MemberGrants & {
  readonly slot: number
  readonly memberId: string
  readonly email: SealedText
  readonly emailFingerprint: string
  readonly seatedAt: string
  /** The price of the dearest role that the seat was taken for: going back there costs nothing. */
  readonly paidFor: string
}

type OpenInvitation = Omit<Invitation, 'letter'>

/** `invitations` by the keyed hash of their address. `invitedAt`: when the last letters were sent, the newest last. */
export type MembersState = {
  readonly members: { readonly [number: number]: SeatedMember }
  readonly invitations: { readonly [emailFingerprint: string]: OpenInvitation }
  readonly invitedAt: readonly string[]
  readonly factorRequired: boolean
}

type State = Omit<Seats, 'members'> & MembersState & { readonly last: number }
type Decided = readonly Of<TeamMemberEvents & { SeatPaymentUnused: { paid: SeatPayment; unused: string } }>[]

export const NO_MEMBERS: MembersState = { members: {}, invitations: {}, invitedAt: [], factorRequired: false }

/** The invitations that can still be accepted. */
export const openInvitations = ({ invitations }: Pick<MembersState, 'invitations'>, now: string) =>
  Object.values(invitations).filter(({ expiresAt }) => now <= expiresAt)

/** The member with their number; undefined for who has no seat here. */
export const seatOf = (
  { members }: Pick<MembersState, 'members'>,
  memberId: string,
): (SeatedMember & { readonly number: number }) | undefined => {
  const [number, found] = Object.entries(members).find(([, each]) => each.memberId === memberId) ?? []
  return found && { ...found, number: Number(number) }
}

/** Refuses `not-found`. */
export const memberAt = ({ members }: Pick<MembersState, 'members'>, number: number): SeatedMember =>
  members[number] ?? refuse('not-found', 'There is no such member: it may have been removed. Look at the team again.')

/** The invitation that a link is for. Refuses `verification-link-invalid`. */
export const invitationOf = (
  { invitations }: Pick<MembersState, 'invitations'>,
  { tokenHash }: { readonly tokenHash: string },
  now: string,
): OpenInvitation =>
  openInvitations({ invitations }, now).find((each) => each.tokenHash === tokenHash) ??
  refuse('verification-link-invalid', 'This invitation is used, withdrawn, replaced or too old. Ask for another one.')

/** The grants of a member after a change. Refuses `invalid-request` for those that do not go together. */
export const memberGrantsAfter = (member: MemberGrants, wish: Partial<MemberGrants>): MemberGrants => {
  const role = wish.role ?? member.role
  const keeps = role === 'custom' && member.role === 'custom'
  const permissions = wish.permissions ?? (keeps ? member.permissions : [])
  return mustFit({ role, permissions, storeScope: wish.storeScope ?? member.storeScope })
}

export const decideMembers = {
  invite: (state: State, { paid, ...data }: TeamMemberCommands['invite'], now: string): Decided => {
    const { emailFingerprint, tokenHash } = data
    if (isUsed(state, paid) || state.invitations[emailFingerprint]?.tokenHash === tokenHash) return []
    if (!paid) mustBeFree(state, data, now)
    return [{ type: 'MemberInvited', data: { ...data, invitedAt: now, ...(paid && { paid }) } }]
  },
  withdraw: ({ invitations }: State, { emailFingerprint, by }: TeamMemberCommands['withdraw']): Decided =>
    invitations[emailFingerprint] ? [{ type: 'InvitationWithdrawn', data: { emailFingerprint, by } }] : [],
  accept: (state: State, { memberId, ...link }: TeamMemberCommands['accept'], now: string): Decided => {
    if (seatOf(state, memberId)) return []
    const invitation = invitationOf(state, link, now)
    if (invitation.emailFingerprint !== link.emailFingerprint)
      return refuse(
        'verification-link-invalid',
        'This invitation is for another email address. Sign in with that one, or ask for an invitation of yours.',
      )
    if (slotsFree(state) === 0) return refuse('state-forbids', NO_SEAT)
    const { email, emailFingerprint, by: invitedBy, role, permissions, storeScope } = invitation
    const seat = { number: state.last + 1, slot: freeSlot(state), memberId, invitedBy, seatedAt: now }
    const grants = { role, permissions, storeScope }
    return [{ type: 'MemberSeated', data: { ...seat, email, emailFingerprint, ...grants } }]
  },
  changeMember: (state: State, { number, by, paid, ...wish }: TeamMemberCommands['changeMember']): Decided => {
    if (isUsed(state, paid)) return []
    const member = paid ? state.members[number] : memberAt(state, number)
    if (!member) return paid ? [unusedPayment(paid, paid.fee)] : []
    const grants = memberGrantsAfter(member, wish)
    const fee = upgradeFee(member, SEAT_PRICES[grants.role])
    if (!paid && fee > 0n) return refuse('insufficient-credit', 'the seat of this role costs more')
    const changed = { ...grants, number, memberId: member.memberId, by, ...(paid && { paid }) }
    const isSame = !paid && JSON.stringify(grantsOf(member)) === JSON.stringify(grants)
    const rest = paid && BigInt(paid.fee) > fee ? [unusedPayment(paid, String(BigInt(paid.fee) - fee))] : []
    return isSame ? [] : [{ type: 'MemberChanged', data: changed }, ...rest]
  },
  removeMember: ({ members }: State, { number, by }: TeamMemberCommands['removeMember'], now: string): Decided => {
    const { memberId } = members[number] ?? {}
    return memberId === undefined ? [] : [{ type: 'MemberRemoved', data: { number, memberId, by, removedAt: now } }]
  },
  requireFactor: ({ factorRequired }: State, data: TeamMemberCommands['requireFactor']): Decided =>
    factorRequired === data.required ? [] : [{ type: 'SecondFactorRuleChanged', data }],
}

export const evolveMembers = {
  MemberInvited: <S extends State>(state: S, data: TeamMemberEvents['MemberInvited']): S => {
    const { paid, invitedAt, letter: _, ...invitation } = data
    const open = openInvitations(state, invitedAt).map((each) => [each.emailFingerprint, each] as const)
    return {
      ...state,
      bought: state.bought + (paid ? 1 : 0),
      used: using(state, paid),
      invitations: { ...Object.fromEntries(open), [invitation.emailFingerprint]: invitation },
      invitedAt: [...state.invitedAt, invitedAt].slice(-INVITATIONS_PER_DAY_MAX),
    }
  },
  InvitationWithdrawn: <S extends State>(state: S, { emailFingerprint }: { emailFingerprint: string }): S =>
    withoutInvitation(state, emailFingerprint),
  MemberSeated: <S extends State>(state: S, data: TeamMemberEvents['MemberSeated']): S => {
    const { number, invitedBy: _, ...seat } = data
    const member = { ...seat, paidFor: dearestOf('0', SEAT_PRICES[data.role]) }
    const members = { ...state.members, [number]: member }
    return { ...withoutInvitation(state, data.emailFingerprint), last: number, members }
  },
  MemberChanged: <S extends State>(state: S, { number, paid, ...data }: TeamMemberEvents['MemberChanged']): S => {
    const member = state.members[number]
    const used = using(state, paid)
    if (!member) return { ...state, used }
    const changed = { ...member, ...grantsOf(data), paidFor: dearestOf(member.paidFor, SEAT_PRICES[data.role]) }
    return { ...state, used, members: { ...state.members, [number]: changed } }
  },
  MemberRemoved: <S extends State>(state: S, { number }: { number: number }): S => {
    const { [number]: _, ...members } = state.members
    return { ...state, members }
  },
  SecondFactorRuleChanged: <S extends State>(state: S, { required }: { required: boolean }): S => ({
    ...state,
    factorRequired: required,
  }),
}

/** Refuses an invitation that there is no room for; `insufficient-credit` comes last, because it can be paid. */
const mustBeFree = (state: State, { emailFingerprint, role, permissions }: Invitation, now: string): void => {
  mustFit({ role, permissions })
  if (Object.values(state.members).some((each) => each.emailFingerprint === emailFingerprint))
    refuse('invalid-request', 'email: this person is a member already. Change the role at the member')
  const others = openInvitations(state, now).filter((each) => each.emailFingerprint !== emailFingerprint)
  if (others.length >= INVITATIONS_MAX)
    refuse(
      'state-forbids',
      `email: ${INVITATIONS_MAX} invitations are open. Withdraw one, or wait until one is accepted`,
    )
  if (seatedCount(state) + others.length >= SEATED_MAX)
    refuse('too-many-keys', `${SEATED_MAX} sub-keys and members are there: remove one first`)
  const oldest = state.invitedAt.at(-INVITATIONS_PER_DAY_MAX)
  const freeAt = oldest === undefined ? now : new Date(Date.parse(oldest) + DAY_MS).toISOString()
  if (freeAt > now) throw new LimitReached('letters.invitations', secondsUntil(freeAt, now), TOO_MANY_LETTERS)
  if (slotsFree(state) <= others.length) refuse('insufficient-credit', 'no seat is free')
}

const TOO_MANY_LETTERS = `An account sends at most ${INVITATIONS_PER_DAY_MAX} invitations a day. Try again later.`
const NO_SEAT = 'No seat is free any more. Ask whoever invited you to free one, or to invite you again.'

const grantsOf = ({ role, permissions, storeScope }: MemberGrants): MemberGrants => ({ role, permissions, storeScope })

const withoutInvitation = <S extends State>(state: S, emailFingerprint: string): S => {
  const { [emailFingerprint]: _, ...invitations } = state.invitations
  return { ...state, invitations }
}
