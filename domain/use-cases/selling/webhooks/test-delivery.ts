import { storeOf } from '../../../account/stores.ts'
import { isAccepted } from '../../../kernel/accepted.ts'
import { refuse } from '../../../kernel/refusal.ts'
import type { Attempt } from '../../../selling/webhooks/delivery.ts'
import type { UseCaseContext } from '../../context.ts'
import { awaitDelivery } from './await-delivery.ts'
import { signingKey } from './signing-key.ts'
import { type Webhook, webhookOf } from './webhook-of.ts'

/**
 * Genuine deliveries that try a URL out: signed, logged and sent as any other, with `test:true` and a made-up record
 * (W-RTY-03, M-CLD-04).
 */

/** What came of it; the outcome is undefined when it is not known yet. */
export type TestDelivery = { readonly outcome: Attempt | undefined; readonly signatureVerified: boolean }

/** To a store's own URL. Refuses `store-not-found`, `no-webhook-url`. */
export const testStoreWebhook = async (
  flow: UseCaseContext,
  accountId: string,
  storeId: number,
): Promise<TestDelivery> => {
  const { webhookUrl } = storeOf(await flow.ledger.stores.read(accountId), storeId)
  return tryOut(flow, accountId, { slot: 'store', url: webhookUrl ?? undefined, storeId })
}

/** To the URL at which a plain payment of a store would be told. Refuses `no-webhook-url`. */
export const testConnection = async (
  flow: UseCaseContext,
  accountId: string,
  storeId: number,
): Promise<TestDelivery> => {
  const payment = { accountId, storeId, webhookUrl: null, externalReference: '', edits: {} }
  return tryOut(flow, accountId, await webhookOf(flow.ledger, payment))
}

const tryOut = async (flow: UseCaseContext, accountId: string, { url, ...whose }: Webhook): Promise<TestDelivery> => {
  if (url === undefined) return refuse('no-webhook-url', 'There is no webhook URL to try out: set one first.')
  const isSigned = (await signingKey(flow, { accountId, ...whose })) !== undefined
  const eventId = flow.world.secret(16)
  const data = { accountId, transactionId: '', url, ...whose, test: true, reason: 'test' } as const
  await flow.ledger.delivery.schedule(eventId, data)
  const outcome = await awaitDelivery(flow, eventId)
  return { outcome, signatureVerified: isSigned && outcome !== undefined && isVerified(outcome) }
}

/** What the receiver itself says of the signature counts; one that says nothing of it has accepted it with 2xx. */
const isVerified = ({ status, bodyHead }: Attempt): boolean => saidOf(bodyHead) ?? isAccepted(status)

const saidOf = (body: string): boolean | undefined => {
  try {
    const said: unknown = JSON.parse(body)?.signature_verified
    return typeof said === 'boolean' ? said : undefined
  } catch {
    return undefined
  }
}
