import { idOf } from '../../kernel/decider.ts'
import { isRefusal } from '../../kernel/refusal.ts'
import { holdsSealed } from '../../selling/transactions/open-record.ts'
import type { Transaction } from '../../selling/transactions/transaction.ts'
import { deliveryBody, deliveryHeaders, type ScheduledDelivery } from '../../selling/webhooks/delivery-request.ts'
import { isCleared, signingKey } from '../../use-cases/selling/webhooks/webhook-of.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'

const DELIVERIES_AT_ONCE_MAX = 32
/** Random bytes of a key that nobody has. */
const WRONG_KEY_BYTES = 32

/**
 * POSTs the full transaction record, signed, once; whatever comes of it is logged and not tried again (W-DEL-01,
 * W-RTY-01).
 */
export const sendDelivery: Effect = {
  name: 'send-delivery',
  concurrency: DELIVERIES_AT_ONCE_MAX,
  on: {
    DeliveryScheduled: (event, context) => deliver(event, context),
  },
}

/** Sends what was scheduled, unless that was done before. */
export const deliver = async (event: ScheduledDelivery, context: DeliveryContext): Promise<void> => {
  const { ledger, world, outbound } = context
  const eventId = idOf(event.stream)
  if ((await ledger.delivery.read(eventId)).status !== 'scheduled') return
  const transaction = event.data.reason === 'test' ? undefined : await completed(ledger, event.data)
  const body = await deliveryBody(context.vault, event, transaction)
  const digest = await digestOf(context, body, transaction)
  const secret = await signingKey(context, event.data)
  const key = event.data.wronglySigned ? world.secret(WRONG_KEY_BYTES) : secret
  const at = world.now()
  // Whoever cleared a webhook while this delivery waited is not called any more.
  if (await isCleared(ledger, event.data)) {
    const unsent = { status: null, reason: 'webhook-cleared', bodyHead: '', durationMs: 0, signed: false }
    await ledger.delivery.record(eventId, { ...unsent, attemptedAt: at.toISOString() })
    return
  }
  const signature = key === undefined ? undefined : outbound.sign(key, at, body)
  const headers = deliveryHeaders(eventId, signature, event.cause.correlationId)
  const isBuiltIn = event.data.slot === 'receiver' && event.data.test
  const { status, reason, bodyHead, durationMs } = isBuiltIn
    ? outbound.receive(secret, world.now(), body, headers)
    : await outbound.post(event.data.url, body, headers)
  await ledger.delivery.record(eventId, {
    status: status ?? null,
    reason: reason ?? null,
    bodyHead,
    durationMs,
    attemptedAt: at.toISOString(),
    ...digest,
    signed: signature !== undefined,
  })
}

/**
 * The digest of a body. It is made before the body is sent, because a failure afterwards would have it sent again. None
 * when the account was erased meanwhile.
 */
const digestOf = async ({ vault, world }: DeliveryContext, body: string, transaction: Transaction | undefined) => {
  const bodySha256 = world.digest(body)
  if (!transaction || !holdsSealed(transaction)) return { bodySha256 }
  try {
    return { sealedSha256: await vault.seal(transaction.accountId, bodySha256) }
  } catch (error) {
    if (isRefusal(error, 'not-found')) return {}
    throw error
  }
}

type DeliveryContext = Pick<EffectContext, 'ledger' | 'world' | 'vault' | 'outbound'>

/**
 * The completed transaction of a delivery. The remembered one will do for the first delivery: it holds all that was
 * written before. A transaction that is sent again may have been edited since by another process.
 */
const completed = async (
  ledger: Ledger,
  { transactionId, reason }: ScheduledDelivery['data'],
): Promise<Transaction> => {
  const remembered = await ledger.transaction.recent(transactionId)
  if (remembered.status === 'C' && reason === undefined) return remembered
  return (await ledger.transaction.read(transactionId)) as Transaction
}
