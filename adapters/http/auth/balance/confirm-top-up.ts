import { z } from 'zod'
import { type TopUp, topUpStatusAt } from '../../../../domain/balance/top-up.ts'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { acceptTopUp, homeOf } from '../../../../domain/use-cases/balance/top-up.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { nothingHere, type OutcomeScreen, outcomePage } from '../../pages/balance/outcome.ts'
import { topUpPage, topUpTitle } from '../../pages/balance/top-up.ts'
import { usd } from '../../pages/balance/who-asks.ts'
import { peoplePage, seeOther } from '../../pages/people-page.ts'
import { ofPeople } from '../people/of-people.ts'
import { emailOf, ofScreens, type ScreenVisit } from './screens.ts'
import { type AppAsking, appAsking } from './way-back.ts'

/**
 * The screen on which a user takes up a top-up (A-TOP-01): the way leads from the pay host to the user's session, and
 * back to the page where it is paid.
 */

const PATH = '/topup/:id/confirm'
const pathOf = (id: string): string => PATH.replace(':id', id)

const arrive = endpoint({
  ...ofPeople,
  method: 'get',
  path: '/topup/:id',
  auth: 'none',
  limits: { keyless: true },
  summary: 'Where an app sends its user, on the pay host: leads to where the user is signed in',
  params: ofScreens.params,
  async answer({ params: { id }, flow }) {
    return seeOther(`${flow.origins.auth}${pathOf(encodeURIComponent(id))}`)
  },
})

const look = endpoint({
  ...ofScreens,
  method: 'get',
  path: PATH,
  summary: 'The screen on which a user takes up a top-up',
  async answer(visit) {
    const asked = await askedOf(visit)
    return asked instanceof Reply ? asked : await show(visit, asked)
  },
})

const accept = endpoint({
  ...ofScreens,
  method: 'post',
  path: PATH,
  summary: 'The user takes it up; leads to where it is paid',
  body: z.looseObject({}),
  async answer(visit) {
    const asked = await askedOf(visit)
    if (asked instanceof Reply) return asked
    const { flow, actor } = visit
    try {
      const { requestId } = await acceptTopUp(flow, asked.id, actor.sub)
      return seeOther(`${flow.origins.pay}/id/${requestId}`)
    } catch (error) {
      if (isRefusal(error, 'unavailable')) return await show(visit, asked, 'Nothing can be added right now.')
      if (isRefusal(error, 'top-up-expired', 'state-forbids')) return seeOther(pathOf(asked.id))
      throw error
    }
  },
})

export const confirmTopUpEndpoints = [arrive, look, accept]

type TopUpRequest = { readonly id: string; readonly topUp: TopUp; readonly app: AppAsking }

/**
 * The top-up that can still be paid, or the page that says why it cannot. It belongs to the user who takes it up first.
 */
const askedOf = async (visit: ScreenVisit): Promise<TopUpRequest | Reply> => {
  const { flow, actor, params } = visit
  const { id } = params
  const topUp = /^tu_[a-z2-7]{26}$/.test(id) ? await flow.ledger.topUp.read(id) : undefined
  if (!topUp || topUp.status === 'none' || (topUp.sub !== undefined && topUp.sub !== actor.sub))
    return nothingHere(await emailOf(visit), pathOf(id))
  const app = appAsking(flow, await flow.ledger.clientApp.read(topUp.clientId), topUp.redirectUri)
  if (!app) return outcomePage(CLOSED)
  const asked = { id, topUp, app }
  const status = topUpStatusAt(topUp, flow.world.now().toISOString())
  return status === 'started' || status === 'accepted' ? asked : outcomePage(over(asked, status))
}

const show = async (visit: ScreenVisit, { topUp, app }: TopUpRequest, wrong?: string): Promise<Reply> => {
  const { flow, actor } = visit
  const { balance } = await flow.ledger.userBalance.read(actor.sub)
  const view = { app, amount: BigInt(topUp.amount), email: await emailOf(visit), balance, expiresAt: topUp.expiresAt }
  return peoplePage({
    title: topUpTitle(view),
    main: topUpPage({ ...view, csrf: actor.csrf, wrong }),
    formTo: [flow.origins.pay],
    ...(wrong !== undefined && { status: 503 }),
  })
}

const over = ({ id, topUp, app }: TopUpRequest, status: 'underpaid' | 'completed' | 'expired'): OutcomeScreen => {
  const onward = { href: homeOf(topUp, id), label: `Back to ${app.name}` }
  const came = usd(topUp.settled)
  if (status === 'completed') return { title: 'This is done', text: `${came} was added to your balance.`, onward }
  if (status === 'underpaid')
    return {
      title: 'Less came than was asked for',
      text: `${came} of ${usd(topUp.amount)} arrived and was added to your balance.`,
      onward,
    }
  const text = `Please do not pay anything for it now. ${app.name} can send you here again.`
  return { title: 'The time for this is up', text, onward, status: 410 }
}

const CLOSED = {
  title: 'This cannot be paid',
  text: 'The app that asks is switched off, or its address could not be checked.',
  status: 409,
}
