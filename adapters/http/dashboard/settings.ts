import { z } from 'zod'
import { UTC } from '../../../domain/kernel/calendar.ts'
import { saveSettings, settingsOf } from '../agent/account/settings.ts'
import { SettingsChange } from '../agent/account/settings-shape.ts'
import { endpoint, type Reply } from '../core/endpoint.ts'
import { validInput } from '../core/valid.ts'
import { type SettingsGroup, type SettingsValues, settingsPage } from '../pages/dashboard/settings/settings.ts'
import { seeOther } from '../pages/people-page.ts'
import { VatChange, vatChange } from '../pay/settings.ts'
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
  query: z.object({
    done: z.enum(['currency', 'zone', 'payment', 'vat', 'branding', 'notifications']).optional().catch(undefined),
  }),
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

const zone = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'zone' },
  summary: 'Changes the time zone in which members read days and times',
  body: z.object({ csrf, time_zone: typed }),
  answer: ({ body: { time_zone }, ...request }) => saved(request, 'zone', { time_zone }, { time_zone }),
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

const vat = endpoint({
  ...changes,
  method: 'post',
  when: { act: 'vat' },
  summary: 'Changes whether VAT is charged, and where the seller is taxed',
  body: z.object({ csrf, enabled: tick, country: typed, number: typed, inclusive: tick }),
  answer({ body: { enabled, inclusive, country, number }, ...request }) {
    const change = {
      enabled: enabled === '1',
      inclusive: inclusive === '1',
      country: country.trim().toUpperCase(),
      number: number.trim(),
    }
    const values = { country, number, enabled: enabled ?? '', inclusive: inclusive ?? '' }
    return saved(request, 'vat', values, {}, change)
  },
})

export const dashboardSettingsEndpoints = [look, currency, zone, payment, vat, branding, notifications]

/** Saves a group; what is refused stands beside its field, and everything typed stays. */
const saved = async (
  request: MemberRequest,
  group: SettingsGroup,
  values: SettingsValues,
  change: object,
  vat?: object,
): Promise<Reply> => {
  const { flow, actor } = request
  const fields = Object.keys(values)
  try {
    const further = vat && { vat: await vatChange(flow, actor.accountId, validInput(VatChange, vat)) }
    await saveSettings(flow, actor.accountId, validInput(SettingsChange, change), further)
  } catch (error) {
    const { vat: said, ...faults } = faultsOf(error, [...fields, 'vat'], fields[0] ?? '')
    return await show(request, { values, faults: said === undefined ? faults : { [vatField(said)]: said } })
  }
  return seeOther(`${SETTINGS}?done=${group}`)
}

/** What is wrong with VAT as a whole is its country's, unless it speaks of the number. */
const vatField = (said: string): 'number' | 'country' => (said.includes('VAT number') ? 'number' : 'country')

const show = async (
  { flow, actor }: MemberRequest,
  { values = {}, ...said }: { values?: SettingsValues; faults?: FormFaults; done?: SettingsGroup | undefined },
): Promise<Reply> => {
  const {
    confirmations,
    currency,
    time_zone: zone = UTC,
    payment,
    notifications,
    branding,
  } = await settingsOf(flow, actor.accountId)
  const { vat } = await flow.ledger.settings.read(actor.accountId)
  const present: SettingsValues = {
    currency,
    time_zone: zone,
    default: confirmations.default === null ? '' : String(confirmations.default),
    accept_underpayments: String(payment.accept_underpayments),
    redirect: payment.redirect,
    refunds: payment.refunds ? '1' : '',
    enabled: vat.enabled ? '1' : '',
    inclusive: vat.inclusive ? '1' : '',
    country: vat.country,
    number: vat.number,
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
