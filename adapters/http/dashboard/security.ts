import { z } from 'zod'
import { passwordFault } from '../../../domain/signin/password-rules.ts'
import { actingMember } from '../../../domain/use-cases/account/members.ts'
import { resetPassword } from '../../../domain/use-cases/account/owner-password.ts'
import { enrolEndpoints } from '../auth/people/enrol.ts'
import { factorsOf } from '../auth/people/factors/factors.ts'
import { holderOf } from '../auth/people/factors/holder.ts'
import { aboutBrowser } from '../auth/people/of-people.ts'
import { proofFault, proofForm, provenFields, takePassword, takeProof } from '../auth/people/proof.ts'
import { securityEndpoints } from '../auth/people/security.ts'
import { beginMemberSession, forgetMemberSession } from '../auth/people/sessions.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { networkName } from '../core/network-of.ts'
import { freshPage } from '../pages/dashboard/security.ts'
import { passwordPage, sessionsPage } from '../pages/people/account.ts'
import { peopleLocale } from '../pages/people/messages/people-locale.ts'
import { type PeopleFrame, seeOther } from '../pages/people-page.ts'
import { csrf, type MemberRequest, nextPage, ofMembers } from './of-dashboard.ts'
import { dashboardPlace } from './place.ts'

/** How a member signs in: the factors, the devices and the password; and the page that asks for a fresh proof. */

// How members sign in is their own affair, whatever they may do in the account.
const common = { ...ofMembers, reach: 'store', waits: 'never' } as const
const ofConfirm = { ...common, path: '/dashboard/confirm', callers: { unenrolled: true } } as const
const PASSWORD = '/dashboard/security/password'
const DEVICES = '/dashboard/security/devices'
/** What a proof for another password is for. */
const ABOUT = 'password'

const lookAtPassword = endpoint({
  ...common,
  path: PASSWORD,
  method: 'get',
  summary: 'The page for another password of a member',
  answer: async (request) => await showPassword(request),
})

const setPassword = endpoint({
  ...common,
  path: PASSWORD,
  method: 'post',
  summary: 'Sets another password: of the account that the member owns, whose every session ends, or their own',
  headers: aboutBrowser,
  body: z.object({ csrf, ...provenFields, new_password: z.string().max(1_000) }),
  async answer({ body, ...request }) {
    const { flow, signIn, actor, headers, ip } = request
    const who = holderOf(request)
    const fault = passwordFault(body.new_password, (await who.email()) ?? '')
    if (fault !== undefined) return await showPassword(request, { new_password: fault })
    try {
      await takePassword(request, body.password)
    } catch (error) {
      return await showPassword(request, { password: proofFault(error) })
    }
    const { enrolled } = await factorsOf(who)
    try {
      if (enrolled) await takeProof(request, ABOUT, body)
    } catch (error) {
      return await showPassword(request, { proof: proofFault(error) })
    }
    const { ownAccount, sub, accountId } = actor
    const wish = { newPassword: body.new_password, oldPassword: body.password, network: networkName(ip) }
    if (ownAccount !== undefined) await resetPassword(flow, ownAccount, wish)
    else await flow.ledger.member.changePassword(sub, { passwordHash: await flow.passwords.hash(body.new_password) })
    await signIn.signIns.giveUpAll(sub)
    // What signs them out everywhere has ended this session as well: the browser goes on in a new one.
    await signIn.memberSessions.endAll(sub)
    const { generation = 0 } = (await actingMember(flow, sub, accountId)) ?? {}
    const amr = enrolled ? [...new Set([...actor.amr, 'mfa'])] : ['pwd']
    const cookie = await beginMemberSession({ flow, signIn, headers }, sub, { amr, accountId, generation })
    return seeOther(`${dashboardPlace.path}?done=password`, [cookie])
  },
})

