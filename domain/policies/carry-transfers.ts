import type { LedgerEntryEvents } from '../balance/ledger-entry.ts'
import { BOOKED_AT_ONCE, type Receiving } from '../balance/purse.ts'
import { type AccountRef, accountOf, appRef, type Received, type Sent, userRef } from '../balance/transfer-terms.ts'
import type { LedgerEvent } from '../deciders.ts'
import type { Ledger } from '../ledger.ts'
import { idOf, type PolicyTogether } from '../policy.ts'
import type { Recorded } from '../ports.ts'

/**
 * What was sent reaches its payees: each gets its part once and the transfer is entered in the ledger; then what it was for is completed, and
 * who paid may forget it. Payees tell by an event's place in the log whether they have their part, so each part says which one goes before it;
 * so many can be on their way at once (I-BAL-01 to I-BAL-05).
 */
export const carryTransfers: PolicyTogether = {
  name: 'carry-transfers',
  types: ['BalanceSent', 'AppCreditSent', 'CreditGrantSent', 'TopUpSettled'],
  max: 200,
  async react(events, contextOf) {
    const before = new Map<AccountRef, string>()
    await Promise.all(
      (events as readonly Transfer[]).map((event) => {
        const { ledger } = contextOf(event)
        const parts = partsOf(event).map(([to, part]) => {
          const after = before.get(to)
          before.set(to, part.position)
          return receive(ledger, to, { ...part, ...(after !== undefined && { after }) })
        })
        return Promise.all([
          ...parts,
          ledger.ledgerEntry.book(event.data.ledgerRef, entryOf(event)),
          completed(ledger, event),
        ])
      }),
    )
    // Only when all of them are booked: what is forgotten is answered by its entry from then on.
    for (const event of events as readonly Transfer[]) await forgotten(contextOf(event).ledger, event)
  },
}

type Transfer = Recorded<
  Extract<LedgerEvent, { type: 'BalanceSent' | 'AppCreditSent' | 'CreditGrantSent' | 'TopUpSettled' }>
>

const payerOf = ({ type, stream }: Transfer): AccountRef | 'platform' => {
  if (type === 'BalanceSent') return userRef(idOf(stream))
  return type === 'AppCreditSent' ? appRef(idOf(stream)) : 'platform'
}

const partsOf = (event: Transfer): readonly (readonly [AccountRef, Received])[] => {
  const { total: _total, legs, request: _request, ...terms } = termsOf(event.data)
  const answers = { source: carryTransfers.name, position: String(event.order) }
  return legs.map(({ to, amount }) => [to, { ...terms, amount, from: payerOf(event), ...answers }])
}

const entryOf = (event: Transfer): LedgerEntryEvents['LedgerEntryBooked'] => ({
  ...termsOf(event.data),
  ...{ from: payerOf(event), sentAt: event.at },
  ...(event.type === 'BalanceSent' && event.data.order && { remainingCap: event.data.order.remainingCap }),
})

const receive = (ledger: Ledger, to: AccountRef, part: Receiving) => {
  const { kind, id } = accountOf(to)
  return (kind === 'user' ? ledger.userBalance : ledger.appCredit).receive(id, part)
}

const completed = async (ledger: Ledger, { type, data, at }: Transfer) => {
  if (type === 'BalanceSent' && data.kind === 'intent' && data.intentId !== undefined)
    await ledger.intent.complete(data.intentId, { ledgerRef: data.ledgerRef, completedAt: at })
}

/** Asking costs a look at the stream, so it is asked where something may come of it. */
const forgotten = async (ledger: Ledger, event: Transfer) => {
  const { type, stream, data } = event
  if (type !== 'BalanceSent' && type !== 'AppCreditSent') return
  const { number } = data
  if (number % BOOKED_AT_ONCE === 0)
    await (type === 'BalanceSent' ? ledger.userBalance : ledger.appCredit).book(idOf(stream), { number })
}

/** Without what only the sender's own stream needs. */
const termsOf = ({
  transferId,
  ledgerRef,
  kind,
  total,
  legs,
  clientId,
  request,
  description,
  ...made
}: Sent): Sent => ({
  ...{ transferId, ledgerRef, kind, total, legs, clientId, request, description },
  ...(made.intentId !== undefined && { intentId: made.intentId }),
  ...(made.mandateId !== undefined && { mandateId: made.mandateId }),
  ...(made.topUpId !== undefined && { topUpId: made.topUpId }),
})
