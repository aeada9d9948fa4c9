import type { z } from 'zod'
import type { Settings, SettingsCommands } from '../../../../domain/account/settings.ts'
import { assetOf, unknownAssetText } from '../../../../domain/kernel/assets.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { COOLDOWN_HOURS } from '../../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { endpoint } from '../../core/endpoint.ts'
import { fiatNumber, fiatUnits } from '../common/amounts.ts'
import { allowWebhook, changeWebhook, webhookShown } from '../common/webhooks.ts'
import { ap2Shown, mandateRulesOf } from './settings-ap2.ts'
import { SettingsChange, type SettingsPatch, SettingsShown } from './settings-shape.ts'

/** How a seller wants to sell. Answers come from the ledger itself, so they are never behind what was just written. */

const readSettings = endpoint({
  method: 'get',
  path: '/v1/settings',
  summary: 'The settings of the account',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.view', sandbox: 'secret' },
  returns: SettingsShown.partial({ webhook: true }),
  async answer({ actor: { accountId, testOnly }, flow }) {
    const { webhook, ...rest } = await settingsOf(flow, accountId)
    // Where live payments are told is for live keys alone.
    return testOnly ? rest : { ...rest, webhook }
  },
})

const changeSettings = endpoint({
  method: 'put',
  path: '/v1/settings',
  summary: 'Change some of the settings; a new webhook secret is shown once',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  body: SettingsChange,
  returns: SettingsShown,
  refusals: ['unknown-asset', 'webhook-url-refused'],
  answer: ({ body, actor: { accountId }, flow }) => saveSettings(flow, accountId, body),
})

/** The whole tree as it is now. */
export const settingsOf = async (flow: UseCaseContext, accountId: string): Promise<z.input<typeof SettingsShown>> =>
  shown(await flow.ledger.settings.read(accountId), await webhookShown(flow, accountId))

/**
 * Changes what is given, and answers the whole tree with a webhook secret that this minted. Refuses `unknown-asset`,
 * `webhook-url-refused`. `further` are sections that this tree does not have.
 */
export const saveSettings = async (
  flow: UseCaseContext,
  accountId: string,
  body: SettingsPatch,
  further: Pick<SettingsCommands['change'], 'vat'> = {},
): Promise<z.input<typeof SettingsShown>> => {
  const change = await checked(flow, body)
  // The webhook lies in a stream of its own: what it refuses, and then what the settings refuse, is refused before
  // either is written.
  if (body.webhook) await allowWebhook(flow, accountId, body.webhook)
  const { state } = await flow.ledger.settings.change(accountId, { ...change, ...further })
  const secret = body.webhook && (await changeWebhook(flow, accountId, body.webhook))
  const webhook = { ...(await webhookShown(flow, accountId)), ...(secret !== undefined && { secret }) }
  return shown(state, webhook)
}

/**
 * The change in the words of the domain. Refuses what only the tables of assets and rates know to be wrong, before
 * anything is written.
 */
const checked = async (flow: UseCaseContext, body: SettingsPatch): Promise<SettingsCommands['change']> => {
  const { confirmations, currency, payment, notifications, branding, web3_names: web3Names, time_zone: timeZone } = body
  const unknown = Object.keys(confirmations?.coins ?? {}).find((code) => assetOf(code) === undefined)
  if (unknown !== undefined) return refuse('unknown-asset', unknownAssetText(unknown))
  if (currency !== undefined) await flow.rates.usdPer(currency)
  const increase = confirmations?.increase?.map((tier) => ({ ...tier, above: String(fiatUnits(tier.above)) }))
  return {
    confirmations: confirmations && { ...confirmations, increase },
    currency,
    payment: payment && {
      underpaymentBasisPoints: payment.accept_underpayments && Math.round(payment.accept_underpayments * 100),
      redirect: payment.redirect,
      refunds: payment.refunds,
      oddPayments: payment.odd_payments,
    },
    mandates: payment?.ap2 && (await mandateRulesOf(flow, payment.ap2)),
    notifications,
    branding: branding && {
      brandName: branding.brand_name,
      logoUrl: branding.logo_url,
      logoUrlDark: branding.logo_url_dark,
      color1: branding.color_1,
      color2: branding.color_2,
      color3: branding.color_3,
    },
    web3Names,
    timeZone,
  }
}

/** The tree of J-SET-01. What the documents do not show on a new account is shown only once it is set. */
const shown = (settings: Settings, webhook: z.infer<typeof SettingsShown>['webhook']) => {
  const { confirmations, currency, payment, notifications, branding, web3Names, timeZone } = settings
  const increase = confirmations.increase.map((tier) => ({ ...tier, above: fiatNumber(tier.above) }))
  return {
    confirmations: { default: confirmations.default, coins: { ...confirmations.coins }, increase },
    webhook,
    currency,
    ...(timeZone !== undefined && { time_zone: timeZone }),
    address_reuse_cooldown: COOLDOWN_HOURS * 3_600,
    payment: {
      accept_underpayments: payment.underpaymentBasisPoints / 100,
      redirect: payment.redirect,
      ...(payment.refunds && { refunds: true as const }),
      ...(payment.oddPayments === 'ask' && { odd_payments: payment.oddPayments }),
      ...ap2Shown(settings.mandates),
    },
    notifications: { email: notifications.email },
    branding: {
      brand_name: branding.brandName,
      logo_url: branding.logoUrl,
      logo_url_dark: branding.logoUrlDark,
      color_1: branding.color1,
      color_2: branding.color2,
      color_3: branding.color3,
    },
    ...(Object.keys(web3Names).length > 0 && { web3_names: { ...web3Names } }),
  }
}

export const settingsEndpoints = [readSettings, changeSettings]
