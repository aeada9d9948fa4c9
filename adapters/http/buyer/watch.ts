import { explorerOf } from '../../../domain/chains/explorers.ts'
import { walletChainOf } from '../../../domain/chains/wallet-chains.ts'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { SettlementRow } from '../../../projections/selling/settlement-queries.ts'
import { matchOf } from '../agent/common/accepts.ts'
import { refundOf } from '../core/known-refund.ts'
import type { Brand } from '../pages/buyer/branding.ts'
import type { Frame } from '../pages/buyer/buyer-page.ts'
import { type HashView, hashView } from '../pages/buyer/hash.ts'
import type { BuyerLocale } from '../pages/buyer/messages/buyer-locale.ts'
import {
  type Arrival,
  expiredPage,
  type Shortfall,
  seenPage,
  shortTopUpPage,
  strayPage,
  underpaidPage,
} from '../pages/buyer/outcomes.ts'
import { type PostedHash, payPage } from '../pages/buyer/pay.ts'
import { type ChosenOption, paidPage, type Receipt } from '../pages/buyer/receipt.ts'
import { walletCall } from '../pages/buyer/wallet-call.ts'
import { walletLink } from '../pages/buyer/wallet-links.ts'
import { type CoinView, coinOf } from '../pages/plain-words.ts'
import { chosenOptions } from './chosen-options.ts'
import { headingOf, priceOf, type SaleItem } from './doors.ts'
import { onward } from './onward.ts'
import { type FollowedChallenge, followedChallenge, nameOf, type PaymentProgress, progressOf } from './progress.ts'
import { refundWords } from './refund-words.ts'
import { cardPage, paymentOf } from './watch-card.ts'

/** The page of one challenge, whatever has become of it. */

/** Seconds after which a page without script loads itself again; not where a hash is typed, which would be lost. */
const REFRESH_S = 15
/** Milliseconds between two looks for a row that the log says must come, and how many looks there are. */
const ROW_LOOK_MS = 50
const ROW_LOOKS_MAX = 20

type Main = Pick<Frame, 'title' | 'main' | 'live'>

/** What the pages of one sale are made from. */
export type SaleParts = {
  readonly flow: UseCaseContext
  readonly queries: Queries
  readonly sold: SaleItem
  /** The path of the door. */
  readonly path: string
  readonly brand: Brand
  readonly redirect: string
  readonly locale: BuyerLocale
}

type WatchPage = Omit<SaleParts, 'queries'> & {
  readonly known: FollowedChallenge
  readonly coin: CoinView
  readonly rows: readonly SettlementRow[]
  readonly posted: PostedHash | undefined
  readonly paid: Pick<Receipt, 'refund' | 'chosen'>
}

/** Refuses `challenge-not-found`, also for the challenge of another sale. */
export const watchedPage = async (
  parts: SaleParts,
  challengeId: string,
  posted: PostedHash | undefined,
): Promise<Main> => {
  const { flow, sold } = parts
  if (isCardPaymentId(challengeId)) {
    const payment = await paymentOf(flow, sold, challengeId)
    const [row] = await parts.queries.settlementsOf(challengeId)
    return cardPage(parts, challengeId, payment, await paidFacts(parts, row, ''))
  }
  const known = await followedChallenge(flow, challengeId)
  if (!known || !sold.isOwn(known.set)) return refuse('challenge-not-found')
  const progress = await progressOf(flow, known)
  const rows = await rowsOf(parts, challengeId, progress)
  const coin = coinOf(known.entry)
  const paidRow = progress.state === 'settled' ? rows.find(({ hash }) => hash === progress.hash) : undefined
  const paid = await paidFacts(parts, paidRow, coin.symbol)
  const { queries: _, ...rest } = parts
  return pageOf({ ...rest, known, rows, posted, coin, paid }, progress)
}

/** What a receipt says beside the payment itself. */
const paidFacts = async (
  { flow, sold, locale }: SaleParts,
  row: SettlementRow | undefined,
  symbol: string,
): Promise<{ refund: string | undefined; chosen: readonly ChosenOption[] }> => ({
  refund: refundWords(await refundOf(flow, row?.transactionId, symbol), locale),
  chosen: await chosenOptions(flow, sold.accountId, row?.transactionId),
})

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
  const { known, sold, locale } = watched
  const { words } = locale
  const live = { state: nameOf(progress) }
  switch (progress.state) {
    case 'settled':
      return { title: words.receipt.title, main: receiptPage(watched, receiptOf(watched, progress.hash)), live }
    case 'underpaid':
      return shortPage(watched, progress)
    case 'seen': {
      const { confirmations, required } = progress
      const price = priceOf(sold, locale, known.set.amount) ?? ''
      const seen = { price, title: sold.title, confirmations, required, hash: hashOf(watched, progress.hash) }
      return { title: words.seen.title, main: seenPage(seen, locale), live: followable(watched, progress) }
    }
    default:
      return unpaid(watched, progress, live)
  }
}

/** The page after a part has come: what it asks for now, or what became of it when the time was up. */
const shortPage = (watched: WatchPage, progress: Extract<PaymentProgress, { state: 'underpaid' }>): Main => {
  const { known, coin, sold, rows, locale } = watched
  const { words } = locale
  const hash = hashOf(watched, progress.hash)
  const arrived: Shortfall = { coin, hash, asked: BigInt(known.entry.amount), came: progress.paid }
  if (!progress.isOver) {
    const main = toPay(watched, { ...arrived, rest: progress.missing })
    return { title: words.part.title, main, live: followable(watched, progress) }
  }
  const late = rows.filter(({ status }) => status === 'late').map((row) => arrivalOf(watched, row))
  const rest = { reference: referenceOf(watched), late, again: again(watched) }
  const main = sold.toBalance
    ? shortTopUpPage(arrived, onward(watched.redirect), locale)
    : underpaidPage(arrived, rest, locale)
  return { title: words.short.title, main, live: { state: nameOf(progress) } }
}

