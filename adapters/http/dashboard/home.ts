import { z } from 'zod'
import { addressOfMember } from '../../../domain/use-cases/account/members.ts'
import { nameOfAccount } from '../../../domain/use-cases/account/team/invitations.ts'
import { overviewOf } from '../../../domain/use-cases/money/overview.ts'
import { PeriodName } from '../agent/common/times.ts'
import { endpoint } from '../core/endpoint.ts'
import { homePage, menuPage } from '../pages/dashboard/home/home.ts'
import { type MemberRequest, ofMembers } from './of-dashboard.ts'

/** The first page of the dashboard. */

const look = endpoint({
  ...ofMembers,
  path: '/dashboard',
  method: 'get',
  reach: 'store',
  summary: 'The first page of a member: what was sold, what it cost, and what needs a hand',
  ignores: 'query',
  query: z.object({ period: PeriodName.optional().catch(undefined), test: z.literal('1').optional().catch(undefined) }),
  async answer({ query: { period = '7d', test }, chainHealth, ...request }) {
    const { actor, flow, queries } = request
    const wish = { period, test: test === '1' }
    const [greeted, overview] = await Promise.all([
      greeting(request),
      actor.actor.can('transactions.view') ? overviewOf({ flow, queries, chainHealth }, actor.actor, wish) : undefined,
    ])
    return homePage({ member: actor, overview, ...greeted })
  },
})

const menu = endpoint({
  ...ofMembers,
  path: '/dashboard/menu',
  method: 'get',
  reach: 'store',
  summary: 'Every screen that a member may see',
  answer: async ({ actor }) => menuPage(actor),
})

export const homeEndpoints = [look, menu]

const greeting = async ({ flow, actor: { accountId, memberId, actor } }: MemberRequest) => {
  const account = await nameOfAccount(flow, accountId)
  // The address that waits is the owner's, so that it is for them to confirm.
  if (actor.isOwner) return { name: account, unconfirmed: await unconfirmedAddress(flow, accountId) }
  return { name: (await addressOfMember(flow, memberId)) ?? '', account, unconfirmed: undefined }
}

/** The email address that waits for its confirmation; undefined when none does. */
export const unconfirmedAddress = async (
  { ledger, vault }: MemberRequest['flow'],
  accountId: string,
): Promise<string | undefined> => {
  const account = await ledger.account.read(accountId)
  const wanted = account.status === 'none' ? undefined : account.verification?.address
  const isWaiting = account.status !== 'none' && wanted && wanted.emailFingerprint !== account.emailFingerprint
  return isWaiting ? await vault.open(wanted.email) : undefined
}
