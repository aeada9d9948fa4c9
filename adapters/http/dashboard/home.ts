import { z } from 'zod'
import { overviewOf } from '../../../domain/use-cases/money/overview.ts'
import { PeriodName } from '../agent/common/times.ts'
import { endpoint } from '../core/endpoint.ts'
import { homePage, menuPage } from '../pages/dashboard/home.ts'
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

const greeting = async ({ flow, actor: { accountId, actor } }: MemberRequest) => {
  const [account, settings] = [await flow.ledger.account.read(accountId), await flow.ledger.settings.read(accountId)]
  const address = account.status === 'none' ? undefined : await flow.vault.open(account.email)
  // The address is the owner's, so that it is for them to confirm.
  const unconfirmed = actor.isOwner ? await unconfirmedAddress(flow, accountId) : undefined
  return { name: settings.branding.brandName || address || '', unconfirmed }
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
