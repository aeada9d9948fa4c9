import { z } from 'zod'
import { memberAt } from '../../../../domain/account/team-members.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { changeMember, removeMember } from '../../../../domain/use-cases/account/team/change-members.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import type { GrantValues } from '../../pages/dashboard/team/grants-form.ts'
import { teamMemberPage } from '../../pages/dashboard/team/member.ts'
import { TEAM } from '../../pages/dashboard/team/team.ts'
import { seeOther } from '../../pages/people-page.ts'
import { type FormFaults, faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { agreedIn, byOwner, chosenIn, GRANT_FIELDS, grantForm, grantsIn, storeChoices } from './grants.ts'

/** The owner changes what one member may do, or removes them (N-95). */

const common = {
  ...ofMembers,
  path: `${TEAM}/members/:member`,
  waits: 'never',
  callers: byOwner,
  params: z.object({ member: z.string().max(32) }),
  refusals: ['not-found', 'rate-limited', 'busy', 'form-stale'],
} as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'What one member may do',
  answer: ({ params, ...request }) => show(request, numberIn(params.member), {}),
})

const change = endpoint({
  ...common,
  method: 'post',
  when: { act: 'change' },
  summary: 'Changes the role or the stores of a member; what the seat costs more is paid once it was agreed to',
  body: grantForm({}),
  async answer({ params, body, ...request }) {
    const { flow, actor } = request
    const number = numberIn(params.member)
    memberAt(await flow.ledger.team.read(actor.accountId), number)
    const values = chosenIn(body)
    try {
      const wish = { ...grantsIn(body), by: actor.memberId, agreed: agreedIn(body) }
      const open = await changeMember(flow, actor.accountId, number, wish)
      if (open) return await show(request, number, { values, asks: open.asks })
    } catch (error) {
      return await show(request, number, { values, faults: faultsOf(error, GRANT_FIELDS, 'role') })
    }
    return seeOther(`${TEAM}?done=changed`)
  },
})

const remove = endpoint({
  ...common,
  method: 'post',
  when: { act: 'remove' },
  summary: 'Removes a member: their sessions in the account end at once, and the seat is free',
  body: z.object({ csrf }),
  async answer({ params, flow, signIn, actor }) {
    const wish = { number: numberIn(params.member), by: actor.memberId }
    const memberId = await removeMember(flow, actor.accountId, wish)
    if (memberId !== undefined) await signIn.memberSessions.endIn(actor.accountId, memberId)
    return seeOther(`${TEAM}?done=removed`)
  },
})

export const teamMemberEndpoints = [look, change, remove]

/** Refuses `not-found` for what is no number of a member. */
const numberIn = (text: string): number =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : refuse('not-found', 'There is no such member. Look at the team again.')

type Attempt = { readonly values?: GrantValues; readonly faults?: FormFaults; readonly asks?: bigint }

const show = async ({ flow, actor }: MemberRequest, number: number, attempt: Attempt): Promise<Reply> => {
  const { email, role, permissions, storeScope } = memberAt(await flow.ledger.team.read(actor.accountId), number)
  return teamMemberPage({
    member: actor,
    number,
    email: await openedText(flow.vault, email),
    stores: await storeChoices(flow, actor.accountId),
    values: { role, permissions, storeScope },
    ...attempt,
  })
}
