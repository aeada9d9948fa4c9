import { z } from 'zod'
import { inviteMember } from '../../../../domain/use-cases/account/team/invitations.ts'
import { Email } from '../../agent/account/account.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { validInput } from '../../core/valid.ts'
import type { GrantValues } from '../../pages/dashboard/team/grants-form.ts'
import { invitePage } from '../../pages/dashboard/team/member.ts'
import { TEAM } from '../../pages/dashboard/team/team.ts'
import { seeOther } from '../../pages/people-page.ts'
import { type FormFaults, faultsOf } from '../form-faults.ts'
import { type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { agreedIn, byOwner, chosenIn, GRANT_FIELDS, grantForm, grantsIn, storeChoices } from './grants.ts'

/** The owner invites somebody by letter (N-95). */

const common = { ...ofMembers, path: `${TEAM}/invite`, waits: 'never', callers: byOwner } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The form by which somebody is invited to the team',
  answer: (request) => show(request, { email: '', values: { role: 'clerk', permissions: [], storeScope: [] } }),
})

const invite = endpoint({
  ...common,
  method: 'post',
  summary: 'Sends an invitation; a further seat is paid once its price was agreed to',
  body: grantForm({ email: z.string().max(254) }),
  async answer({ body, ...request }) {
    const { flow, actor } = request
    const shown = { email: body.email, values: chosenIn(body) }
    try {
      const { email } = validInput(z.object({ email: Email }), { email: body.email })
      const wish = { ...grantsIn(body), email, by: actor.memberId, agreed: agreedIn(body) }
      const open = await inviteMember(flow, actor.accountId, wish)
      if (open) return await show(request, { ...shown, asks: open.asks })
    } catch (error) {
      return await show(request, { ...shown, faults: faultsOf(error, ['email', ...GRANT_FIELDS], 'role') })
    }
    return seeOther(`${TEAM}?done=invited`)
  },
})

export const inviteEndpoints = [look, invite]

type Shown = {
  readonly email: string
  readonly values: GrantValues
  readonly faults?: FormFaults
  readonly asks?: bigint
}

const show = async ({ flow, actor }: MemberRequest, shown: Shown): Promise<Reply> =>
  invitePage({ member: actor, stores: await storeChoices(flow, actor.accountId), ...shown })
