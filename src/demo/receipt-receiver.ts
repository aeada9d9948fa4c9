import { isSigned } from '../../adapters/outbound/webhook-signature.ts'

/**
 * An app's back-channel endpoint for receipts as it should be written (A-RCP-07, L-AUT-06): it checks the signature
 * over the text of the field `payload`, refuses what is too old and what is another app's, takes each receipt once, and
 * answers before it does the work.
 */

/**
 * Event ids remembered; a receipt may come again for as long as the ladder is, or when it is replayed: a real app keeps
 * them for good.
 */
const EVENTS_KEPT = 10_000

/** Further fields are passed on and not looked at. */
export type ReceiptEvent = { readonly event: string; readonly event_id: string; readonly client_id: string }

export type ReceiptReceiver = {
  /** The status to answer with. `form` is the body as it came. */
  receive(form: string, headers: Readonly<Record<string, string | undefined>>): 200 | 400 | 401 | 403
}

/** `book` is called afterwards, once for each receipt; it may take its time. */
export const createReceiptReceiver = (
  { clientId, secret }: { clientId: string; secret: string },
  book: (receipt: ReceiptEvent) => unknown,
  now = () => Date.now(),
): ReceiptReceiver => {
  const seen = new Set<string>()
  return {
    receive(form, headers) {
      const payload = new URLSearchParams(form).get('payload') ?? ''
      if (!isSigned(payload, headers['x-webhook-signature'] ?? '', secret, now() / 1000)) return 401
      const receipt = parsed(payload)
      if (!receipt) return 400
      if (receipt.client_id !== clientId) return 403
      if (seen.has(receipt.event_id)) return 200
      seen.add(receipt.event_id)
      if (seen.size > EVENTS_KEPT) seen.delete(seen.values().next().value as string)
      setImmediate(() => book(receipt))
      return 200
    },
  }
}

const parsed = (payload: string): ReceiptEvent | undefined => {
  try {
    const { event, event_id, client_id, ...rest } = JSON.parse(payload) as Partial<ReceiptEvent>
    if (typeof event !== 'string' || typeof event_id !== 'string' || typeof client_id !== 'string') return undefined
    return { event, event_id, client_id, ...rest }
  } catch {
    return undefined
  }
}
