import { z } from 'zod'
import { capabilitiesOf } from '../../../../domain/account/roles.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { passwordFault } from '../../../../domain/signin/password-rules.ts'
import { actingMember } from '../../../../domain/use-cases/account/members.ts'
import {
  acceptInvitation,
  invitationAt,
  joinAsNewMember,
  nameOfAccount,
} from '../../../../domain/use-cases/account/team/invitations.ts'
import { sessionIn } from '../../auth/people/sessions.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { invitationGonePage, type JoinWay, joinPage } from '../../pages/dashboard/team/join.ts'
import { seeOther } from '../../pages/people-page.ts'
import { cookiesOf, csrf, type GuestVisit, ofGuests } from '../of-dashboard.ts'
import { memberSignedIn } from '../sign-in.ts'
import { storeChoices } from './grants.ts'

/** The page of an invitation's link: whoever is invited chooses a password, or signs in and accepts (N-95). */

const common = {
  ...ofGuests,
  path: '/dashboard/join/:token',
  params: z.object({ token: z.string().max(200) }),
} as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'What an invitation is to, and the way to accept it',
  answer: ({ params, ...visit }) => show(visit, params.token),
})

const withPassword = endpoint({
  ...common,
  method: 'post',
  when: { act: 'password' },
  summary: 'Somebody who is no member yet chooses a password, and joins',
  body: z.object({ csrf, new_password: z.string().max(1_000) }),
  async answer({ params: { token }, body, ...visit }) {
    const { flow } = visit
    const found = await invitedBy(visit, token)
    if (found?.way !== 'password') return await show(visit, token)
    const fault = passwordFault(body.new_password, found.email)
    if (fault !== undefined) return await show(visit, token, fault)
    const joined = await joinAsNewMember(flow, token, body.new_password).catch(unlessGone)
    const acting = joined && (await actingMember(flow, joined.memberId, joined.accountId))
    if (!acting) return await show(visit, token)
    const { accountId, generation } = acting
    return seeOther('/dashboard', await memberSignedIn(visit, joined.memberId, { amr: ['pwd'], accountId, generation }))
  },
})

const accept = endpoint({
  ...common,
  method: 'post',
  when: { act: 'accept' },
  summary: 'A member who is signed in accepts, and goes on in that account',
  body: z.object({ csrf }),
  async answer({ params: { token }, ...visit }) {
    const { flow, signIn, actor } = visit
    if (actor.kind !== 'member') return await show(visit, token)
    const accountId = await acceptInvitation(flow, token, actor.memberId).catch(unlessGone)
    const acting = accountId === undefined ? undefined : await actingMember(flow, actor.memberId, accountId)
    const cookie = acting && (await sessionIn({ flow, signIn, actor }, acting))
    return cookie === undefined ? await show(visit, token) : seeOther('/dashboard', [cookie])
  },
})

export const joinEndpoints = [look, withPassword, accept]

/** What stands against accepting is said by the page, which is shown again. */
const unlessGone = (error: unknown): undefined => {
  if (!isRefusal(error, 'verification-link-invalid', 'state-forbids', 'id-taken')) throw error
}

const TOKEN = /^acc_[a-z2-7]{26}\.[0-9a-f]{64}$/

/** The invitation of a link, and what this visitor may do with it; undefined for one that does nothing. */
const invitedBy = async ({ flow, actor }: GuestVisit, token: string) => {
  if (!TOKEN.test(token)) return undefined
  const found = await invitationAt(flow, token).catch(unlessGone)
  const account = found && (await flow.ledger.account.read(found.accountId))
  if (!found || account?.status !== 'activated' || account.closed || account.suspended || account.erased)
    return undefined
  const { memberId, invitation, hasSeat } = found
  return { ...found, way: wayOf(actor, memberId, hasSeat), email: await openedText(flow.vault, invitation.email) }
}

const wayOf = (actor: GuestVisit['actor'], memberId: string | undefined, hasSeat: boolean): JoinWay => {
  if (!hasSeat) return 'full'
  if (memberId === undefined) return actor.kind === 'member' ? 'sign-out' : 'password'
  if (actor.kind !== 'member') return 'sign-in'
  return actor.memberId === memberId ? 'accept' : 'sign-out'
}

const show = async (visit: GuestVisit, token: string, error?: string): Promise<Reply> => {
  const { flow, actor } = visit
  const { csrf, languages } = actor
  const cookies = cookiesOf(actor)
  const found = await invitedBy(visit, token)
  if (!found) return invitationGonePage(languages, cookies)
  const { accountId, invitation, way, email } = found
  const { role, permissions, storeScope } = invitation
  const stores = storeScope.length === 0 ? [] : await storeChoices(flow, accountId)
  return joinPage({
    languages,
    csrf,
    cookies,
    token,
    way,
    email,
    role,
    error,
    name: await nameOfAccount(flow, accountId),
    rights: capabilitiesOf(role, permissions),
    stores: stores.filter(([id]) => storeScope.includes(id)),
  })
}
