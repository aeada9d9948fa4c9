import { z } from 'zod'
import { closeAccount, isClear, obstaclesOf } from '../../../domain/use-cases/account/close-account.ts'
import { fingerprintOf } from '../../../domain/use-cases/account/email-address.ts'
import { factorsOf } from '../auth/people/factors/factors.ts'
import { holderOf } from '../auth/people/factors/holder.ts'
import { forgetMemberSession } from '../auth/people/sessions.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { networkName } from '../core/network-of.ts'
import { closedAccountPage, closingPage } from '../pages/dashboard/settings/closing.ts'
import { csrf, type MemberRequest, ofMembers } from './of-dashboard.ts'

/**
 * Closing the account: by its owner in person, with a second factor that is fresh, so that no key can do it (N-91).
 */

const common = {
  ...ofMembers,
  path: '/dashboard/settings/close',
  callers: { capability: 'settings.edit', ownerOnly: true, fresh: true },
} as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'What closing the account means, and what stands against it',
  answer: (request) => show(request),
})

const close = endpoint({
  ...common,
  method: 'post',
  summary: 'Closes the account for good: every key and session ends',
  body: z.object({ csrf, email: z.string().max(254).default('') }),
  async answer({ body, shows, requestLog, ...request }) {
    const { flow, signIn, actor, ip } = request
    const { enrolled, obstacles } = await found(request)
    if (!enrolled || !isClear(obstacles)) return await show(request, { typed: body.email, isRefused: true })
    const account = await flow.ledger.account.read(actor.accountId)
    const isTheirs = account.status !== 'none' && account.emailFingerprint === fingerprintOf(flow, body.email.trim())
    if (!isTheirs) return await show(request, { typed: body.email, isRefused: true, isOther: true })
    await closeAccount(flow, actor.accountId, { by: actor.memberId, network: networkName(ip), obstacles })
    await signIn.memberSessions.endAll(actor.sub)
    await shows()
    await requestLog.forgetAll(actor.accountId)
    return closedAccountPage(actor, [forgetMemberSession(flow)])
  },
})

export const closingEndpoints = [look, close]

const found = async (request: MemberRequest) => {
  const { flow, queries, actor } = request
  const underWay = await queries.obstacles(actor.accountId, flow.world.now().toISOString())
  const { enrolled } = await factorsOf(holderOf(request))
  return { enrolled, obstacles: await obstaclesOf(flow, actor.accountId, underWay) }
}

/** What was typed, and what was wrong with it. */
type Attempt = { readonly typed?: string; readonly isRefused?: true; readonly isOther?: true }

const show = async (request: MemberRequest, attempt: Attempt = {}): Promise<Reply> => {
  const { flow, actor } = request
  const [{ enrolled, obstacles }, credit, email] = await Promise.all([
    found(request),
    flow.ledger.creditAccount.read(actor.accountId),
    holderOf(request).email(),
  ])
  return closingPage({
    ...attempt,
    member: actor,
    isEnrolled: enrolled,
    obstacles,
    isClear: isClear(obstacles),
    credit: credit.balance,
    email: email ?? '',
  })
}