/**
 * The page while nothing has come that counts: a payment came too late or twice, or none has come yet, or none at all.
 */
const unpaid = (watched: WatchPage, progress: PaymentProgress, live: { state: string }): Main => {
  const { known, rows, sold, locale } = watched
  const { words } = locale
  const stray = rows.find(({ status }) => status === 'late' || status === 'doubled')
  if (stray) {
    const reason = stray.status === 'late' ? 'late' : 'doubled'
    const keeper = sold.toBalance ? 'ours' : 'theirs'
    const main = strayPage(reason, arrivalOf(watched, stray), { reference: referenceOf(watched), keeper }, locale)
    return { title: words.stray.title, main, live }
  }
  if (progress.state === 'elsewhere') return soldPage(watched)
  if (progress.state === 'expired')
    return { title: words.expired.title, main: expiredPage(known.set.expiresAt, again(watched), locale), live }
  const title = words.choose.title(priceOf(sold, locale, known.set.amount) ?? '')
  return { title, main: toPay(watched), live: followable(watched, progress) }
}

/** The page of a sale that was paid; by whom is not for this visitor to see. */
export const soldPage = (parts: Pick<WatchPage, 'sold' | 'brand' | 'redirect' | 'locale'>): Main => {
  const { sold, brand, locale } = parts
  const { words } = locale
  const price = priceOf(sold, locale) ?? words.choose.asChosen
  const receipt = { seller: brand.name, price, title: sold.title, note: '', reference: sold.reference }
  return { title: words.receipt.title, main: receiptPage(parts, receipt) }
}

const receiptPage = ({ sold, redirect, locale }: Pick<WatchPage, 'sold' | 'redirect' | 'locale'>, receipt: Receipt) =>
  paidPage(receipt, onward(redirect), sold.orderAt, locale)

/** What to send: all that is asked, or the rest of it after a part has come. */
const toPay = (watched: WatchPage, part?: Shortfall & { rest: bigint }) => {
  const { flow, sold, path, known, coin, brand, posted, locale } = watched
  const { set, entry, challengeId } = known
  const units = part?.rest ?? BigInt(entry.amount)
  const eip155 = /^eip155:(\d+)$/.exec(entry.chain)?.[1]
  const { decimals, contract, family } = coin
  const chainId = eip155 === undefined ? undefined : Number(eip155)
  const words = { label: brand.given || undefined, message: sold.title || undefined }
  const left = Date.parse(set.expiresAt) - flow.world.now().getTime()
  const explorer = explorerAt(watched)
  const page = {
    asked: headingOf(sold, locale, set.amount),
    coin,
    units,
    plainAmount: toDecimal(units, decimals),
    payTo: entry.payTo,
    payToAt: explorer && explorer.address + encodeURIComponent(entry.payTo),
    match: matchOf(entry),
    walletLink:
      family &&
      walletLink({ family, network: entry.network, payTo: entry.payTo, units, decimals, chainId, contract, ...words }),
    walletCall:
      chainId !== undefined && paysInBrowser(known)
        ? {
            ...walletCall({ chainId, payTo: entry.payTo, units, contract }),
            add: walletChainOf(entry.network, entry.chain),
          }
        : undefined,
    expiresAt: set.expiresAt,
    secondsLeft: Math.max(0, Math.round(left / 1_000)),
    challengeId,
    test: set.test,
    back: path,
    posted,
    came: part,
  }
  return payPage(page, locale)
}

/** A wallet in the browser speaks to chains that have an id of EIP-155. */
const paysInBrowser = ({ set, entry }: FollowedChallenge): boolean => !set.test && entry.chain.startsWith('eip155:')

const followable = ({ known, posted }: WatchPage, progress: PaymentProgress) => {
  const waitsForHash = progress.state === 'open' && posted !== undefined
  const wallet = paysInBrowser(known)
  const state = { state: nameOf(progress), events: `/pay/${known.challengeId}/events`, wallet }
  return waitsForHash ? state : { ...state, refreshS: REFRESH_S }
}

const receiptOf = (watched: WatchPage, hash: string): Receipt => {
  const { sold, known, coin, brand, paid, locale } = watched
  const row = watched.rows.find((each) => each.hash === hash)
  const price = priceOf(sold, locale, known.set.amount) ?? ''
  const rate = sold.assetAmount === null && !known.set.test ? known.entry.rate : undefined
  const came = row && { units: BigInt(row.paid), at: row.at }
  return {
    ...paid,
    seller: brand.name,
    price,
    title: sold.title,
    note: sold.note,
    reference: referenceOf(watched),
    payment: { coin, hash: hashOf(watched, hash), rate, ...came },
  }
}

const arrivalOf = (watched: WatchPage, { paid, hash }: SettlementRow): Arrival => ({
  coin: watched.coin,
  units: BigInt(paid),
  hash: hashOf(watched, hash),
})

const hashOf = (watched: WatchPage, hash: string): HashView => hashView(hash, explorerAt(watched))

/** Nobody shows what is only made up. */
const explorerAt = ({ known: { set, entry } }: WatchPage) =>
  set.test ? undefined : explorerOf(entry.network, entry.chain)

/** What the seller's records call this payment (J-RES-14). */
const referenceOf = ({ sold, known }: WatchPage): string =>
  known.set.resId === null ? sold.reference : `${known.set.resId}.${known.challengeId}`

/** The path at which the buyer begins again; undefined when this sale takes no payment any more. */
const again = ({ sold, path }: WatchPage): string | undefined => (sold.status === 'open' ? path : undefined)
