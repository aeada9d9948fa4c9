import { z } from 'zod'
import { mustHaveSecret, type WebhookSlot } from '../../../../domain/account/webhook.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { newWebhookSecret } from '../../../../domain/use-cases/account/stores.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint } from '../../core/endpoint.ts'
import { deliveryEndpoints } from './deliveries.ts'

/** A URL is at most this long in practice, and stored with every delivery. */
const URL_MAX = 2048
export const WebhookUrl = z.string().min(1).max(URL_MAX)

/** A URL that is set, or none: an empty text and null both clear it. */
export const WebhookUrlOrNone = z
  .string()
  .max(URL_MAX)
  .nullable()
  .transform((url) => url ?? '')

const change = { url: WebhookUrlOrNone.optional(), rotate_secret: z.boolean().optional() }
export const CLEARED_HAS_NONE = 'a webhook that is cleared has no secret to rotate: do one of the two'
const keepsSecret = [
  (body: { url?: string | undefined; rotate_secret?: boolean | undefined }) => body.url !== '' || !body.rotate_secret,
  CLEARED_HAS_NONE,
] as const
/** The webhook among the settings. */
export const WebhookChange = z.strictObject(change).refine(...keepsSecret)

/** Both webhooks by their own names, and the secret that signs for both, as everybody sees it who may see it. */
export const webhookFacts = {
  url: z.string(),
  has_secret: z.boolean(),
  secret_last4: z.string(),
  agent_url: z.string(),
}

const readWebhook = endpoint({
  method: 'get',
  path: '/v1/webhook',
  summary: 'The account webhook, without its secret; `agent_url` is the webhook of payments for resources',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.view' },
  returns: z.object(webhookFacts),
  answer: ({ actor, flow }) => webhookShown(flow, actor.accountId),
})

const setWebhook = endpoint({
  method: 'post',
  path: '/v1/webhook',
  summary: 'Set or clear the account webhook, or rotate its secret; a new secret is shown once',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  body: z
    .object(change)
    .refine((body) => body.url !== undefined || body.rotate_secret, 'url or rotate_secret is needed')
    .refine(...keepsSecret),
  returns: z.object({ url: z.string(), secret: z.string().optional() }),
  refusals: ['webhook-url-refused'],
  async answer({ body, actor: { accountId }, flow }) {
    const secret = await changeWebhook(flow, accountId, body)
    const url = body.url ?? (await webhookShown(flow, accountId)).url
    return { url, ...(secret !== undefined && { secret }) }
  },
})

const clearWebhook = endpoint({
  method: 'delete',
  path: '/v1/webhook',
  summary: 'Clear the account webhook and its secret',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  returns: z.object({ url: z.literal(''), cleared: z.literal(true) }),
  async answer({ actor: { accountId }, flow }) {
    await changeWebhook(flow, accountId, { url: '' })
    return { url: '' as const, cleared: true as const }
  },
})

const readAgentWebhook = endpoint({
  method: 'get',
  path: '/v1/webhooks',
  summary: 'The webhook of payments for resources, and how to change it',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.view' },
  returns: z.object({
    webhook_url: z.string(),
    how_to_set: z.string(),
    rotate_secret: z.string(),
    account_url: z.string(),
  }),
  async answer({ actor: { accountId }, flow }) {
    const { urls } = await flow.ledger.webhook.read(accountId)
    return {
      webhook_url: urls.agent ?? '',
      how_to_set: 'POST /v1/agent with {"webhook_url":"https://…"}; with {"webhook_url":""} or null it is removed',
      rotate_secret: 'POST /v1/webhook with {"rotate_secret":true}; the new secret is shown once',
      account_url: urls.account ?? '',
    }
  },
})

/** Clears or saves the account's URL, or rotates the secret; answers a secret that was minted, to be shown once. */
export const changeWebhook = async (
  flow: UseCaseContext,
  accountId: string,
  { url, rotate_secret }: z.output<typeof WebhookChange>,
): Promise<string | undefined> => {
  const first = url === undefined ? undefined : await saveUrl(flow, accountId, 'account', url)
  return first ?? (rotate_secret ? rotate(flow, accountId) : undefined)
}

/**
 * Refuses what `changeWebhook` would refuse, before anything is written: for a call that changes more than the webhook.
 */
export const allowWebhook = async (
  flow: UseCaseContext,
  accountId: string,
  { url, rotate_secret }: z.output<typeof WebhookChange>,
): Promise<void> => {
  if (url) allowUrl(flow, url)
  else if (url === undefined && rotate_secret) mustHaveSecret(await flow.ledger.webhook.read(accountId))
}

/** The account's webhook for anybody who may see the account: never the secret (J-WHK-02, X-MASK-01). */
export const webhookShown = async ({ ledger }: UseCaseContext, accountId: string) => {
  const { urls, secret } = await ledger.webhook.read(accountId)
  const [has_secret, secret_last4] = [secret !== undefined, secret?.last4 ?? '']
  return { url: urls.account ?? '', has_secret, secret_last4, agent_url: urls.agent ?? '' }
}

/**
 * Saves a URL that the rules allow, or clears it where it is empty; answers the secret if this made one, to be shown
 * once. Refuses `webhook-url-refused`.
 */
export const saveUrl = async (
  flow: UseCaseContext,
  accountId: string,
  slot: WebhookSlot,
  url: string,
): Promise<string | undefined> => {
  if (url === '') {
    await flow.ledger.webhook.clearUrl(accountId, { slot })
    return undefined
  }
  allowUrl(flow, url)
  const { secret, kept: candidate } = await newWebhookSecret(flow, accountId)
  const { events } = await flow.ledger.webhook.setUrl(accountId, { slot, url, ...candidate })
  const minted = events.some(({ type }) => type === 'WebhookSecretMinted')
  return minted ? secret : undefined
}

/** Checks a URL that is kept elsewhere, and sees to it that there is a secret to sign its deliveries with. */
export const allowSignedUrl = async (flow: UseCaseContext, accountId: string, url: string): Promise<void> => {
  allowUrl(flow, url)
  await flow.ledger.webhook.needSecret(accountId, (await newWebhookSecret(flow, accountId)).kept)
}

/** Refuses a URL that may not be called, with the reason (W-URL-01, X-SSRF-01). */
export const allowUrl = (flow: UseCaseContext, url: string): void => {
  const reason = flow.outbound.refusal(url)
  if (reason !== undefined)
    refuse('webhook-url-refused', `This webhook URL may not be called: ${reason}. Use an https URL of a public host.`)
}

const rotate = async (flow: UseCaseContext, accountId: string): Promise<string> => {
  const { secret, kept: candidate } = await newWebhookSecret(flow, accountId)
  await flow.ledger.webhook.rotateSecret(accountId, candidate)
  return secret
}

export const webhookEndpoints = [readWebhook, readAgentWebhook, setWebhook, clearWebhook, ...deliveryEndpoints]
