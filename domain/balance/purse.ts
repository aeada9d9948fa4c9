import { isAnswered } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { ReceivedPart, SentTransfer } from './transfer-terms.ts'

/**
 * What every account that sends money keeps: its balance, the place up to which it has received, and the transfers that
 * it has sent and that are not booked yet. A transfer is booked once its payees have their parts and its ledger entry
 * stands; from then on the entry answers whoever asks again, so that the state stays small for ever.
 */

export type Purse = {
  readonly balance: bigint
  /** The place in the ledger's order of the newest event that was answered, keyed by its source. */
  readonly seen: { readonly [source: string]: bigint }
  /** The number of transfers that were sent, and the number up to which all are booked and forgotten here. */
  readonly sent: number
  readonly booked: number
  readonly unbooked: { readonly [transferId: string]: UnbookedTransfer }
}

type UnbookedTransfer = {
  readonly number: number
  readonly request: string
  readonly ledgerRef: string
  readonly total: Units
  /** What a debit left of its standing order's lifetime cap, for whoever asks again. */
  readonly remainingCap?: Units
}

/** A transfer on its way in. */
export type TransferRequest = SentTransfer & {
  /** How many transfers the sender's state had when the ledger entry was looked for and not found. */
  known: number
  /** Time from which it must not be sent any more. */
  until?: string
}

/** `number` is the sender's own count, `balance` what it is left with. */
export type NumberedTransfer = SentTransfer & { number: number; balance: Units }
/** A part that came in, and the balance of the account with it. */
export type CountedPart = ReceivedPart & { balance: Units }

/** Transfers that may be under way at once; more wait until some are booked. */
const UNBOOKED_MAX = 1_000
/** Number of booked transfers that are forgotten at once. */
export const BOOKED_AT_ONCE = 50

export const EMPTY: Purse = { balance: 0n, seen: {}, sent: 0, booked: 0, unbooked: {} }

/**
 * A new transfer as it is written; undefined when it was sent before. Refuses `idempotency-conflict`, `busy`,
 * `intent-expired`, `amount-not-positive`.
 */
export const numberedTransfer = (
  purse: Purse,
  { known, until, ...sent }: TransferRequest,
  now: string,
): NumberedTransfer | undefined => {
  const before = purse.unbooked[sent.transferId]
  if (before) return before.request === sent.request ? undefined : refuse('idempotency-conflict')
  // It may have been sent and booked since its entry was looked for.
  if (known < purse.booked) return refuse('busy', 'the entry is not found yet')
  if (until !== undefined && now >= until) return refuse('intent-expired')
  if (purse.sent - purse.booked >= UNBOOKED_MAX) return refuse('busy', 'too many transfers are under way')
  const total = sent.legs.reduce((sum, { amount }) => sum + positive(amount), 0n)
  if (total !== positive(sent.total) || new Set(sent.legs.map(({ to }) => to)).size !== sent.legs.length)
    throw new Error(`the legs of ${sent.transferId} do not make up its total`)
  return { ...sent, number: purse.sent + 1, balance: String(purse.balance - total) }
}

/** A part on its way to its account. */
export type ArrivingPart = ReceivedPart & {
  /** The place of the part that was sent to the account just before, when that may still be on its way too. */
  after?: string
}

/**
 * An account's part as it is written; undefined when the account has it. Refuses `busy` while the one before is
 * missing, `amount-not-positive`.
 */
export const countedPart = ({ seen, balance }: Purse, { after, ...data }: ArrivingPart): CountedPart | undefined => {
  if (isAnswered(seen, { ...data, after })) return undefined
  return { ...data, balance: String(balance + positive(data.amount)) }
}

/**
 * The number up to which transfers can be forgotten once this one and all before it are booked; undefined while those
 * are too few.
 */
export const bookableNumber = ({ booked, sent }: Purse, number: number): number | undefined =>
  number <= sent && number - booked >= BOOKED_AT_ONCE ? number : undefined

export const withSent = <P extends Purse>(
  purse: P,
  { transferId, number, request, ledgerRef, total, balance }: NumberedTransfer,
  remainingCap?: Units,
): P => ({
  ...purse,
  balance: BigInt(balance),
  sent: number,
  unbooked: {
    ...purse.unbooked,
    [transferId]: { number, request, ledgerRef, total, ...(remainingCap !== undefined && { remainingCap }) },
  },
})

export const withReceived = <P extends Purse>(purse: P, { balance, source, position }: CountedPart): P => ({
  ...purse,
  balance: BigInt(balance),
  seen: { ...purse.seen, [source]: BigInt(position) },
})

export const withBooked = <P extends Purse>(purse: P, through: number): P => ({
  ...purse,
  booked: through,
  unbooked: Object.fromEntries(Object.entries(purse.unbooked).filter(([, { number }]) => number > through)),
})

const positive = (amount: Units): bigint => {
  const units = BigInt(amount)
  return units > 0n ? units : refuse('amount-not-positive')
}
