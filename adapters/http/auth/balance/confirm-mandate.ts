import { z } from 'zod'
import type { Mandate, MandateState } from '../../../../domain/balance/mandate.ts'
import { isAutomatic } from '../../../../domain/balance/standing-order.ts'
import { addMonths } from '../../../../domain/kernel/calendar.ts'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import {
  approveMandate,
  declineMandate,
  mandateNow,
  VALID_MONTHS,
} from '../../../../domain/use-cases/balance/mandate.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { mandatePage, mandateTitle } from '../../pages/balance/mandate.ts'
import { nothingHere, type OutcomeScreen, outcomePage } from '../../pages/balance/outcome.ts'
import { peoplePage, seeOther } from '../../pages/people-page.ts'
import { stepUpForm } from '../people/step-up.ts'
import { emailOf, ofScreens, provenBy, type ScreenVisit, termsHash } from './screens.ts'
import { type AppAsking, appAsking, backTo } from './way-back.ts'

/** The screen on which a user approves a standing order (A-MAN-02 to A-MAN-04, T-MAN-02, T-MAN-03). */

const common = { ...ofScreens, path: '/standing-orders/:id/confirm' } as const
const pathOf = (id: string): string => `/standing-orders/${id}/confirm`

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The screen on which a user approves a standing order',
  async answer(visit) {
    const asked = await askedOf(visit)
    return asked instanceof Reply ? asked : await show(visit, asked)
  },
})

const answer = endpoint({
  ...common,
  method: 'post',
  summary: 'The user approves with a second factor, or declines; leads back to the app',
  body: z.looseObject({ decision: z.enum(['approve', 'decline']) }),
  async answer({ body, ...visit }) {
    const asked = await askedOf(visit)
    if (asked instanceof Reply) return asked
    return body.decision === 'approve' ? await approve(visit, asked, body) : await decline(visit, asked)
  },
})

export const confirmMandateEndpoints = [look, answer]

type MandateRequest = {
  readonly id: string
  readonly mandate: Mandate
  readonly app: AppAsking
  readonly description: string
}

/** The standing order that can still be answered, or the page that says why it cannot. */
const askedOf = async (visit: ScreenVisit): Promise<MandateRequest | Reply> => {
  const { flow, actor, params } = visit
  const { id } = params
  const mandate = /^so_[a-z2-7]{26}$/.test(id) ? await flow.ledger.mandate.read(id) : undefined
  if (!mandate || mandate.status === 'none' || mandate.sub !== actor.sub)
    return nothingHere(await emailOf(visit), pathOf(id))
  const app = appAsking(flow, await flow.ledger.clientApp.read(mandate.clientId), mandate.redirectUri)
  if (!app) return outcomePage(CLOSED)
  const asked = { id, mandate, app, description: (await flow.vault.open(mandate.description)) ?? '' }
  const { state } = await mandateNow(flow, id)
  return state === 'pending' ? asked : outcomePage(over(asked, state))
}

const show = async (visit: ScreenVisit, asked: MandateRequest, wrong?: string): Promise<Reply> => {
  const { flow, actor } = visit
  const { id, mandate, app, description } = asked
  const form = await stepUpForm(visit, stepUpFor(visit, asked))
  const now = flow.world.now().toISOString()
  const view = { app, terms: mandate, description, email: await emailOf(visit), expiresAt: mandate.expiresAt, now }
  const enrolHref = `/account/security/enrol?next=${encodeURIComponent(pathOf(id))}`
  const validUntil = addMonths(now, VALID_MONTHS)
  return peoplePage({
    title: mandateTitle(app),
    main: mandatePage({ ...view, validUntil, csrf: actor.csrf, stepUp: form.fields, enrolHref, wrong }),
    formTo: [app.origin],
    scripts: form.scripts,
    ...(wrong !== undefined && { status: 422 }),
  })
}

const approve = async (
  visit: ScreenVisit,
  asked: MandateRequest,
  body: Readonly<Record<string, unknown>>,
): Promise<Reply> => {
  const { id } = asked
  const proven = await provenBy(visit, stepUpFor(visit, asked), body)
  if ('wrong' in proven) return await show(visit, asked, proven.wrong)
  try {
    await approveMandate(visit.flow, id)
  } catch (error) {
    // It was answered in another window, or its time is up: the page says so.
    if (isRefusal(error, 'mandate-expired', 'state-forbids')) return seeOther(pathOf(id), proven.cookies)
    if (isRefusal(error, 'too-many-mandates')) return outcomePage({ ...FULL, cookies: proven.cookies })
    throw error
  }
  return seeOther(home(asked), proven.cookies)
}

const decline = async ({ flow }: ScreenVisit, asked: MandateRequest): Promise<Reply> => {
  try {
    await declineMandate(flow, asked.id)
  } catch (error) {
    if (isRefusal(error, 'mandate-expired', 'state-forbids')) return seeOther(pathOf(asked.id))
    throw error
  }
  return seeOther(homeDenied(asked))
}

const stepUpFor = ({ flow }: ScreenVisit, { id, mandate, app, description }: MandateRequest) => {
  const { mode, perDebitCap, lifetimeCap, cooldown, schedAmount, schedInterval, redirectUri } = mandate
  const rhythm = [mode, cooldown, schedAmount, schedInterval, String(isAutomatic(mandate))]
  const limits = [perDebitCap, lifetimeCap, ...rhythm, `${VALID_MONTHS} months`]
  const terms = termsHash(flow, [id, app.name, app.domain, ...limits, description, redirectUri])
  return { purpose: 'mandate' as const, subject: id, terms }
}

const home = ({ id, mandate }: MandateRequest): string => backTo(mandate.redirectUri, { mandate: id }, mandate.appState)

const homeDenied = ({ mandate }: MandateRequest): string =>
  backTo(mandate.redirectUri, { error: 'access_denied' }, mandate.appState)

const over = (asked: MandateRequest, state: Exclude<MandateState, 'pending'>): OutcomeScreen => {
  const { name } = asked.app
  const label = `Back to ${name}`
  if (state === 'approved') {
    const text = `${name} can take payments within its limits. You can end this at any time on your account page.`
    return { title: 'You have approved this', text, onward: { label, href: home(asked) } }
  }
  const [title, text, status] = words[state]
  return { title, text, status, onward: { label, href: homeDenied(asked) } }
}

const words = {
  declined: ['This was declined', 'Nothing can be taken. The app can ask you again.', 200],
  revoked: ['This has ended', 'Nothing more can be taken. The app can ask you again.', 200],
  exhausted: ['This is used up', 'All that you had approved was taken. The app can ask you again.', 200],
  expired: ['The time for this is up', 'Nothing more can be taken. The app can ask you again.', 410],
} as const

const CLOSED = {
  title: 'This cannot be approved',
  text: 'The app that asks is switched off, or its address could not be checked. Nothing was approved.',
  status: 409,
}
const FULL = {
  title: 'You have too many standing orders',
  text: 'Please end one that you no longer need, and open the app’s link again.',
  onward: { href: '/account', label: 'Your account' },
  status: 409,
}
