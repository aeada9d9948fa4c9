import { mulDivFloor, toDecimal, type Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import { type LockedWorth, rateBySale, shareOf, shareOfWorth, worthBySale } from '../sale-rate.ts'

/**
 * The refund of a payment in a coin. Daybook holds no money, so there are two things: what the seller says that it gave
 * back, and what a chain shows of that (N-68, Q-30).
 */

/** What was paid in a coin: what a refund is measured by. */
export type PaidCoin = {
  network: string
  /** What transfers call the coin: the code of the catalogue, or the contract of any other token. */
  asset: string
  decimals: number
  /** All that came, and what was asked for. */
  received: Units
  asked: Units
  /** The price in millionths of its currency, and the same in US dollars. */
  amount: Units
  currency: string
  usd: Units
  /** The VAT in `amount`; absent when the sale is not taxed. */
  vat?: Units
  test: boolean
} & LockedWorth

/** A recorded refund in a coin, as its event tells it. */
export type RefundedCoin = {
  network: string
  asset: string
  decimals: number
  /** The amount that is recorded now, and the sum of all that is recorded. */
  amount: Units
  total: Units
  /** What it takes off the earnings, in millionths of a US dollar. */
  usd: Units
  /** What it is worth at the rate of the sale. */
  worth: RefundWorth
  test: boolean
} & UnsoldParts

/** What of a refund gives back no income of the sale, in the coin's smallest unit; absent where it is nothing. */
export type UnsoldParts = {
  /** The VAT of the sale. */
  vat?: Units
  /** What had come above the price; it is given back first. */
  surplus?: Units
}

/**
 * Millionths of a currency, and what one whole coin was worth in it when it was sold for; the same in millionths of
 * a US dollar, and in the currency of the seller's account.
 */
export type RefundWorth = { amount: Units; currency: string; rate: string; usd?: Units } & LockedWorth

/** What is known of the refunds of one payment. */
export type CoinRefund = {
  readonly decimals: number
  /** What the seller says that it gave back, and what chains show of it. */
  readonly recorded: Units
  readonly sent: Units
  /** The transfers that were found; at most REFUND_TRANSFERS_MAX. */
  readonly transfers: readonly string[]
  /** The chain transaction of the newest transfer that was found. */
  readonly hash: string | undefined
  /** The hash that the seller named and that no chain has confirmed yet. */
  readonly sought: string | undefined
  /** What all that is recorded takes off the earnings, in millionths of a US dollar. */
  readonly usd: Units
  /** What of all that is recorded is VAT and surplus. */
  readonly unsold?: UnsoldParts
  /** Transfers whose blocks were replaced, the newest last; at most LOST_MAX. */
  readonly lost?: readonly LostTransfer[]
}

/** A transfer that gave money back, and that its chain has lost at least once. */
export type LostTransfer = {
  readonly id: string
  readonly tx: string
  /** The hash in the words of the seller who named it. */
  readonly hash: string
  /** How often it was taken back. */
  readonly times: number
  /** Whether it is not in the chain now, so that it is looked for again. */
  readonly gone: boolean
}

/** The most transfers that one payment is given back by. */
export const REFUND_TRANSFERS_MAX = 32

/** The most lost transfers that are remembered of one payment; the oldest are forgotten first. */
const LOST_MAX = 64

const NOTHING: CoinRefund = {
  decimals: 0,
  recorded: '0',
  sent: '0',
  transfers: [],
  hash: undefined,
  sought: undefined,
  usd: '0',
}

/** Whether a chain has confirmed all that was recorded. */
export const isSent = ({ recorded, sent }: CoinRefund): boolean => sent !== '0' && BigInt(sent) >= BigInt(recorded)

/** Whether all that came is recorded as given back. */
export const isWhole = ({ received }: PaidCoin, total: bigint): boolean => total >= BigInt(received)

/** How much of a payment is recorded as given back, in its smallest unit. */
export const recordedOf = (refund: CoinRefund | undefined): bigint => BigInt(refund?.recorded ?? 0)

/**
 * The amount that a refund records: the given one, or all that is left. Refuses `state-forbids` when that is more than
 * is left of the payment.
 */
export const amountToRecord = (paid: PaidCoin, refund: CoinRefund | undefined, amount: Units | undefined): bigint => {
  const rest = BigInt(paid.received) - recordedOf(refund)
  if (amount === undefined) return rest
  if (BigInt(amount) <= rest) return BigInt(amount)
  const left = toDecimal(rest > 0n ? rest : 0n, paid.decimals)
  return refuse('state-forbids', `amount: ${left} of this payment is left to give back, so send no more than that`)
}

/** A refund that raises the recorded sum to `total`. */
export const refundedTo = (paid: PaidCoin, refund: CoinRefund | undefined, total: bigint): RefundedCoin => {
  const { network, asset, decimals, test } = paid
  const before = recordedOf(refund)
  const usd = earnedAfter(paid, before) - earnedAfter(paid, total)
  const amount = String(total - before)
  const worth = refundWorth(paid, amount)
  const unsold = unsoldBetween(paid, before, total)
  return { network, asset, decimals, amount, total: String(total), usd: String(usd), worth, test, ...unsold }
}

/** What is no income in a refund that raises the recorded sum from `before` to `total`. */
const unsoldBetween = (paid: PaidCoin, before: bigint, total: bigint): UnsoldParts => {
  const [first, last] = [unsoldIn(paid, before), unsoldIn(paid, total)]
  return unsoldParts(first.vat - last.vat, first.surplus - last.surplus)
}

/** The VAT and the surplus in what is kept of a payment once so much of it was given back. */
const unsoldIn = ({ received, asked, amount, vat = '0' }: PaidCoin, total: bigint) => {
  const kept = BigInt(received) > total ? BigInt(received) - total : 0n
  const price = kept < BigInt(asked) ? kept : BigInt(asked)
  return { vat: BigInt(amount) === 0n ? 0n : mulDivFloor(price, BigInt(vat), BigInt(amount)), surplus: kept - price }
}

const unsoldParts = (vat: bigint, surplus: bigint): UnsoldParts => ({
  ...(vat !== 0n && { vat: String(vat) }),
  ...(surplus !== 0n && { surplus: String(surplus) }),
})

/** What is no income in the `amount` of a recorded sum that is owed no longer. */
export const unsoldInVoid = ({ recorded, unsold = {} }: CoinRefund, amount: bigint): UnsoldParts => {
  const share = (all = '0') => mulDivFloor(BigInt(all), amount, BigInt(recorded))
  return unsoldParts(share(unsold.vat), share(unsold.surplus))
}

/** The sum of what is no income; `sign` is -1 for what is owed no longer. */
const withUnsold = (known: UnsoldParts = {}, more: UnsoldParts, sign: 1n | -1n): { unsold?: UnsoldParts } => {
  const sum = (a = '0', b = '0') => BigInt(a) + sign * BigInt(b)
  const unsold = unsoldParts(sum(known.vat, more.vat), sum(known.surplus, more.surplus))
  return Object.keys(unsold).length === 0 ? {} : { unsold }
}

/** What coins that are given back are worth at the rate of the sale. */
export const refundWorth = (paid: PaidCoin, units: Units): RefundWorth => ({
  amount: worthBySale(units, paid),
  currency: paid.currency,
  rate: rateBySale(paid, paid.decimals),
  usd: shareOf(units, paid.asked, paid.usd),
  ...shareOfWorth(paid, units, paid.asked),
})

/**
 * What a sale has earned once so much of it was given back. What came above the price was not earned, so that giving it
 * back takes nothing off.
 */
const earnedAfter = ({ received, asked, usd }: PaidCoin, total: bigint): bigint => {
  const [came, price, worth] = [BigInt(received), BigInt(asked), BigInt(usd)]
  const kept = came > total ? came - total : 0n
  const base = came < price ? came : price
  const earned = base === 0n ? 0n : mulDivFloor(worth, kept, base)
  return earned < worth ? earned : worth
}

/** What so much of a payment takes off its earnings. */
export const unearnedBy = (paid: PaidCoin, total: bigint): bigint => earnedAfter(paid, 0n) - earnedAfter(paid, total)

/** The hash that is looked for on the chain: the one that was named last, or one that its chain has lost. */
export const soughtIn = (refund: CoinRefund | undefined): string | undefined =>
  refund?.sought ?? refund?.lost?.findLast(({ gone }) => gone)?.hash

/** Whether the chain is asked for this hash again and again. */
export const isLookedFor = (refund: CoinRefund | undefined, hash: string): boolean =>
  refund?.sought === hash || (refund?.lost ?? []).some((each) => each.gone && (each.hash === hash || each.tx === hash))

/** How often a transfer was taken back. */
export const timesLost = (refund: CoinRefund | undefined, id: string): number =>
  refund?.lost?.find((each) => each.id === id)?.times ?? 0

export const withRecorded = (
  refund: CoinRefund | undefined,
  coin: RefundedCoin | undefined,
): CoinRefund | undefined => {
  if (!coin) return refund
  const known = refund ?? NOTHING
  const usd = String(BigInt(known.usd) + BigInt(coin.usd))
  const { unsold, ...rest } = known
  return { ...rest, decimals: coin.decimals, recorded: coin.total, usd, ...withUnsold(unsold, coin, 1n) }
}

/** The refund once a part of what was recorded is owed no longer. */
export const withVoided = (refund: CoinRefund | undefined, coin: RefundedCoin | undefined): CoinRefund | undefined => {
  if (!refund || !coin) return refund
  const { unsold, ...known } = refund
  const usd = String(BigInt(known.usd) - BigInt(coin.usd))
  return { ...known, recorded: coin.total, usd, ...withUnsold(unsold, coin, -1n) }
}

export const withSought = (refund: CoinRefund | undefined, hash: string): CoinRefund => ({
  ...(refund ?? NOTHING),
  sought: hash,
})

/** The refund without the hash that came to nothing, unless another one is looked for by now. */
export const withoutSought = (refund: CoinRefund | undefined, hash: string): CoinRefund | undefined =>
  refund?.sought === hash ? { ...refund, sought: undefined } : refund

export const withSent = (
  refund: CoinRefund | undefined,
  { id, tx, hash, sent }: { readonly id: string; readonly tx: string; readonly hash: string; readonly sent: Units },
): CoinRefund => {
  const known = withoutSought(refund, hash) ?? NOTHING
  const found = known.lost && { lost: known.lost.map((each) => (each.id === id ? { ...each, gone: false } : each)) }
  return { ...known, ...found, sent, transfers: [...known.transfers, id].slice(-REFUND_TRANSFERS_MAX), hash: tx }
}

/** The refund without a transfer whose block was replaced, which is looked for again from now on. */
export const withUnsent = (
  refund: CoinRefund | undefined,
  { sent, ...transfer }: Omit<LostTransfer, 'gone'> & { readonly sent: Units },
): CoinRefund => {
  const known = refund ?? NOTHING
  const others = (known.lost ?? []).filter(({ id }) => id !== transfer.id)
  return {
    ...known,
    sent,
    transfers: known.transfers.filter((id) => id !== transfer.id),
    hash: known.hash === transfer.tx ? undefined : known.hash,
    lost: [...others, { ...transfer, gone: true }].slice(-LOST_MAX),
  }
}
