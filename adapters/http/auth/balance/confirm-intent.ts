import { z } from 'zod'
import { type Intent, intentStatusAt } from '../../../../domain/balance/intent.ts'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { codeOf, confirmIntent, declineIntent } from '../../../../domain/use-cases/balance/intent.ts'
import { acceptTopUp, startTopUp } from '../../../../domain/use-cases/balance/top-up.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { intentPage, intentTitle, topUpFor } from '../../pages/balance/intent.ts'
import { nothingHere, outcomePage } from '../../pages/balance/outcome.ts'
import { usd } from '../../pages/balance/who-asks.ts'
import { peoplePage, seeOther } from '../../pages/people-page.ts'
import { stepUpForm } from '../people/step-up.ts'
import { emailOf, ofScreens, provenBy, type ScreenVisit, termsHash } from './screens.ts'
import { type AppAsking, appAsking, backTo } from './way-back.ts'

/** The screen on which a user confirms a payment that an app has asked for (A-INT-03, T-INT-02). */

const common = { ...ofScreens, path: '/confirm/:id' } as const
const pathOf = (id: string): string => `/confirm/${id}`

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The screen on which a user confirms a payment from the balance',
  async answer(visit) {
    const asked = await askedOf(visit)
    return asked instanceof Reply ? asked : await show(visit, asked)
  },
})

const answer = endpoint({
  ...common,
  method: 'post',
  summary: 'The user confirms with a second factor, declines, or adds what is missing; leads back to the app',
  body: z.looseObject({ decision: z.enum(['approve', 'decline', 'top-up']) }),
  async answer({ body, ...visit }) {
    const asked = await askedOf(visit)
    if (asked instanceof Reply) return asked
    if (body.decision === 'top-up') return await topUp(visit, asked)
    return body.decision === 'approve' ? await approve(visit, asked, body) : await decline(visit, asked)
  },
})

export const confirmIntentEndpoints = [look, answer]

type IntentRequest = {
  readonly id: string
  readonly intent: Intent
  readonly app: AppAsking
  readonly description: string
}

/** The payment that can still be answered, or the page that says why it cannot. */
const askedOf = async (visit: ScreenVisit): Promise<IntentRequest | Reply> => {
  const { flow, actor, params } = visit
  const { id } = params
  const intent = /^pi_[a-z2-7]{26}$/.test(id) ? await flow.ledger.intent.read(id) : undefined
  if (!intent || intent.status === 'none' || intent.sub !== actor.sub)
    return nothingHere(await emailOf(visit), pathOf(id))
  const app = appAsking(flow, await flow.ledger.clientApp.read(intent.clientId), intent.redirectUri)
  if (!app) return outcomePage(CLOSED)
  const description = (await flow.vault.open(intent.description)) ?? ''
  const status = intentStatusAt(intent, flow.world.now().toISOString())
  const asked = { id, intent, app, description }
  return status === 'pending' ? asked : over(visit, asked, status)
}

const show = async (visit: ScreenVisit, asked: IntentRequest, wrong?: string): Promise<Reply> => {
  const { flow, actor } = visit
  const { id, intent, app, description } = asked
  const amount = BigInt(intent.amount)
  const { balance } = await flow.ledger.userBalance.read(actor.sub)
  const form = balance < amount ? undefined : await stepUpForm(visit, stepUpFor(visit, asked))
  const view = { app, amount, description, balance, email: await emailOf(visit), expiresAt: intent.expiresAt }
  const enrolHref = `/account/security/enrol?next=${encodeURIComponent(pathOf(id))}`
  return peoplePage({
    title: intentTitle(view),
    main: intentPage({ ...view, csrf: actor.csrf, stepUp: form?.fields, enrolHref, wrong }),
    formTo: [app.origin, flow.origins.pay],
    scripts: form?.scripts ?? [],
    ...(wrong !== undefined && { status: 422 }),
  })
}

