import type { EventData } from '../deciders.ts'
import type { Ledger } from '../ledger.ts'
import { FIAT_DECIMALS, toDecimal, type Units } from '../money.ts'
import type { Policy } from '../policy.ts'
import type { World } from '../ports.ts'

/**
 * An app is told of every payment that users made to it, and of every top-up that has settled on its word: one receipt each, under an id made
 * from the ledger reference (A-RCP-02, A-RCP-03, A-RCP-06, I-RCP-01). What is posted is written down here, to the letter.
 */
export const issueReceipts: Policy = {
  name: 'issue-receipts',
  on: {
    BalanceSent: async ({ data }, context) => {
      if (data.kind === 'intent' || data.kind === 'standing-order') await issue(context, data, debit(data))
    },
    TopUpSettled: ({ data }, context) => issue(context, data, topUp(data)),
  },
}

type Facts = Readonly<Record<string, string | number | null>>

const issue = async (
  { ledger, world }: { ledger: Ledger; world: World },
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
