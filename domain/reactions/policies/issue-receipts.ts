import { FIAT_DECIMALS, toDecimal, type Units } from '../../kernel/money.ts'
import type { RecordedEvent, World } from '../../kernel/ports.ts'
import type { EventData, LedgerEvent } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { PolicyTogether } from '../subscriber/policy.ts'

/** Each is one append to a stream of its own, so that they need not wait for each other. */
const RECEIPTS_AT_ONCE_MAX = 256

/**
 * An app is told of every payment that users made to it, and of every top-up that has settled on its word: one receipt
 * each, under an id made from the ledger reference (A-RCP-02, A-RCP-03, A-RCP-06, I-RCP-01). What is posted is written
 * down here, to the letter.
 */
export const issueReceipts: PolicyTogether = {
  name: 'issue-receipts',
  types: ['BalanceSent', 'TopUpSettled'],
  max: RECEIPTS_AT_ONCE_MAX,
  react: (events, contextOf) => Promise.all(events.map((event) => answer(event as Payment, contextOf(event)))),
}

type Payment = RecordedEvent<Extract<LedgerEvent, { type: 'BalanceSent' | 'TopUpSettled' }>>
type Context = { ledger: Ledger; world: World }

const answer = async ({ type, data }: Payment, context: Context): Promise<void> => {
  if (type === 'TopUpSettled') await issue(context, data, topUp(data))
  else if (data.kind === 'intent' || data.kind === 'standing-order') await issue(context, data, debit(data))
}

type Facts = Readonly<Record<string, string | number | null>>

const issue = async (
  { ledger, world }: Context,
  { ledgerRef, clientId }: { ledgerRef: string; clientId: string | null },
  { event, ...facts }: Facts,
): Promise<void> => {
  if (clientId === null) return
  const eventId = world.digest(`receipt|${ledgerRef}`).slice(0, 32)
  const app = await ledger.clientApp.recent(clientId)
  const url = app.status === 'none' ? null : app.backchannelUrl
  if (url === null) {
    await ledger.notification.skip(eventId, { clientId })
    return
  }
  const payload = JSON.stringify({ event, event_id: eventId, ...facts })
  await ledger.notification.schedule(eventId, { clientId, url, kind: 'receipt', payload })
}

/** Of a standing order it says which one; it was made for no intent. */
const debit = (data: EventData<'BalanceSent'>): Facts => ({
  event: 'svc.balance.debit',
  intent_id: data.intentId ?? null,
  ...money(data),
  ...(data.kind === 'standing-order' && { source: 'standing-order', mandate_id: data.mandateId ?? null }),
})

const topUp = (data: EventData<'TopUpSettled'>): Facts => ({
  event: 'svc.balance.topup',
  topup_id: data.topUpId,
  ...money(data),
  state: data.short ? 'underpaid' : 'completed',
  completed_at: data.short ? null : data.settledAt,
})

const money = ({
  clientId,
  total,
  ledgerRef,
}: {
  clientId: string | null
  total: Units
  ledgerRef: string
}): Facts => ({
  client_id: clientId,
  amount: Number(toDecimal(BigInt(total), FIAT_DECIMALS)),
  currency: 'USD',
  ledger_ref: ledgerRef,
})