const devices = endpoint({
  ...common,
  path: DEVICES,
  method: 'get',
  summary: 'Where a member is signed in',
  async answer({ flow, signIn, actor }) {
    const sessions = await signIn.memberSessions.ofUser(actor.sub, flow.world.now())
    return sessionsPage({
      locale: peopleLocale(actor.languages),
      csrf: actor.csrf,
      at: DEVICES,
      frame: (page) => dashboardPlace.frame(actor, page),
      time: dashboardPlace.time?.(actor),
      sessions: sessions
        .filter((each) => each.accountId !== actor.accountId || each.generation === actor.generation)
        .map((session) => ({ ...session, isThis: session.sid === actor.sid })),
    })
  },
})

const end = endpoint({
  ...common,
  path: DEVICES,
  method: 'post',
  when: { act: 'end' },
  summary: 'Ends one session of a member',
  body: z.object({ csrf, sid: z.string().max(64) }),
  async answer({ body, flow, signIn, actor }) {
    const own = await signIn.memberSessions.ofUser(actor.sub, flow.world.now())
    if (own.some(({ sid }) => sid === body.sid)) await signIn.memberSessions.end(body.sid)
    return body.sid === actor.sid ? seeOther('/dashboard/sign-out', [forgetMemberSession(flow)]) : seeOther(DEVICES)
  },
})

const endOthers = endpoint({
  ...common,
  path: DEVICES,
  method: 'post',
  when: { act: 'end-others' },
  summary: 'Ends every other session of a member',
  body: z.object({ csrf }),
  async answer({ signIn, actor }) {
    await signIn.signIns.giveUpAll(actor.sub)
    await signIn.memberSessions.endAll(actor.sub, actor.sid)
    return seeOther(DEVICES)
  },
})

const wanted = z.string().max(4_096).optional()
/** What a proof is for that opens pages which ask for a fresh one. */
const FRESH = 'fresh'

const lookAtConfirm = endpoint({
  ...ofConfirm,
  method: 'get',
  summary: 'The page that asks for a second factor, where one is needed that is at most five minutes old',
  query: z.object({ next: wanted }),
  answer: async ({ query, ...request }) => await showConfirm(request, query.next),
})

const confirm = endpoint({
  ...ofConfirm,
  method: 'post',
  summary: 'Takes the second factor, and leads back to what asked for it',
  body: z.object({ csrf, next: wanted, ...provenFields }),
  async answer({ body, ...request }) {
    try {
      const { cookies } = await takeProof(request, FRESH, body)
      return seeOther(nextPage(request.flow, body.next), cookies)
    } catch (error) {
      return await showConfirm(request, body.next, proofFault(error))
    }
  },
})

export const dashboardSecurityEndpoints = [
  ...securityEndpoints(dashboardPlace),
  ...enrolEndpoints(dashboardPlace),
  lookAtPassword,
  setPassword,
  devices,
  end,
  endOthers,
  lookAtConfirm,
  confirm,
]

const showPassword = async (
  request: MemberRequest,
  errors?: Readonly<Record<string, string | undefined>>,
): Promise<Reply> => {
  const { enrolled } = await factorsOf(holderOf(request))
  const locale = peopleLocale(request.actor.languages)
  return passwordPage({
    locale,
    csrf: request.actor.csrf,
    frame: (page: PeopleFrame) => dashboardPlace.frame(request.actor, page),
    at: dashboardPlace.path,
    action: PASSWORD,
    ...(errors && { errors }),
    ...(enrolled && (await proofForm(request, ABOUT, locale.words.sign))),
  })
}

const showConfirm = async (request: MemberRequest, next: string | undefined, error?: string): Promise<Reply> => {
  const { enrolled } = await factorsOf(holderOf(request))
  if (!enrolled) return seeOther(nextPage(request.flow, next))
  const form = await proofForm(request, FRESH, peopleLocale(request.actor.languages).words.sign)
  return freshPage({ member: request.actor, next: nextPage(request.flow, next), error, ...form })
}
