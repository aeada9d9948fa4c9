import { z } from 'zod'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import { resendVerification } from '../../../domain/use-cases/account/account-email.ts'
import {
  actingMember,
  closedSince,
  memberByEmail,
  memberByPassword,
} from '../../../domain/use-cases/account/members.ts'
import { deviceOf, markDevice } from '../auth/people/devices.ts'
import { ask, isAnswered } from '../auth/people/factors/challenges.ts'
import { factorsOf, proofFields } from '../auth/people/factors/factors.ts'
import { memberHolder } from '../auth/people/factors/holder.ts'
import { checkPasskey, passkeyRequest } from '../auth/people/factors/passkeys.ts'
import { beginMemberSession } from '../auth/people/sessions.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { giveBack, limit } from '../core/limits.ts'
import { networkName, networkOf } from '../core/network-of.ts'
import { closedSignInPage } from '../pages/dashboard/settings/closing.ts'
import { MEMBER_PATHS, seatlessPage, unconfirmedPage } from '../pages/dashboard/sign-in.ts'
import { signInPage, suspendedPage } from '../pages/people/sign-in.ts'
import { seeOther } from '../pages/people-page.ts'
import { cookiesOf, csrf, type GuestVisit, leadingTo, nextPage, ofGuests } from './of-dashboard.ts'
import { awaitSecondFactor } from './second-factor.ts'

/** Signing in to the dashboard: by password, with a second factor where there is one, or by a passkey alone (N-82). */

const common = { ...ofGuests, path: MEMBER_PATHS.signIn } as const
const next = z.string().max(4_096).optional()
const email = z.string().max(254)

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for signing in to the dashboard',
  query: z.object({ next }),
  async answer({ query, ...visit }) {
    if (visit.actor.kind === 'member') return seeOther(nextPage(visit.flow, query.next))
    return await show(visit, query.next, {})
  },
})

const byPassword = endpoint({
  ...common,
  method: 'post',
  summary: 'Signs in with the email address and the password of a seller’s account',
  body: z.object({ next, csrf, email, password: z.string().max(1_000) }),
  async answer({ body, ...visit }) {
    const { flow, ip } = visit
    const device = await tryTaken(visit, body.email)
    const found = await memberByPassword(flow, body.email, body.password)
    if (!found) return await show(visit, body.next, { email: body.email, error: WRONG })
    if (found.status === 'suspended') return suspendedPage(visit.actor.languages, found.reason, 'suspendedText')
    if (found.status === 'closed') return closedSignInPage(visit.actor, found.at)
    if (found.status === 'unconfirmed') {
      await resendVerification(flow, found.accountId, networkName(ip)).catch(unlessTooMany)
      return unconfirmedPage(visit.actor.languages, body.email)
    }
    if (found.status === 'seatless') return seatlessPage(visit.actor.languages)
    const { memberId, accountId, generation } = found
    const to = nextPage(flow, body.next)
    const member = await flow.ledger.member.read(memberId)
    const owned = member.status === 'none' ? undefined : member.accountId
    const { enrolled } = await factorsOf(memberHolder(flow, memberId, owned))
    if (enrolled) return await awaitSecondFactor(visit, { sub: memberId, next: to, generation })
    if (device === undefined) await giveBack(visit, 'login-address', networkOf(ip))
    return seeOther(to, await memberSignedIn(visit, memberId, { amr: ['pwd'], accountId, generation }))
  },
})

const byPasskey = endpoint({
  ...common,
  method: 'post',
  when: { passkey: true },
  summary: 'Signs in with a passkey, which says itself whose it is',
  body: z.object({ next, csrf, challenge: proofFields.challenge, passkey: proofFields.passkey }),
  async answer({ body, ...visit }) {
    const { flow, ip } = visit
    await limit(visit, 'login-address', networkOf(ip))
    const proven = await passkeyChecked(visit, body)
    if (!proven) return await show(visit, body.next, { error: NOT_ACCEPTED })
    if ('closedAt' in proven) return closedSignInPage(visit.actor, proven.closedAt)
    await giveBack(visit, 'login-address', networkOf(ip))
    return seeOther(nextPage(flow, body.next), await memberSignedIn(visit, proven.sub, proven))
  },
})

export const signInEndpoints = [look, byPassword, byPasskey]

/** Begins a session; the one that this browser had ends. @returns the cookies to set */
export const memberSignedIn = async (
  visit: GuestVisit,
  memberId: string,
  proven: { readonly amr: readonly string[]; readonly accountId: string; readonly generation: number },
): Promise<readonly string[]> => {
  const { flow, signIn, actor } = visit
  if (actor.kind === 'member') await signIn.memberSessions.end(actor.sid)
  return [await beginMemberSession(visit, memberId, proven), markDevice(flow, memberId, 'base')]
}

const WRONG = 'The email address or the password is wrong.'
const NOT_ACCEPTED = 'The passkey was not accepted. Please try again.'

/** What a visitor is asked who is nobody yet; a passkey that a user was asked for is no answer to it. */
const VISITOR = { holder: '', purpose: 'member-sign-in', subject: '', terms: '' } as const

const show = async (
  visit: GuestVisit,
  wanted: string | undefined,
  shown: { readonly email?: string | undefined; readonly error?: string },
): Promise<Reply> => {
  const { flow, actor } = visit
  const challenge = await ask(visit, VISITOR)
  return signInPage({
    ...shown,
    ...(shown.error !== undefined && { status: 422 }),
    languages: actor.languages,
    paths: MEMBER_PATHS,
    cookies: cookiesOf(actor),
    carried: { next: wanted, csrf: actor.csrf },
    formTo: [],
    challenge,
    options: await passkeyRequest(flow.origins.base, challenge),
    links: { signUp: leadingTo('/dashboard/sign-up', nextPage(flow, wanted)), forgot: '/dashboard/forgot' },
  })
}

/**
 * A browser in which the member has signed in before has tries of its own; others share those of their address.
 * @returns the name of that browser; undefined for any other
 */
const tryTaken = async (visit: GuestVisit, address: string): Promise<string | undefined> => {
  const { flow, headers, ip } = visit
  const memberId = await memberByEmail(flow, address)
  const device = memberId && deviceOf(flow, headers.cookie, memberId, 'base')
  if (device) {
    await limit(visit, 'login-device', device)
    return device
  }
  await limit(visit, 'login-account', networkOf(ip), `member ${address.normalize('NFKC').toLowerCase()}`)
  await limit(visit, 'login-address', networkOf(ip))
  return undefined
}

/** Letters are sent within their limit; whoever is over it has some already. */
const unlessTooMany = (error: unknown): void => {
  if (!isRefusal(error, 'rate-limited', 'busy')) throw error
}

const passkeyChecked = async (visit: GuestVisit, { challenge, passkey }: { challenge: string; passkey: string }) => {
  const { flow } = visit
  if (!(await isAnswered(visit, challenge, VISITOR))) return undefined
  try {
    const proven = await checkPasskey(visit, passkey, challenge, async (name) => {
      const member = /^mem_[a-z2-7]{26}$/.test(name) ? await flow.ledger.member.recent(name) : undefined
      return member?.status === undefined || member.status === 'none'
        ? undefined
        : memberHolder(flow, name, member.accountId)
    })
    const closedAt = await closedSince(flow, proven.sub)
    if (closedAt !== undefined) return { closedAt }
    const acting = await actingMember(flow, proven.sub)
    return acting && { ...proven, accountId: acting.accountId, generation: acting.generation }
  } catch (error) {
    if (isRefusal(error, 'mfa-code-wrong')) return undefined
    throw error
  }
}
