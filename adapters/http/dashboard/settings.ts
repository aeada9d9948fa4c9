import { z } from 'zod'
import { saveSettings, settingsOf } from '../agent/account/settings.ts'
import { SettingsChange } from '../agent/account/settings-shape.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { validInput } from '../core/valid.ts'
import { type SettingsGroup, type SettingsValues, settingsPage } from '../pages/dashboard/settings.ts'
import { seeOther } from '../pages/people-page.ts'
import { numberIn } from './first-steps.ts'
import { type FormFaults, faultsOf } from './form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from './of-dashboard.ts'

/** How the seller wants to sell. Each group is a form of its own, saved with the rules of `PUT /v1/settings`. */

const SETTINGS = '/dashboard/settings'
const common = { ...ofMembers, path: SETTINGS } as const
const changes = { ...common, callers: { capability: 'settings.edit' } } as const
/** Characters of a field; what the API takes of each is less. */
const typed = z.string().max(2_100).default('')
const tick = z.literal('1').optional()

const look = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'settings.view' },
  summary: 'The settings of the account, in groups',
  query: z.object({ done: z.enum(['currency', 'payment', 'branding', 'notifications']).optional().catch(undefined) }),
  answer: ({ query, ...request }) => show(request, { done: query.done }),
})

const currency = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'currency' },
  summary: 'Changes the currency',
  body: z.object({ csrf, currency: typed }),
  answer: ({ body: { currency: wanted }, ...request }) =>
    saved(request, 'currency', { currency: wanted }, { currency: wanted.trim().toUpperCase() }),
})

const payment = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'payment' },
  summary: 'Changes what counts as a payment: confirmations, what may be missing, and where buyers go afterwards',
  body: z.object({ csrf, default: typed, accept_underpayments: typed, redirect: typed, refunds: tick }),
  answer({ body: { csrf: _, ...values }, ...request }) {
    const { default: depth, accept_underpayments, redirect, refunds } = values
    const change = {
      confirmations: { default: depth.trim() === '' ? null : numberIn(depth) },
      payment: { accept_underpayments: numberIn(accept_underpayments), redirect, refunds: refunds === '1' },
    }
    return saved(request, 'payment', { ...values, refunds: refunds ?? '' }, change)
  },
})

const branding = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'branding' },
  summary: 'Changes the name, the pictures and the colours that buyers see',
  body: z.object({
    csrf,
    brand_name: typed,
    logo_url: typed,
    logo_url_dark: typed,
    color_1: typed,
    color_2: typed,
    color_3: typed,
  }),
  answer: ({ body: { csrf: _, ...values }, ...request }) => saved(request, 'branding', values, { branding: values }),
})

const notifications = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'notifications' },
  summary: 'Changes whether letters tell of payments',
  body: z.object({ csrf, email: tick }),
  answer: ({ body: { email }, ...request }) =>
    saved(request, 'notifications', { email: email ?? '' }, { notifications: { email: email === '1' } }),
})

export const dashboardSettingsEndpoints = [look, currency, payment, branding, notifications]

/** Saves a group; what is refused stands beside its field, and everything typed stays. */
const saved = async (
  request: MemberRequest,
  group: SettingsGroup,
  values: SettingsValues,
  change: object,
): Promise<Reply> => {
  const fields = Object.keys(values)
  try {
    await saveSettings(request.flow, request.actor.accountId, validInput(SettingsChange, change))
  } catch (error) {
    return await show(request, { values, faults: faultsOf(error, fields, fields[0] ?? '') })
  }
  return seeOther(`${SETTINGS}?done=${group}`)
}

const show = async (
  { flow, actor }: MemberRequest,
  { values = {}, ...said }: { values?: SettingsValues; faults?: FormFaults; done?: SettingsGroup | undefined },
): Promise<Reply> => {
  const { confirmations, currency, payment, notifications, branding } = await settingsOf(flow, actor.accountId)
  const present: SettingsValues = {
    currency,
    default: confirmations.default === null ? '' : String(confirmations.default),
    accept_underpayments: String(payment.accept_underpayments),
    redirect: payment.redirect,
    refunds: payment.refunds ? '1' : '',
    ...branding,
    email: notifications.email ? '1' : '',
  }
  return settingsPage({
    ...said,
    member: actor,
    values: { ...present, ...values },
    mayEdit: actor.actor.can('settings.edit'),
  })
}
