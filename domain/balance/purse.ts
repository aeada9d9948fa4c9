import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { ReceivedPart, SentTransfer } from './transfer-terms.ts'

/**
 * What every account that sends money keeps: its balance, up to where it has received, and the transfers it has sent
 * that are not booked yet. A transfer is booked once its payees have their parts and its ledger entry stands; from then
 * on the entry answers who asks again, so that the state stays small for ever.
 */

export type Purse = {
  readonly balance: bigint
  /** Per source, the place in the ledger's order of the newest event that was answered. */
  readonly seen: { readonly [source: string]: bigint }
  /** How many transfers were sent, and up to which of them all are booked and forgotten here. */
  readonly sent: number
  readonly booked: number
  readonly unbooked: { readonly [transferId: string]: UnbookedTransfer }
}

type UnbookedTransfer = {
  readonly number: number
  readonly request: string
  readonly ledgerRef: string
  readonly total: Units
  /** What a debit left of its standing order's lifetime cap, for who asks again. */
  readonly remainingCap?: Units
}

/** A transfer on its way in. */
export type TransferRequest = SentTransfer & {
  /** How many transfers the sender's state had when the ledger entry was looked for and not found. */
  known: number
  /** It is not sent from then on, whoever decides it and however late. */
  until?: string
}

/** `number` is the sender's own count, `balance` what it is left with. */
export type NumberedTransfer = SentTransfer & { number: number; balance: Units }
/** What came in, and what the account has with it. */
export type CountedPart = ReceivedPart & { balance: Units }

/** Transfers that may be under way at once; more wait until some are booked. */
const UNBOOKED_MAX = 1_000
/** Booked transfers are forgotten so many at a time. */
export const BOOKED_AT_ONCE = 50

export const EMPTY: Purse = { balance: 0n, seen: {}, sent: 0, booked: 0, unbooked: {} }

/**
 * What a new transfer is written as; undefined when it was sent before. Refuses `idempotency-conflict`, `busy`,
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
  if (known < purse.booked) return refuse('busy', 'the entry has to be looked for again')
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
 * What an account's part is written as; undefined when it has it. Refuses `busy` while the one before is missing,
 * `amount-not-positive`.
 */
export const countedPart = ({ seen, balance }: Purse, { after, ...data }: ArrivingPart): CountedPart | undefined => {
  const newest = seen[data.source] ?? -1n
  if (BigInt(data.position) <= newest) return undefined
  // Parts count up to the newest one: to take a later one first would lose the one before.
  if (after !== undefined && newest < BigInt(after)) return refuse('busy', 'the part before is still on its way')
  return { ...data, balance: String(balance + positive(data.amount)) }
}

/**
 * Up to which number transfers can be forgotten when this one is booked, and all before it; undefined when it is not
 * time yet.
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
