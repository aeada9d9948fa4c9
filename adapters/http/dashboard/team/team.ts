import { z } from 'zod'
import { slotsFree } from '../../../../domain/account/members/seats.ts'
import { openInvitations } from '../../../../domain/account/team-members.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { endpoint } from '../../core/endpoint.ts'
import { TEAM, teamPage } from '../../pages/dashboard/team/team.ts'
import { seeOther } from '../../pages/people-page.ts'
import { csrf, ofMembers } from '../of-dashboard.ts'
import { byOwner, storeChoices } from './grants.ts'

/** Who else may act in the account, and on which seats (N-95, N-96). */

const common = { ...ofMembers, path: TEAM, waits: 'never' } as const

const look = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'settings.view', ownerOnly: true },
  summary: 'The team: members, invitations, seats and their price, and what each role may do',
  query: z.object({
    done: z.enum(['invited', 'withdrawn', 'changed', 'removed', 'rule']).optional().catch(undefined),
  }),
  async answer({ query: { done }, flow, actor }) {
    const { ledger, vault, world } = flow
    const [team, credit, stores] = await Promise.all([
      ledger.team.read(actor.accountId),
      ledger.creditAccount.read(actor.accountId),
      storeChoices(flow, actor.accountId),
    ])
    const opened = async <T extends { readonly email: string }>(each: T) => ({
      ...each,
      email: await openedText(vault, each.email),
    })
    const members = Object.entries(team.members).map(([number, each]) => ({ ...each, number: Number(number) }))
    return teamPage({
      member: actor,
      members: await Promise.all(members.map(opened)),
      invitations: await Promise.all(openInvitations(team, world.now().toISOString()).map(opened)),
      stores,
      slotsFree: slotsFree(team),
      subKeys: Object.keys(team.agents).length,
      credit: credit.balance,
      factorRequired: team.factorRequired,
      done,
    })
  },
})

const withdraw = endpoint({
  ...common,
  method: 'post',
  when: { act: 'withdraw' },
  callers: byOwner,
  summary: 'Withdraws an invitation: its link does nothing any more',
  body: z.object({ csrf, invitation: z.string().max(100) }),
  async answer({ body: { invitation }, flow, actor }) {
    await flow.ledger.team.withdraw(actor.accountId, { emailFingerprint: invitation, by: actor.memberId })
    return seeOther(`${TEAM}?done=withdrawn`)
  },
})

const rule = endpoint({
  ...common,
  method: 'post',
  when: { act: 'rule' },
  callers: byOwner,
  summary: 'Changes whether every member of the account has to have a second factor',
  body: z.object({ csrf, required: z.literal('1').optional() }),
  async answer({ body: { required }, flow, actor }) {
    await flow.ledger.team.requireFactor(actor.accountId, { required: required === '1', by: actor.memberId })
    return seeOther(`${TEAM}?done=rule`)
  },
})

export const teamEndpoints = [look, withdraw, rule]