const approve = async (
  visit: ScreenVisit,
  asked: IntentRequest,
  body: Readonly<Record<string, unknown>>,
): Promise<Reply> => {
  const { flow, actor } = visit
  const { id, intent } = asked
  const { balance } = await flow.ledger.userBalance.read(actor.sub)
  if (balance < BigInt(intent.amount)) return await show(visit, asked)
  const proven = await provenBy(visit, stepUpFor(visit, asked), body)
  if ('wrong' in proven) return await show(visit, asked, proven.wrong)
  const { amr, cookies } = proven
  try {
    await confirmIntent(flow, id, { amr })
  } catch (error) {
    // It was answered in another window, or its time is up: the page says so.
    if (isRefusal(error, 'intent-expired', 'intent-declined', 'state-forbids')) return seeOther(pathOf(id), cookies)
    throw error
  }
  return seeOther(homeWithCode(visit, asked), cookies)
}

const decline = async ({ flow }: ScreenVisit, asked: IntentRequest): Promise<Reply> => {
  await declineIntent(flow, asked.id).catch((error: unknown) => {
    if (!isRefusal(error, 'intent-expired', 'state-forbids')) throw error
  })
  return seeOther(homeDenied(asked))
}

/** A top-up that leads back here, in the name of the app that asks. */
const topUp = async (visit: ScreenVisit, asked: IntentRequest): Promise<Reply> => {
  const { flow, actor } = visit
  const { id, intent } = asked
  const { balance } = await flow.ledger.userBalance.read(actor.sub)
  const missing = BigInt(intent.amount) - balance
  if (missing <= 0n) return await show(visit, asked)
  const wish = { clientId: intent.clientId, amount: topUpFor(missing), appState: '' }
  try {
    const { topUpId } = await startTopUp(flow, { ...wish, redirectUri: `${flow.origins.auth}${pathOf(id)}` })
    const { requestId } = await acceptTopUp(flow, topUpId, actor.sub)
    return seeOther(`${flow.origins.pay}/id/${requestId}`)
  } catch (error) {
    if (isRefusal(error, 'unavailable')) return await show(visit, asked, 'Nothing can be added right now.')
    throw error
  }
}

const stepUpFor = ({ flow }: ScreenVisit, { id, intent, app, description }: IntentRequest) => ({
  purpose: 'intent' as const,
  subject: id,
  terms: termsHash(flow, [id, app.name, app.domain, intent.amount, intent.currency, description, intent.redirectUri]),
})

/** The way back to the app with the code: the same each time, for a browser that has lost it. */
const homeWithCode = ({ flow }: ScreenVisit, { id, intent }: IntentRequest): string =>
  backTo(intent.redirectUri, { payment: id, code: codeOf(flow, id) }, intent.appState)

const homeDenied = ({ id, intent }: IntentRequest): string =>
  backTo(intent.redirectUri, { error: 'access_denied', payment: id }, intent.appState)

const over = (
  visit: ScreenVisit,
  asked: IntentRequest,
  status: Exclude<Intent['status'], 'pending'> | 'expired',
): Reply => {
  const { intent, app } = asked
  const sum = usd(intent.amount)
  const back = { label: `Back to ${app.name}` }
  switch (status) {
    case 'confirmed':
    case 'completed':
      return outcomePage({
        title: status === 'completed' ? 'This is paid' : 'You have confirmed this',
        text: `${app.name} ${status === 'completed' ? 'has got' : 'can now take'} ${sum}, once.`,
        onward: { ...back, href: homeWithCode(visit, asked) },
      })
    case 'declined':
      return outcomePage({
        title: 'This was declined or taken back',
        text: `Nothing was taken. ${app.name} can ask you again.`,
        onward: { ...back, href: homeDenied(asked) },
      })
    case 'expired':
      return outcomePage({
        title: 'The time for this is up',
        text: `Nothing was taken. ${app.name} can ask you again.`,
        onward: { ...back, href: homeDenied(asked) },
        status: 410,
      })
  }
}

const CLOSED = {
  title: 'This cannot be confirmed',
  text: 'The app that asks is switched off, or its address could not be checked. Nothing was taken.',
  status: 409,
}
