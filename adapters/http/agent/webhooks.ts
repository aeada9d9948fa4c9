import { z } from 'zod'
import type { WebhookSlot } from '../../../domain/account/webhook.ts'
import type { Flow } from '../../../domain/flows/flow.ts'
import { refuse } from '../../../domain/refusal.ts'
import { endpoint } from '../endpoint.ts'

/** A URL is at most this long in practice, and stored with every delivery. */
const URL_MAX = 2048
export const WebhookUrl = z.string().min(1).max(URL_MAX)

const readWebhook = endpoint({
  method: 'get',
  path: '/v1/webhook',
  summary: 'The account webhook, without its secret',
  auth: 'key',
  returns: z.object({ url: z.string(), has_secret: z.boolean(), secret_last4: z.string() }),
  async answer({ actor, queries }) {
    const account = await queries.account(actor.accountId)
    const last4 = account?.secretLast4 ?? ''
    return { url: account?.accountUrl ?? '', has_secret: last4 !== '', secret_last4: last4 }
  },
})

const setWebhook = endpoint({
  method: 'post',
  path: '/v1/webhook',
  summary: 'Set or clear the account webhook, or rotate its secret; a new secret is shown once',
  auth: 'key',
  capability: 'settings.edit',
  body: z
    .object({ url: z.string().max(URL_MAX).optional(), rotate_secret: z.boolean().optional() })
    .refine((body) => body.url !== undefined || body.rotate_secret, 'url or rotate_secret is needed')
    .refine((body) => body.url !== '' || !body.rotate_secret, 'a webhook that is cleared has no secret to rotate'),
  returns: z.object({ url: z.string(), secret: z.string().optional() }),
  refusals: ['webhook-url-refused'],
  async answer({ body, actor, flow, queries }) {
    const { accountId } = actor
    if (body.url === '') {
      await flow.ledger.webhook.clearUrl(accountId, { slot: 'account' })
      return { url: '' }
    }
    const first = body.url === undefined ? undefined : await saveUrl(flow, accountId, 'account', body.url)
    const rotated = body.rotate_secret && first === undefined ? await rotate(flow, accountId) : undefined
    const secret = first ?? rotated
    const url = body.url ?? (await queries.account(accountId))?.accountUrl ?? ''
    return { url, ...(secret !== undefined && { secret }) }
  },
})

/** Saves a URL that the rules allow; answers the secret if this made one that may be shown. Refuses `webhook-url-refused`. */
export const saveUrl = async (flow: Flow, accountId: string, slot: WebhookSlot, url: string) => {
  allowUrl(flow, url)
  const { secret, candidate } = await newSecret(flow, accountId)
  const { events } = await flow.ledger.webhook.setUrl(accountId, { slot, url, ...candidate })
  const minted = events.some((e) => e.type === 'WebhookSecretMinted' && e.data.shown)
  return minted ? secret : undefined
}

/** Checks a URL that is kept elsewhere, and sees to it that there is a secret to sign its deliveries with. */
export const allowSignedUrl = async (flow: Flow, accountId: string, url: string): Promise<void> => {
  allowUrl(flow, url)
  await flow.ledger.webhook.needSecret(accountId, (await newSecret(flow, accountId)).candidate)
}

/** Refuses a URL that may not be called, with the reason (W-URL-01, X-SSRF-01). */
const allowUrl = (flow: Flow, url: string): void => {
  const reason = flow.outbound.refusal(url)
  if (reason !== undefined) refuse('webhook-url-refused', `this URL may not be called: ${reason}`)
}

const rotate = async (flow: Flow, accountId: string): Promise<string> => {
  const { secret, candidate } = await newSecret(flow, accountId)
  await flow.ledger.webhook.rotateSecret(accountId, candidate)
  return secret
}

const newSecret = async ({ world, vault }: Flow, accountId: string) => {
  const secret = `whsec_${world.secret(32)}`
  return { secret, candidate: { secret: await vault.seal(accountId, secret), last4: secret.slice(-4) } }
}

export const webhookEndpoints = [readWebhook, setWebhook]
