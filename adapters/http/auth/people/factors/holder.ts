import { type FactorCommands, type Factors, isEnrolled } from '../../../../../domain/signin/factors.ts'
import {
  addressOfMember,
  isPasswordOfMember,
  sendMemberCode,
  useMemberCode,
} from '../../../../../domain/use-cases/account/members.ts'
import type { UseCaseContext } from '../../../../../domain/use-cases/context.ts'
import { isPasswordOf } from '../../../../../domain/use-cases/signin/check-password.ts'
import { sendUserCode, useUserCode } from '../../../../../domain/use-cases/signin/user-link.ts'
import type { MemberCaller, PersonCaller } from '../../../core/caller.ts'

/**
 * Whoever has second factors: a user of the sign-in service, or a member of a seller's account. What proves them, and
 * how that is changed, is the same for both; where it is written down, and at which origin they are, is said here.
 */
export type FactorHolder = {
  /** The `sub` of a user, or the id of a member. */
  readonly id: string
  /** The subject under whose data key their secrets are sealed. */
  readonly subject: string
  /** The origin at which they sign in; passkeys are made for its host. */
  readonly origin: string
  /** Where their factors are written down. */
  readonly door: FactorDoor
  /** Their factors; undefined for nobody. */
  factors(): Promise<Factors | undefined>
  isPassword(password: string): Promise<boolean>
  /** The email address, by which their devices name them; undefined when it was erased. */
  email(): Promise<string | undefined>
  /** Mails the code that is typed before the first factor is added. Refuses `rate-limited`. */
  sendCode(): Promise<void>
  /** Refuses `mfa-code-wrong`. */
  useCode(code: string): Promise<void>
}

type FactorDoor = {
  readonly [C in keyof FactorCommands]: (id: string, data: FactorCommands[C]) => Promise<unknown>
}

/** The factors that somebody has, by their count and kind. */
export type HeldFactors = {
  readonly passkeys: Factors['passkeys'][string][]
  readonly totp: string | null
  readonly recoveryCodes: number
  readonly enrolled: boolean
}

/** Whoever makes a call. */
export const holderOf = ({
  flow,
  actor,
}: {
  readonly flow: UseCaseContext
  readonly actor: PersonCaller | MemberCaller
}): FactorHolder =>
  actor.kind === 'member' ? memberHolder(flow, actor.sub, actor.ownAccount) : userHolder(flow, actor.sub)

export const userHolder = (flow: UseCaseContext, sub: string): FactorHolder => ({
  id: sub,
  subject: sub,
  origin: flow.origins.auth,
  door: flow.ledger.user,
  async factors() {
    const user = await flow.ledger.user.read(sub)
    return user.status === 'none' || user.status === 'erased' ? undefined : user
  },
  isPassword: (password) => isPasswordOf(flow, sub, password),
  async email() {
    const user = await flow.ledger.user.recent(sub)
    return user.status === 'none' ? undefined : await flow.vault.open(user.email)
  },
  sendCode: () => sendUserCode(flow, sub),
  useCode: (code) => useUserCode(flow, sub, code),
})

/**
 * What is an owner's is sealed for the account that they own, so that it is erased with it; that of a member who owns
 * none is sealed for themselves.
 */
export const memberHolder = (flow: UseCaseContext, memberId: string, ownAccount: string | undefined): FactorHolder => ({
  id: memberId,
  subject: ownAccount ?? memberId,
  origin: flow.origins.base,
  door: flow.ledger.member,
  async factors() {
    const member = await flow.ledger.member.read(memberId)
    return member.status === 'none' ? undefined : member
  },
  isPassword: (password) => isPasswordOfMember(flow, memberId, password),
  email: () => addressOfMember(flow, memberId),
  sendCode: () => sendMemberCode(flow, memberId),
  useCode: (code) => useMemberCode(flow, memberId, code),
})

/** Counted, as pages ask for them. */
export const held = (factors: Factors): HeldFactors => ({
  passkeys: Object.values(factors.passkeys),
  totp: factors.totp,
  recoveryCodes: factors.recoveryCodes.length,
  enrolled: isEnrolled(factors),
})
