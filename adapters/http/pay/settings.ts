import { z } from 'zod'
import { mergedMap, type Settings, type SettingsCommands } from '../../../domain/account/settings.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { refuseUntaxable } from '../../../domain/money/vat/treatment.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { saveSettings, settingsOf } from '../agent/account/settings.ts'
import { SettingsChange, SettingsShown } from '../agent/account/settings-shape.ts'
import { allowUrl, CLEARED_HAS_NONE, saveUrl, WebhookUrlOrNone } from '../agent/common/webhooks.ts'
import { recordOf } from '../core/record-of.ts'
import { consoleFunction } from './console-function.ts'
import { CountryCode, jsonField, VatNumberText } from './fields.ts'

/**
 * The section `vat` of the console's settings. Document 1 closes its own list, so that the JSON API neither shows nor
 * takes it.
 */

/** Countries with a rate of their own: more than there are. */
const RATES_MAX = 300

const Percent = z
  .string()
  .regex(
    /^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/,
    'has to be percent, as a plain decimal from 0 to 100 with at most 4 places',
  )

export const VatChange = z.strictObject({
  enabled: z.boolean().optional(),
  country: z.literal('').or(CountryCode).optional(),
  number: z.literal('').or(VatNumberText).optional(),
  inclusive: z.boolean().optional(),
  rates: recordOf(CountryCode, Percent.nullable(), RATES_MAX).optional(),
})

const VatShown = z.object({
  enabled: z.boolean(),
  country: z.string(),
  number: z.string(),
  inclusive: z.boolean(),
  rates: z.record(z.string(), z.string()),
})

/**
 * The change in the words of the domain, the number in its canonical form. Refuses `invalid-request` for a number of a
 * wrong form, and for rules by which nothing could be taxed. What a registry says does not matter: VIES does not know
 * sellers who only sell at home.
 */
export const vatChange = async (
  { ledger, vatRegistry, world }: UseCaseContext,
  accountId: string,
  given: z.output<typeof VatChange>,
): Promise<SettingsCommands['change']['vat']> => {
  const { vat } = await ledger.settings.read(accountId)
  const { enabled = vat.enabled, country = vat.country } = given
  const rates = mergedMap(vat.rates, given.rates)
  refuseUntaxable({ enabled, country, rates }, world.now().toISOString().slice(0, 10))
  if (!given.number) return given
  const { number, valid, checked } = await vatRegistry.check(given.number)
  return valid === false && checked === 'format'
    ? refuse('invalid-request', 'vat: has to be a VAT number, with its country’s letters before it')
    : { ...given, number }
}

/**
 * The VAT settings. Like all that the documents do not show on a new account, they are shown only once they are set
 * (Q-34).
 */
const vatShown = ({ vat }: Settings): { vat: z.input<typeof VatShown> } => ({
  vat: { ...vat, rates: { ...vat.rates } },
})

/**
 * The settings of the JSON API under document 3's words for the webhook. What was read can be saved back as it is: a
 * masked secret, and what cannot be set, then change nothing (M-SET-03 to M-SET-05).
 */

/** The word that asks for a new secret when it is saved as the secret. */
const ROTATE = 'rotate'
const MASK = 'whsec_…'
const SECRET_MAX = 80

const { webhook: _, ...sections } = SettingsShown.shape
const Shown = z
  .object({
    ...sections,
    'webhook-url': z.string(),
    'agent-webhook-url': z.string(),
    'webhook-secret': z.string(),
    vat: VatShown,
  })
  .meta({
    id: 'ConsoleSettings',
    description:
      'The settings; the webhook secret is masked, unless this very call made it. `agent-webhook-url` is told of payments for resources.',
  })

const ConsoleChange = SettingsChange.omit({ webhook: true }).extend({
  address_reuse_cooldown: z.int().optional(),
  'webhook-url': WebhookUrlOrNone.optional(),
  'agent-webhook-url': WebhookUrlOrNone.optional(),
  'webhook-secret': z.string().max(SECRET_MAX).optional(),
  vat: VatChange.optional(),
})

const getSettings = consoleFunction('get-settings', {
  summary: 'The settings, the webhook secret masked',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.view', sandbox: 'secret' },
  returns: Shown.partial({ 'webhook-url': true, 'webhook-secret': true }),
  async answer({ actor: { accountId, testOnly }, flow }) {
    const {
      'webhook-url': url,
      'webhook-secret': secret,
      ...rest
    } = await worded(flow, accountId, await settingsOf(flow, accountId))
    // Where live payments are told is for live keys alone.
    return testOnly ? rest : { ...rest, 'webhook-url': url, 'webhook-secret': secret }
  },
})

const saveAll = consoleFunction('save-settings', {
  summary: 'Change some of the settings; `webhook-secret: "rotate"` makes a new secret, which is shown once',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  body: z.object({
    settings: jsonField(ConsoleChange),
  }),
  returns: Shown,
  refusals: ['unknown-asset', 'webhook-url-refused'],
  async answer({ body: { settings }, actor: { accountId }, flow }) {
    const present = await settingsOf(flow, accountId)
    const { agentUrl, vat, change } = changed(settings, present)
    if (agentUrl) allowUrl(flow, agentUrl)
    const further = vat ? { vat: await vatChange(flow, accountId, vat) } : {}
    const saved = await saveSettings(flow, accountId, change, further)
    if (agentUrl === undefined) return worded(flow, accountId, saved)
    const first = await saveUrl(flow, accountId, 'agent', agentUrl)
    const { webhook } = await settingsOf(flow, accountId)
    const secret = first ?? saved.webhook.secret
    return worded(flow, accountId, { ...saved, webhook: { ...webhook, ...(secret !== undefined && { secret }) } })
  },
})

type Tree = z.input<typeof SettingsShown>

/** What differs from the present settings, in the words of the JSON API. Refuses what cannot be set. */
const changed = (settings: z.output<typeof ConsoleChange>, present: Tree) => {
  const { 'webhook-url': url, 'agent-webhook-url': agent, 'webhook-secret': secret, ...others } = settings
  const { address_reuse_cooldown: cooldown, vat, ...rest } = others
  if (cooldown !== undefined && cooldown !== present.address_reuse_cooldown)
    return refuse('invalid-request', 'address_reuse_cooldown cannot be set: leave it out, or send it as it was read.')
  if (secret !== undefined && secret !== ROTATE && secret !== masked(present.webhook))
    return refuse(
      'invalid-request',
      `webhook-secret has to be "${ROTATE}", which makes a new secret, or as it was read.`,
    )
  const webhook = {
    ...(url !== undefined && url !== present.webhook.url && { url }),
    ...(secret === ROTATE && { rotate_secret: true }),
  }
  if (webhook.url === '' && webhook.rotate_secret) return refuse('invalid-request', CLEARED_HAS_NONE)
  return {
    agentUrl: agent === present.webhook.agent_url ? undefined : agent,
    vat,
    change: { ...rest, ...(Object.keys(webhook).length > 0 && { webhook }) },
  }
}

const worded = async ({ ledger }: UseCaseContext, accountId: string, tree: Tree): Promise<z.input<typeof Shown>> => {
  const { webhook, ...rest } = tree
  const secret = webhook.secret ?? masked(webhook)
  return {
    ...rest,
    'webhook-url': webhook.url,
    'agent-webhook-url': webhook.agent_url,
    'webhook-secret': secret,
    ...vatShown(await ledger.settings.read(accountId)),
  }
}

const masked = ({ has_secret, secret_last4 }: Tree['webhook']): string => (has_secret ? `${MASK}${secret_last4}` : '')

export const settingsFunctions = [...getSettings, ...saveAll]
