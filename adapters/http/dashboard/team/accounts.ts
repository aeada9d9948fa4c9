import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { actingMember } from '../../../../domain/use-cases/account/members.ts'
import { nameOfAccount } from '../../../../domain/use-cases/account/team/invitations.ts'
import { sessionIn } from '../../auth/people/sessions.ts'
import { endpoint } from '../../core/endpoint.ts'
import { accountsPage } from '../../pages/dashboard/team/join.ts'
import { seeOther } from '../../pages/people-page.ts'
import { csrf, ofMembers } from '../of-dashboard.ts'

/** Somebody who belongs to several accounts chooses the one in which they act (N-95). */

const common = {
  ...ofMembers,
  path: '/dashboard/accounts',
  reach: 'store',
  waits: 'never',
  callers: { unenrolled: true },
} as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The accounts that a member belongs to',
  async answer({ flow, actor }) {
    const found = await Promise.all(
      actor.accounts.map(async (id) => {
        const acting = await actingMember(flow, actor.memberId, id)
        return acting ? [{ id, name: await nameOfAccount(flow, id), role: acting.seat?.role ?? 'owner' } as const] : []
      }),
    )
    return accountsPage({ member: actor, accounts: found.flat(), here: actor.accountId })
  },
})

const choose = endpoint({
  ...common,
  method: 'post',
  summary: 'Goes on in another account; forms of the one before are not taken any more',
  body: z.object({ csrf, account: z.string().max(64) }),
  async answer({ body: { account }, flow, signIn, actor }) {
    const acting = await actingMember(flow, actor.memberId, account)
    if (!acting || !actor.accounts.includes(account))
      return refuse('forbidden', 'You may not act in this account at present. Choose another one of yours.')
    const cookie = await sessionIn({ flow, signIn, actor }, acting)
    return seeOther('/dashboard', cookie === undefined ? [] : [cookie])
  },
})

export const accountChoiceEndpoints = [look, choose]
