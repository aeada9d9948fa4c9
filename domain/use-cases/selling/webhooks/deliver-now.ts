import { storeOf } from '../../../account/stores.ts'
import { isAccepted } from '../../../kernel/accepted.ts'
import type { World } from '../../../kernel/ports.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { isGone } from '../../../selling/transactions/transaction.ts'
import type { Attempt } from '../../../selling/webhooks/delivery.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import type { UseCaseContext } from '../../context.ts'
import { signingKey, type Webhook, webhookOf } from './webhook-of.ts'

/**
 * Delivers the webhook of a completed payment once more, under an `event_id` of its own (Q-19, W-RTY-02), and waits for
 * the answer; undefined when that is not known yet. Refuses `transaction-not-found`, `state-forbids`, `no-webhook-url`.
 */
export const resendWebhook = async (
  flow: UseCaseContext,
  accountId: string,
  transactionId: string,
): Promise<Attempt | undefined> => {
  const eventId = flow.world.secret(16)
  await scheduleResend(flow.ledger, eventId, { accountId, transactionId })
  return awaitDelivery(flow, eventId)
}

type ResendRequest = { readonly accountId: string; readonly transactionId: string; readonly run?: string }

/** Schedules one more delivery, unless there is one of that id. Refuses as `resendWebhook` does. */
export const scheduleResend = async (ledger: Ledger, eventId: string, resent: ResendRequest): Promise<void> => {
  const { accountId, transactionId } = resent
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction) || transaction.accountId !== accountId) return refuse('transaction-not-found')
  if (transaction.status !== 'C' && transaction.edits.status !== 'C')
    return refuse(
      'state-forbids',
      'This transaction is not completed, so it has no webhook that could be sent again. Choose a completed one.',
    )
  if (transaction.payoutId !== undefined)
    return refuse('state-forbids', 'This transaction is a payout, and no webhook tells of a payout. Choose a sale.')
  const { url, ...whose } = await webhookOf(ledger, transaction)
  if (url === undefined)
    return refuse('no-webhook-url', 'No webhook is set for this transaction: set one by POST /v1/webhook first.')
  await ledger.delivery.schedule(eventId, { ...resent, url, ...whose, test: transaction.test, reason: 'resend' })
}

/**
 * The `event_id` under which a run sends a payment again: the same for the same run, so that the run knows what it has
 * sent.
 */
export const runEventId = (world: Pick<World, 'digest'>, run: string, transactionId: string): string =>
  world.digest(`delivery|${transactionId}|run|${run}`).slice(0, 32)

/**
 * Genuine deliveries that try a URL out: signed, logged and sent as any other, with `test:true` and a made-up record
 * (W-RTY-03, M-CLD-04).
 */

/**
 * The result of a test delivery; the outcome is undefined when it is not known yet. `wrongSignatureRefused`: what the
 * receiver made of a second call, whose signature was wrong; undefined when that is not known, or nothing was signed.
 */
export type TestDelivery = {
  readonly outcome: Attempt | undefined
  readonly signatureVerified: boolean
  readonly wrongSignatureRefused: boolean | undefined
}

/** Tries out a store's own URL. Refuses `store-not-found`, `no-webhook-url`. */
export const testStoreWebhook = async (
  flow: UseCaseContext,
  accountId: string,
  storeId: number,
): Promise<TestDelivery> => {
  const { webhookUrl } = storeOf(await flow.ledger.stores.read(accountId), storeId)
  return tryOut(flow, accountId, { slot: 'store', url: webhookUrl ?? undefined, storeId })
}

/** Tries out the URL at which a plain payment of a store would be told. Refuses `no-webhook-url`. */
export const testConnection = async (
  flow: UseCaseContext,
  accountId: string,
  storeId: number,
): Promise<TestDelivery> => {
  const payment = { accountId, storeId, webhookUrl: null, externalReference: '', edits: {}, test: false }
  return tryOut(flow, accountId, await webhookOf(flow.ledger, payment))
}

const tryOut = async (flow: UseCaseContext, accountId: string, { url, ...whose }: Webhook): Promise<TestDelivery> => {
  if (url === undefined) return refuse('no-webhook-url', 'There is no webhook URL to try out: set one first.')
  const isSigned = (await signingKey(flow, { accountId, ...whose })) !== undefined
  const send = async (wrongly: { wronglySigned?: true } = {}) => {
    const eventId = flow.world.secret(16)
    const data = { accountId, transactionId: '', url, ...whose, test: true, reason: 'test', ...wrongly } as const
    await flow.ledger.delivery.schedule(eventId, data)
    return awaitDelivery(flow, eventId)
  }
  const outcome = await send()
  // A receiver that refuses the right signature has said enough.
  if (!isSigned || outcome === undefined || !isTaken(outcome))
    return { outcome, signatureVerified: false, wrongSignatureRefused: undefined }
  const wrongSignatureRefused = refusedBy(await send({ wronglySigned: true }))
  return { outcome, signatureVerified: wrongSignatureRefused === true, wrongSignatureRefused }
}

/**
 * Whether the receiver took a signature for good. Its own word counts, as `signature_verified` in its answer; a
 * receiver that says nothing of it takes it with 2xx.
 */
const isTaken = ({ status, bodyHead }: Attempt): boolean => saidOf(bodyHead) ?? isAccepted(status)

/** Whether the receiver refused the wrong signature; undefined when it gave no answer, or was too busy for one. */
const refusedBy = (attempt: Attempt | undefined): boolean | undefined => {
  if (attempt === undefined || attempt.status === null || BUSY.has(attempt.status)) return undefined
  return !isTaken(attempt)
}
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

const saidOf = (body: string): boolean | undefined => {
  try {
    const said: unknown = JSON.parse(body)?.signature_verified
    return typeof said === 'boolean' ? said : undefined
  } catch {
    return undefined
  }
}

/** How long a caller waits for the receiver: its own seven seconds, and one for the way there. */
const ANSWER_WAIT_MS = 8_000
const LOOK_EVERY_MS = 50

/** What the receiver answered to a delivery that was scheduled; undefined when that is not known yet. */
export const awaitDelivery = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  eventId: string,
): Promise<Attempt | undefined> => {
  for (let waited = 0; waited < ANSWER_WAIT_MS; waited += LOOK_EVERY_MS) {
    await world.pause(LOOK_EVERY_MS)
    const delivery = await ledger.delivery.read(eventId)
    if (delivery.status === 'done') return delivery.outcome
  }
  return undefined
}
