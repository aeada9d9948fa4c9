import { toDecimal } from '../../../domain/kernel/money.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { SettlementRow } from '../../../projections/selling/settlements.ts'
import { matchOf } from '../agent/common/accepts.ts'
import { refundWords } from '../core/refund-words.ts'
import type { Frame } from '../pages/buyer-page.ts'
import {
  expiredPage,
  paidPage,
  type Receipt,
  type Shortfall,
  seenPage,
  shortTopUpPage,
  strayPage,
  underpaidPage,
} from '../pages/outcomes.ts'
import { type PostedHash, payPage } from '../pages/pay.ts'
import { type CoinView, coinOf } from '../pages/plain-words.ts'
import { walletLink } from '../pages/wallet-links.ts'
import { priceOf, type SaleItem } from './doors.ts'
import { type FollowedChallenge, followedChallenge, nameOf, type PaymentProgress, progressOf } from './progress.ts'
import { cardPage, paymentOf } from './watch-card.ts'

/** The page of one challenge, whatever has become of it. */

/** Seconds after which a page without script loads itself again; not where a hash is typed, which would be lost. */
const REFRESH_S = 15
/** Milliseconds between two looks for a row that the log says must come, and how many looks there are. */
const ROW_LOOK_MS = 50
const ROW_LOOKS_MAX = 20

type Main = Pick<Frame, 'title' | 'main' | 'live'>
type WatchPage = {
  readonly flow: UseCaseContext
  readonly sold: SaleItem
  /** The path of the door. */
  readonly path: string
  readonly known: FollowedChallenge
  readonly coin: CoinView
  readonly brandName: string
  readonly rows: readonly SettlementRow[]
  /** What is known of a refund, in words. */
  readonly refund: string | undefined
  readonly redirect: string
  readonly posted: PostedHash | undefined
}

/** Refuses `challenge-not-found`, also for the challenge of another sale. */
export const watchedPage = async (
  parts: { flow: UseCaseContext; queries: Queries; path: string; brandName: string; redirect: string },
  sold: SaleItem,
  challengeId: string,
  posted: PostedHash | undefined,
): Promise<Main> => {
  if (isCardPaymentId(challengeId)) {
    const payment = await paymentOf(parts.flow, sold, challengeId)
    const [row] = await parts.queries.settlementsOf(challengeId)
    const refund = await refundWords(parts.flow, row?.transactionId, '')
    return cardPage({ ...parts, sold, refund }, challengeId, payment, onward(parts.redirect))
  }
  const known = await followedChallenge(parts.flow, challengeId)
  if (!known || !sold.isOwn(known.set)) return refuse('challenge-not-found')
  const progress = await progressOf(parts.flow, known)
  const rows = await rowsOf(parts, challengeId, progress)
  const { queries: _, ...rest } = parts
  const coin = coinOf(known.entry)
  const isPaid = progress.state === 'settled'
  const paidRow = isPaid ? rows.find(({ hash }) => hash === progress.hash) : undefined
  const refund = await refundWords(parts.flow, paidRow?.transactionId, coin.symbol)
  return pageOf({ ...rest, sold, known, rows, posted, coin, refund }, progress)
}

/**
 * The rows of a challenge. The log is ahead of them by a moment, and a receipt is read once, so this waits for the row
 * that the receipt must have.
 */
const rowsOf = async (
  { flow, queries }: { flow: UseCaseContext; queries: Queries },
  challengeId: string,
  progress: PaymentProgress,
): Promise<readonly SettlementRow[]> => {
  for (let look = 1; ; look++) {
    const rows = await queries.settlementsOf(challengeId)
    const isThere =
      !('hash' in progress) || progress.state === 'seen' || rows.some(({ hash }) => hash === progress.hash)
    if (isThere || look >= ROW_LOOKS_MAX) return rows
    await flow.world.pause(ROW_LOOK_MS)
  }
}

const pageOf = (watched: WatchPage, progress: PaymentProgress): Main => {
  const { known, coin, sold } = watched
  const live = { state: nameOf(progress) }
  switch (progress.state) {
    case 'settled':
      return { title: 'Paid', main: receiptPage(watched, receiptOf(watched, progress.hash)), live }
    case 'underpaid': {
      const { hash, paid: came } = progress
      const arrived = { coin, hash, asked: BigInt(known.entry.amount), came }
      if (!progress.isOver)
        return {
          title: 'A part is paid',
          main: toPay(watched, { ...arrived, rest: progress.missing }),
          live: followable(watched, progress),
        }
      const main = sold.toBalance
        ? shortTopUpPage(arrived, onward(watched.redirect))
        : underpaidPage(arrived, referenceOf(watched), again(watched))
      return { title: 'Not enough was paid', main, live }
    }
    case 'seen': {
      const { confirmations, required, hash } = progress
      const what = { price: priceOf(sold, known.set.amount) ?? '', title: sold.title }
      return {
        title: 'Payment seen',
        main: seenPage(what, confirmations, required, hash),
        live: followable(watched, progress),
      }
    }
    default:
      return unpaid(watched, progress, live)
  }
}

