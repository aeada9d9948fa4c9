import { z } from 'zod'
import type { WebhookReceiver } from '../../../../domain/account/webhook.ts'
import { newWebhookSecret } from '../../../../domain/use-cases/account/stores.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { AuditReads } from '../../core/audit-reads.ts'
import { endpoint } from '../../core/endpoint.ts'
import { RECEIVED_DAYS, RECEIVED_SHOWN_MAX, ReceivedWebhook, sentAs } from '../../core/sent-webhooks.ts'

/**
 * What a seller takes instead of a webhook URL, and what the built-in receiver got (N-86). It is told of test sales
 * alone: a live payment without a URL is told to nobody.
 */

const MS_PER_DAY = 86_400_000

const path = '/v1/webhook/receiver'

export const Receiver = z.enum(['built-in', 'none'])

const read = endpoint({
  method: 'get',
  path,
  summary: `What the built-in receiver got for test sales in the last ${RECEIVED_DAYS} days, at most ${RECEIVED_SHOWN_MAX}, the newest first`,
  auth: 'key',
  reach: 'account',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  returns: z.object({ receiver: z.union([Receiver, z.literal('')]), webhooks: z.array(ReceivedWebhook) }),
  async answer({ actor: { accountId }, flow, queries, audit }) {
    const { receiver } = await flow.ledger.webhook.read(accountId)
    return {
      receiver: receiver ?? ('' as const),
      webhooks: [...(await receivedWebhooks({ flow, queries, audit }, accountId))],
    }
  },
})

const choose = endpoint({
  method: 'post',
  path,
  summary:
    'Choose what is told where no webhook URL is set: the built-in receiver, of test sales alone, or nobody. GET shows what came',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'settings.edit' },
  body: z.object({ receiver: Receiver }),
  returns: z.object({ receiver: Receiver }),
  async answer({ body: { receiver }, actor: { accountId }, flow }) {
    await chooseReceiver(flow, accountId, receiver)
    return { receiver }
  },
})

export const webhookReceiverEndpoints = [read, choose]

/** Chooses what is told where there is no URL; the same for every way of asking. */
export const chooseReceiver = async (
  flow: UseCaseContext,
  accountId: string,
  receiver: WebhookReceiver,
): Promise<void> => {
  const { kept } = await newWebhookSecret(flow, accountId)
  await flow.ledger.webhook.chooseReceiver(accountId, { receiver, ...kept })
}

type Reads = { readonly flow: UseCaseContext; readonly queries: Queries; readonly audit: AuditReads }

/** What the built-in receiver got for an account, the newest first. */
export const receivedWebhooks = async (
  { flow, queries, audit }: Reads,
  accountId: string,
): Promise<readonly ReceivedWebhook[]> => {
  const since = new Date(flow.world.now().getTime() - RECEIVED_DAYS * MS_PER_DAY).toISOString()
  const rows = await queries.receivedWebhooks(accountId, since, RECEIVED_SHOWN_MAX)
  const received: ReceivedWebhook[] = []
  for (const { eventId, transactionId, scheduledAt } of rows) {
    const sent = await audit.sentWebhook(eventId, transactionId)
    if (!sent) continue
    const { signature = '', signature_verified = false } = answerOf(sent.outcome?.bodyHead)
    const { request_headers, ...body } = sentAs(sent)
    received.push({
      event_id: eventId,
      transaction_id: transactionId,
      scheduled_at: scheduledAt,
      received_at: sent.outcome?.attemptedAt ?? null,
      http_status: sent.outcome?.status ?? null,
      signature,
      signature_verified,
      request_headers: signature === '' ? request_headers : { ...request_headers, 'X-Webhook-Signature': signature },
      ...body,
    })
  }
  return received
}

/** What the receiver said: its answer tells the signature that it was sent, and what it made of that. */
const Answer = z.object({ signature: z.string(), signature_verified: z.boolean() }).partial()

const answerOf = (bodyHead: string | undefined): z.output<typeof Answer> => {
  try {
    return Answer.parse(JSON.parse(bodyHead ?? '{}'))
  } catch {
    return {}
  }
}
