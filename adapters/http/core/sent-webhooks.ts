import { z } from 'zod'
import type { SentWebhook } from '../../../domain/reading/sent-webhook.ts'
import type { AuditReads } from './audit-reads.ts'

/** Webhooks as they were sent, for whoever may see the transaction that they tell of. */

/** Webhooks of one list that are shown with what was sent: the newest. Each is made again from its own stream. */
export const SENT_SHOWN_MAX = 20
/** Bytes of a body that is shown; a longer one is left out. */
const BODY_BYTES_MAX = 65_536

export const sentFields = {
  request_headers: z.record(z.string(), z.string()),
  request_body: z.string().nullable(),
  /**
   * `same`: its digest is the one that was noted when it was sent. `likely`: none was noted, or it is under way.
   * `erased`, `different`: it is not what was sent. `too-long` and `gone`: there is no body to show.
   */
  request_body_is: z.enum(['same', 'likely', 'erased', 'different', 'too-long', 'gone']),
}

export type SentFields = z.output<z.ZodObject<typeof sentFields>>

/** What was sent to each of the newest of these deliveries, by their event ids; `rows` come oldest first. */
export const sentOf = async (
  audit: AuditReads,
  transactionId: string,
  rows: readonly { readonly eventId: string }[],
): Promise<ReadonlyMap<string, SentFields>> => {
  const shown = new Map<string, SentFields>()
  for (const { eventId } of rows.slice(-SENT_SHOWN_MAX)) {
    const sent = await audit.sentWebhook(eventId, transactionId)
    if (sent) shown.set(eventId, sentAs(sent))
  }
  return shown
}

export const sentAs = ({ headers, body }: SentWebhook): SentFields => {
  const none = (reason: 'too-long' | 'gone') => ({ request_body: null, request_body_is: reason })
  if (body === undefined) return { request_headers: { ...headers }, ...none('gone') }
  const fits = Buffer.byteLength(body.text) <= BODY_BYTES_MAX
  const shown = fits ? { request_body: body.text, request_body_is: body.proof } : none('too-long')
  return { request_headers: { ...headers }, ...shown }
}

/** Webhooks of the built-in receiver that are shown of an account, the newest ones. */
export const RECEIVED_SHOWN_MAX = 20
/** Days for which a webhook is shown. */
export const RECEIVED_DAYS = 7

export const ReceivedWebhook = z
  .object({
    event_id: z.string(),
    transaction_id: z.string(),
    scheduled_at: z.string(),
    received_at: z.string().nullable(),
    http_status: z.int().nullable(),
    signature: z.string(),
    signature_verified: z.boolean(),
    ...sentFields,
  })
  .meta({
    id: 'ReceivedWebhook',
    description:
      'A webhook of a test sale as the built-in receiver got it. `signature_verified`: what that found when it came. `received_at` is null while it is under way.',
  })

export type ReceivedWebhook = z.output<typeof ReceivedWebhook>