/**
 * The page while nothing has come that counts: a payment came too late or twice, or none has come yet, or none at all.
 */
const unpaid = (watched: WatchPage, progress: PaymentProgress, live: { state: string }): Main => {
  const { known, coin, rows, sold } = watched
  const stray = rows.find(({ status }) => status === 'late' || status === 'doubled')
  if (stray) {
    const payment = { coin, units: BigInt(stray.paid), hash: stray.hash }
    const reason = stray.status === 'late' ? 'late' : 'doubled'
    const main = strayPage(reason, payment, referenceOf(watched), sold.toBalance ? 'Daybook' : 'The seller')
    return { title: 'This payment does not count', main, live }
  }
  if (progress.state === 'elsewhere') return soldPage(sold, watched.redirect)
  if (progress.state === 'expired')
    return { title: 'The time to pay is up', main: expiredPage(known.set.expiresAt, again(watched)), live }
  return { title: `Pay ${priceOf(sold, known.set.amount)}`, main: toPay(watched), live: followable(watched, progress) }
}

/** The page of a sale that was paid; by whom is not for this visitor to see. */
export const soldPage = (sold: SaleItem, redirect: string): Main => {
  const price = priceOf(sold) ?? 'as chosen'
  return {
    title: 'Paid',
    main: receiptPage({ sold, redirect }, { price, title: sold.title, reference: sold.reference }),
  }
}

const receiptPage = ({ sold, redirect }: Pick<WatchPage, 'sold' | 'redirect'>, receipt: Receipt) =>
  paidPage(receipt, onward(redirect), sold.orderAt)

/** What to send: all that is asked, or the rest of it after a part has come. */
const toPay = (
  { flow, sold, path, known, coin, brandName, posted }: WatchPage,
  part?: Shortfall & { rest: bigint },
) => {
  const { set, entry, challengeId } = known
  const units = part?.rest ?? BigInt(entry.amount)
  const eip155 = /^eip155:(\d+)$/.exec(entry.chain)?.[1]
  const { decimals, contract, family } = coin
  const chainId = eip155 === undefined ? undefined : Number(eip155)
  const words = { label: brandName || undefined, message: sold.title || undefined }
  const left = Date.parse(set.expiresAt) - flow.world.now().getTime()
  return payPage({
    asked: { price: priceOf(sold, set.amount), title: sold.title, note: sold.note },
    coin,
    units,
    plainAmount: toDecimal(units, decimals),
    payTo: entry.payTo,
    match: matchOf(entry),
    walletLink:
      family &&
      walletLink({ family, network: entry.network, payTo: entry.payTo, units, decimals, chainId, contract, ...words }),
    expiresAt: set.expiresAt,
    secondsLeft: Math.max(0, Math.round(left / 1_000)),
    challengeId,
    test: set.test,
    back: path,
    posted,
    came: part,
  })
}

const followable = ({ known, posted }: WatchPage, progress: PaymentProgress) => {
  const waitsForHash = progress.state === 'open' && posted !== undefined
  const state = { state: nameOf(progress), events: `/pay/${known.challengeId}/events` }
  return waitsForHash ? state : { ...state, refreshS: REFRESH_S }
}

const receiptOf = (watched: WatchPage, hash: string): Receipt => {
  const { sold, known, coin, refund } = watched
  const row = rowOf(watched, hash)
  const price = priceOf(sold, known.set.amount) ?? ''
  const payment = { coin, hash, ...(row && { units: BigInt(row.paid), at: row.at }) }
  return { price, title: sold.title, reference: referenceOf(watched), payment, refund }
}

const rowOf = ({ rows }: WatchPage, hash: string) => rows.find((row) => row.hash === hash)

/** What the seller's records call this payment (J-RES-14). */
const referenceOf = ({ sold, known }: WatchPage): string =>
  known.set.resId === null ? sold.reference : `${known.set.resId}.${known.challengeId}`

/** The path at which the buyer begins again; undefined when this sale takes no payment any more. */
const again = ({ sold, path }: WatchPage): string | undefined => (sold.status === 'open' ? path : undefined)

/** The link on to the seller: only to the web, and never followed before the buyer sees where it leads. */
const onward = (redirect: string): { href: string; to: string } | undefined => {
  const url = URL.canParse(redirect) ? new URL(redirect) : undefined
  return url && /^https?:$/.test(url.protocol) ? { href: url.href, to: url.host } : undefined
}
