import { z } from 'zod'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import { actingMember } from '../../../domain/use-cases/account/members.ts'
import type { SignInRow } from '../../postgres/sign-in/sign-ins.ts'
import { deviceOf, markDevice } from '../auth/people/devices.ts'
import { ask, isAnswered } from '../auth/people/factors/challenges.ts'
import { factorsOf, proofFields, proveFactor } from '../auth/people/factors/factors.ts'
import { type FactorHolder, memberHolder } from '../auth/people/factors/holder.ts'
import { passkeyRequest } from '../auth/people/factors/passkeys.ts'
import { beginMemberSession } from '../auth/people/sessions.ts'
import { cookieName, cookieOf, setCookie } from '../core/cookies.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { giveBack } from '../core/limits.ts'
import { networkOf } from '../core/network-of.ts'
import { MEMBER_PATHS } from '../pages/dashboard/sign-in.ts'
import { secondFactorPage } from '../pages/people/sign-in.ts'
import { seeOther } from '../pages/people-page.ts'
import { csrf, type GuestVisit, ofGuests } from './of-dashboard.ts'

/** The second half of signing in with a password, for members who have a second factor. */

/** The cookie with the secret that stands for the right password. */
const COOKIE = 'member-sign-in'
const MINUTES = 10

/** Notes that the password was right, and leads to the second factor. */
export const awaitSecondFactor = async ({ flow, signIn }: GuestVisit, row: SignInRow): Promise<Reply> => {
  const { world, origins } = flow
  const secret = world.secret(32)
  await signIn.signIns.await(world.digest(secret), row, new Date(world.now().getTime() + MINUTES * 60_000))
  return seeOther(MEMBER_PATHS.confirm, [setCookie(COOKIE, secret, origins.base, MINUTES * 60)])
}

const common = { ...ofGuests, path: MEMBER_PATHS.confirm } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for the second factor of a member',
  async answer(visit) {
    const waiting = await waitingOf(visit)
    return waiting ? await show(visit, waiting) : seeOther(MEMBER_PATHS.signIn)
  },
})

const confirm = endpoint({
  ...common,
  method: 'post',
  summary: 'Signs a member in with the second factor',
  body: z.object({ ...proofFields, csrf }),
  async answer({ body, ...visit }) {
    const waiting = await waitingOf(visit)
    if (!waiting) return seeOther(MEMBER_PATHS.signIn)
    const { flow, signIn, headers, ip } = visit
    if (!(await isAnswered(visit, body.challenge, askedOf(waiting))))
      return await show(visit, waiting, 'The page was open for too long. Please try again.')
    const known = deviceOf(flow, headers.cookie, waiting.who.id, 'base')
    const proving = { who: waiting.who, challenge: body.challenge, holder: waiting.hash, known }
    const amr = await proveFactor(visit, proving, body).catch((error: unknown) => {
      if (isRefusal(error, 'mfa-code-wrong')) return error
      throw error
    })
    if (amr instanceof Error)
      return await show(visit, waiting, amr.detail ?? 'This recovery code is wrong, or was used already.')
    if (!(await signIn.signIns.finish(waiting.hash))) return seeOther(MEMBER_PATHS.signIn)
    if (known === undefined) await giveBack(visit, 'login-address', networkOf(ip))
    if (visit.actor.kind === 'member') await signIn.memberSessions.end(visit.actor.sid)
    const { accountId, generation } = waiting
    const proven = { amr: ['pwd', ...amr], accountId, generation }
    return seeOther(waiting.next, [
      await beginMemberSession(visit, waiting.who.id, proven),
      markDevice(flow, waiting.who.id, 'base'),
      setCookie(COOKIE, '', flow.origins.base, 0),
    ])
  },
})

export const secondFactorEndpoints = [look, confirm]

type PendingSignIn = SignInRow & {
  readonly hash: string
  readonly who: FactorHolder
  /** The account in which the member acts at first. */
  readonly accountId: string
}

/** The sign-in that waits in this browser; what signed everybody out meanwhile has ended it, too. */
const waitingOf = async ({ flow, signIn, headers }: GuestVisit): Promise<PendingSignIn | undefined> => {
  const { world, origins } = flow
  const secret = cookieOf(headers.cookie, cookieName(COOKIE, origins.base))
  const hash = secret && world.digest(secret)
  const row = hash ? await signIn.signIns.awaited(hash, world.now()) : undefined
  if (!hash || !row?.sub.startsWith('mem_')) return undefined
  const acting = await actingMember(flow, row.sub)
  if (acting?.generation !== row.generation) return undefined
  const { accountId, member } = acting
  return { ...row, hash, accountId, who: memberHolder(flow, row.sub, member.accountId) }
}

const askedOf = ({ hash, sub }: PendingSignIn) => ({ holder: hash, purpose: 'sign-in', subject: sub, terms: '' })

const show = async (visit: GuestVisit, waiting: PendingSignIn, error?: string): Promise<Reply> => {
  const { passkeys, totp } = await factorsOf(waiting.who)
  const challenge = await ask(visit, askedOf(waiting))
  const options = passkeys.length > 0 ? await passkeyRequest(waiting.who.origin, challenge, passkeys) : undefined
  const { csrf, languages } = visit.actor
  const factors = { challenge, options, totp: totp !== null }
  return secondFactorPage({ ...factors, languages, paths: MEMBER_PATHS, error, csrf, formTo: [] })
}
