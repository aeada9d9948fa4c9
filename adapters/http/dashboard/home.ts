import { endpoint } from '../core/endpoint.ts'
import { homePage, menuPage } from '../pages/dashboard/home.ts'
import { type MemberRequest, ofMembers } from './of-dashboard.ts'

/** The first page of the dashboard. */

const look = endpoint({
  ...ofMembers,
  path: '/dashboard',
  method: 'get',
  summary: 'The first page of a member: a greeting, and what there is to do',
  answer: async (request) => homePage({ member: request.actor, ...(await greeting(request)) }),
})

const menu = endpoint({
  ...ofMembers,
  path: '/dashboard/menu',
  method: 'get',
  summary: 'Every screen that a member may see',
  answer: async ({ actor }) => menuPage(actor),
})

export const homeEndpoints = [look, menu]

const greeting = async ({ flow, actor: { accountId } }: MemberRequest) => {
  const [account, settings] = [await flow.ledger.account.read(accountId), await flow.ledger.settings.read(accountId)]
  const isThere = account.status !== 'none'
  const address = isThere ? await flow.vault.open(account.email) : undefined
  const wanted = isThere ? account.verification?.address : undefined
  const isWaiting = isThere && wanted !== undefined && wanted.emailFingerprint !== account.emailFingerprint
  const unconfirmed = isWaiting && wanted ? await flow.vault.open(wanted.email) : undefined
  return { name: settings.branding.brandName || address || '', unconfirmed }
}
