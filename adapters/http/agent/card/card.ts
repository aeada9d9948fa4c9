import { z } from 'zod'
import { WEBHOOK_EVENTS } from '../../../../domain/card/ports.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { closePagesOf } from '../../../../domain/use-cases/card/close.ts'
import { takeNotice } from '../../../../domain/use-cases/card/notice.ts'
import {
  connectProcessor,
  disconnectProcessor,
  hookUrl,
  processorOf,
} from '../../../../domain/use-cases/card/processor.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint } from '../../core/endpoint.ts'

/**
 * The seller's own card processor (J-CARD-01 to J-CARD-07). No secret is ever in an answer, only its kind and its last
 * four characters.
 */

const KEY_MAX = 300

const Shown = z
  .object({
    configured: z.boolean(),
    active: z.boolean(),
    mode: z.enum(['live', 'test']).nullable(),
    secret_key: z.string().nullable(),
    product_id: z.string().nullable(),
    webhook_secret: z.string().nullable(),
    publishable_key: z.string().nullable(),
    webhook_endpoint: z.string(),
    webhook_events: z.array(z.string()),
  })
  .meta({
    id: 'CardProcessor',
    description:
      'The card processor, its secrets masked. `webhook_endpoint` and `webhook_events` are what its webhook has to be set to, and known before there are keys.',
  })

const common = { path: '/v1/card-processor', auth: 'key', reach: 'account' } as const

const read = endpoint({
  ...common,
  method: 'get',
  summary: 'The card processor, its secrets masked, and what its webhook has to be set to',
  callers: { capability: 'payments.processors.view', sandbox: 'secret' },
  returns: Shown,
  answer: ({ actor, flow }) => shown(flow, actor.accountId),
})

const connect = endpoint({
  ...common,
  method: 'post',
  summary: 'Connect the own account at a card processor; keys and product are checked there before anything is kept',
  callers: { capability: 'payments.processors.edit' },
  body: z.object({
    secret_key: z
      .string()
      .min(1)
      .max(KEY_MAX)
      .meta({ examples: ['sk_live_…', 'rk_test_…'] }),
    product_id: z
      .string()
      .min(1)
      .max(KEY_MAX)
      .meta({ examples: ['prod_…'] }),
    webhook_secret: z
      .string()
      .min(1)
      .max(KEY_MAX)
      .meta({ examples: ['whsec_…'] }),
    publishable_key: z
      .string()
      .min(1)
      .max(KEY_MAX)
      .optional()
      .meta({ examples: ['pk_live_…'] }),
  }),
  returns: Shown.extend({ warnings: z.array(z.string()).optional() }),
  refusals: ['card-processor-invalid', 'unavailable'],
  async answer({ body, actor: { accountId }, flow, queries }) {
    const { secret_key: secretKey, product_id: productId, webhook_secret: webhookSecret, publishable_key } = body
    const keys = { secretKey, productId, webhookSecret, publishableKey: publishable_key ?? null }
    const { warnings } = await connectProcessor(flow, accountId, keys, () =>
      closePagesOf(flow, accountId, queries.openCardPages),
    )
    return { ...(await shown(flow, accountId)), ...(warnings.length > 0 && { warnings: [...warnings] }) }
  },
})

const disconnect = endpoint({
  ...common,
  method: 'delete',
  summary: 'Forget the card processor; buyers pay on chains alone from then on',
  callers: { capability: 'payments.processors.edit' },
  returns: z.object({ configured: z.literal(false), cleared: z.literal(true) }),
  async answer({ actor: { accountId }, flow, queries }) {
    await disconnectProcessor(flow, accountId, () => closePagesOf(flow, accountId, queries.openCardPages))
    return { configured: false as const, cleared: true as const }
  },
})

const shown = async (flow: UseCaseContext, accountId: string): Promise<z.input<typeof Shown>> => {
  const processor = await flow.ledger.cardProcessor.read(accountId)
  const kept = processor.status === 'connected' ? processor : undefined
  return {
    configured: kept !== undefined,
    active: kept !== undefined,
    mode: kept?.mode ?? null,
    secret_key: kept?.secretKeyHint ?? null,
    product_id: kept?.productId ?? null,
    webhook_secret: kept?.webhookSecretHint ?? null,
    publishable_key: kept?.publishableKey ?? null,
    webhook_endpoint: hookUrl(flow, accountId),
    webhook_events: [...WEBHOOK_EVENTS],
  }
}

const cardProcessorEndpoints = [read, connect, disconnect]

/**
 * The address at which a card processor reports what became of a payment. A caller who is not believed is told nothing,
 * not even whether there is such a seller.
 */

const hook = endpoint({
  method: 'post',
  path: '/hooks/card/:id',
  summary: 'A card processor reports what became of a payment; only what it has signed is believed',
  auth: 'none',
  limits: { perTarget: true, pays: true },
  waits: 'before',
  takes: { raw: true },
  params: z.object({ id: z.string().max(64) }),
  headers: z.object({ 'stripe-signature': z.string().max(4_096).optional() }),
  body: z.object({ raw: z.string() }),
  returns: z.object({ received: z.literal(true) }),
  refusals: ['invalid-request', 'unavailable'],
  async answer({ params, headers, body, flow, queries }) {
    const accountId = await queries.cardHookOwner(params.id)
    const processor = accountId === undefined ? undefined : await processorOf(flow, accountId)
    const signature = headers['stripe-signature'] ?? ''
    const secret = processor?.webhookSecret ?? NOBODYS
    const notice = await flow.cards.notice(secret, body.raw, signature, flow.world.now())
    if (!notice || !processor || accountId === undefined)
      return refuse(
        'invalid-request',
        'This notice is not signed as it should be. Give us the newest signing secret of the card processor’s webhook.',
      )
    await takeNotice(flow, accountId, notice, queries.cardPaymentOf)
    return { received: true as const }
  },
})

/**
 * The secret that is checked for an address that nobody has, so that the answer is the same. The answer still comes
 * sooner: for a known address, the keys are read and opened first. Whoever times that learns that an address that they
 * already know belongs to somebody.
 */
const NOBODYS = 'whsec_nobody'

const cardHookEndpoints = [hook]

/** The card rail of a seller: its processor, and what that reports. */
export const cardEndpoints = [...cardProcessorEndpoints, ...cardHookEndpoints]
