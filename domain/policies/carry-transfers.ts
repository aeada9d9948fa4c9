import { BOOKED_AT_ONCE } from '../balance/purse.ts'
import { type AccountRef, accountOf, appRef, type Received, type Sent, userRef } from '../balance/transfer-terms.ts'
import type { Ledger } from '../ledger.ts'
import type { Units } from '../money.ts'
import { idOf, type Policy } from '../policy.ts'

/**
 * What was sent reaches its payees: each gets its part once and the transfer is entered in the ledger; then what it was for is completed, and
 * who paid may forget it. It keeps the order of the log, because payees tell by an event's place in it whether they have their part (I-BAL-01 to
 * I-BAL-05).
 */
export const carryTransfers: Policy = {
  name: 'carry-transfers',
  on: {
    BalanceSent: async (event, { ledger }) => {
      const { stream, data, at } = event
      await carry(ledger, event, userRef(idOf(stream)), data.order?.remainingCap)
      const { kind, intentId, ledgerRef, number } = data
      if (kind === 'intent' && intentId !== undefined)
        await ledger.intent.complete(intentId, { ledgerRef, completedAt: at })
      if (isTimeToBook(number)) await ledger.userBalance.book(idOf(stream), { number })
    },
    AppCreditSent: async (event, { ledger }) => {
      const { stream, data } = event
      await carry(ledger, event, appRef(idOf(stream)))
      if (isTimeToBook(data.number)) await ledger.appCredit.book(idOf(stream), { number: data.number })
    },
    CreditGrantSent: (event, { ledger }) => carry(ledger, event, 'platform'),
    TopUpSettled: (event, { ledger }) => carry(ledger, event, 'platform'),
  },
}

type Carried = { readonly data: Sent; readonly at: string; readonly order: bigint }

const carry = async (
  ledger: Ledger,
  { data, at, order }: Carried,
  from: AccountRef | 'platform',
  remainingCap?: Units,
): Promise<void> => {
  const sent = termsOf(data)
  const { total: _total, legs, request: _request, ...terms } = sent
  const entry = { ...sent, from, sentAt: at, ...(remainingCap !== undefined && { remainingCap }) }
  await Promise.all([
    ledger.ledgerEntry.book(data.ledgerRef, entry),
    ...legs.map(({ to, amount }) =>
      receive(ledger, to, { ...terms, amount, from, source: carryTransfers.name, position: String(order) }),
    ),
  ])
}

const receive = (ledger: Ledger, to: AccountRef, part: Received) => {
  const { kind, id } = accountOf(to)
  return (kind === 'user' ? ledger.userBalance : ledger.appCredit).receive(id, part)
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

/** Asking costs a look at the stream, so it is asked where something may come of it. */
const isTimeToBook = (number: number): boolean => number % BOOKED_AT_ONCE === 0
