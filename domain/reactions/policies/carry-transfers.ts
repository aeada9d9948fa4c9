import { BOOKED_AT_ONCE, type NumberedTransfer } from '../../balance/purse.ts'
import {
  type AccountRef,
  accountOf,
  appRef,
  type Leg,
  type SentTransfer,
  userRef,
} from '../../balance/transfer-terms.ts'
import { idOf } from '../../kernel/decider.ts'
import type { Units } from '../../kernel/money.ts'
import type { RecordedEvent } from '../../kernel/ports.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { PolicyTogether } from '../subscriber/policy.ts'

const NAME = 'carry-transfers'
const EVENTS_MAX = 100

/**
 * Carries what was sent to its payees: each gets its part once, and the transfer is entered in the ledger; then what it
 * was for is completed, and the payer may forget it (I-BAL-01 to I-BAL-05). A payee tells by an event's place in the
 * log whether it has its part, so each gets its parts in that order.
 */
export const carryTransfers: PolicyTogether = {
  name: NAME,
  // A payer forgets its transfers up to a number, so all before it have to be booked. Many are carried at once instead.
  keys: 'in order',
  types: ['BalanceSent', 'AppCreditSent', 'CreditGrantSent', 'TopUpSettled'],
  max: EVENTS_MAX,
  async react(events, contextOf) {
    const transfers = events.map((event) => transferOf(event, contextOf(event).ledger))
    const parts = inOrder(transfers.flatMap((transfer) => transfer.data.legs.map((leg) => ({ transfer, leg }))))
    // A look at each payee first, so that parts that are sent at once find its stream in memory.
    await Promise.all(parts.filter(({ after }) => after === undefined).map(look))
    await Promise.all([...transfers.map(enter), ...parts.map(give)])
    await Promise.all(transfers.map(complete))
    await Promise.all(transfers.map(forget))
  },
}

/** The facts of a transfer; `number` and `order` are there when the stream of an account has sent it. */
type TransferFacts = SentTransfer & Partial<Pick<NumberedTransfer, 'number'>> & { order?: { remainingCap: Units } }
type Transfer = {
  readonly ledger: Ledger
  readonly data: TransferFacts
  readonly from: AccountRef | 'platform'
  readonly at: string
  readonly position: string
}
type Part = { readonly transfer: Transfer; readonly leg: Leg; readonly after?: string }

const transferOf = ({ type, stream, at, order, data }: RecordedEvent, ledger: Ledger): Transfer => {
  const from = type === 'BalanceSent' ? userRef : type === 'AppCreditSent' ? appRef : () => 'platform' as const
  return { ledger, data: data as TransferFacts, from: from(idOf(stream)), at, position: String(order) }
}

/** Gives each part the place in the log of the part before it that goes to the same account. */
const inOrder = (parts: readonly Part[]): readonly Part[] => {
  const newest = new Map<AccountRef, string>()
  return parts.map((part) => {
    const { to } = part.leg
    const after = newest.get(to)
    newest.set(to, part.transfer.position)
    return after === undefined ? part : { ...part, after }
  })
}

const look = ({ transfer: { ledger }, leg: { to } }: Part): Promise<unknown> => {
  const { kind, id } = accountOf(to)
  return (kind === 'user' ? ledger.userBalance : ledger.appCredit).recent(id)
}

const give = ({ transfer: { ledger, data, from, position }, leg: { to, amount }, after }: Part): Promise<unknown> => {
  const { kind, id } = accountOf(to)
  const { total: _total, legs: _legs, request: _request, ...terms } = termsOf(data)
  return (kind === 'user' ? ledger.userBalance : ledger.appCredit).receive(id, {
    ...terms,
    amount,
    from,
    source: NAME,
    position,
    ...(after !== undefined && { after }),
  })
}

const enter = ({ ledger, data, from, at }: Transfer): Promise<unknown> => {
  const left = data.order && { remainingCap: data.order.remainingCap }
  return ledger.ledgerEntry.book(data.ledgerRef, { ...termsOf(data), from, sentAt: at, ...left })
}

const complete = async ({ ledger, data: { kind, intentId, ledgerRef }, at }: Transfer): Promise<void> => {
  if (kind === 'intent' && intentId !== undefined)
    await ledger.intent.complete(intentId, { ledgerRef, completedAt: at })
}

/**
 * Lets the payer forget transfers that are booked. That costs a read of its stream, so it is done only where something
 * comes of it.
 */
const forget = async ({ ledger, data: { number }, from }: Transfer): Promise<void> => {
  if (from === 'platform' || number === undefined || number % BOOKED_AT_ONCE !== 0) return
  const { kind, id } = accountOf(from)
  await (kind === 'user' ? ledger.userBalance : ledger.appCredit).book(id, { number })
}

/** The terms of a transfer without what only the sender's own stream needs. */
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
}: TransferFacts): SentTransfer => ({
  transferId,
  ledgerRef,
  kind,
  total,
  legs,
  clientId,
  request,
  description,
  ...(made.intentId !== undefined && { intentId: made.intentId }),
  ...(made.mandateId !== undefined && { mandateId: made.mandateId }),
  ...(made.topUpId !== undefined && { topUpId: made.topUpId }),
})
