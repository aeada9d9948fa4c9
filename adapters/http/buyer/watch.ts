import { explorerOf } from '../../../domain/chains/explorers.ts'
import { walletChainOf } from '../../../domain/chains/wallet-chains.ts'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isCardPaymentId } from '../../../domain/selling/transactions/card-payment-id.ts'
import type { SettlementRow } from '../../../projections/selling/settlement-queries.ts'
import { matchOf } from '../agent/common/accepts.ts'
import type { Frame } from '../pages/buyer/buyer-page.ts'
import { type HashView, hashView } from '../pages/buyer/hash.ts'
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
import { paidPage, type Receipt } from '../pages/buyer/receipt.ts'
import type { ReceiptMail } from '../pages/buyer/receipt-mail.ts'
import { walletCall } from '../pages/buyer/wallet-call.ts'
import { walletLink } from '../pages/buyer/wallet-links.ts'
import { type CoinView, coinOf } from '../pages/plain-words.ts'
import { headingOf, priceOf, type SaleParts } from './doors.ts'
import {
  type FollowedChallenge,
  followedChallenge,
  nameOf,
  type PaymentProgress,
  progressOf,
  rowsOf,
} from './progress.ts'
import { isMailable, onward, type PaidFacts, paidFacts } from './receipt-words.ts'
import { mailableCard, watchedCard } from './watch-card.ts'

/** The page of one challenge, whatever has become of it. */

/** Seconds after which a page without script loads itself again; not where a hash is typed, which would be lost. */
const REFRESH_S = 15
type Main = Pick<Frame, 'title' | 'main' | 'live'>

type WatchPage = Omit<SaleParts, 'queries'> & {
  readonly known: FollowedChallenge
  readonly coin: CoinView
  readonly rows: readonly SettlementRow[]
  readonly posted: PostedHash | undefined
  readonly mailed: ReceiptMail['mailed']
  readonly paid: PaidFacts
}

/** What the page has to say of what was just done on it. */
export type PageNews = {
  readonly posted?: PostedHash | undefined
  readonly mailed?: ReceiptMail['mailed']
}

/** Refuses `challenge-not-found`, also for the challenge of another sale. */
export const watchedPage = async (
  parts: SaleParts,
  challengeId: string,
  { posted, mailed }: PageNews,
): Promise<Main> => {
  if (isCardPaymentId(challengeId)) return watchedCard(parts, challengeId, mailed)
  const { watched, progress } = await watchedOf(parts, challengeId)
  return pageOf({ ...watched, posted, mailed }, progress)
}

const watchedOf = async (parts: SaleParts, challengeId: string) => {
  const known = await followedChallenge(parts.flow, challengeId)
  if (!known || !parts.sold.isOwn(known.set)) return refuse('challenge-not-found')
  const progress = await progressOf(parts.flow, known)
  const rows = await rowsOf(parts, challengeId, progress)
  const coin = coinOf(known.entry)
  const paidRow = progress.state === 'settled' ? rows.find(({ hash }) => hash === progress.hash) : undefined
  const paid = await paidFacts(parts, paidRow, coin.symbol)
  const { queries: _, ...rest } = parts
  const watched: WatchPage = { ...rest, known, rows, coin, paid, posted: undefined, mailed: undefined }
  return { watched, progress }
}

/** The receipt of a live payment to a seller: no others are sent by mail. Refuses `challenge-not-found`. */
export const mailableReceipt = async (parts: SaleParts, challengeId: string): Promise<Receipt> => {
  if (isCardPaymentId(challengeId)) return mailableCard(parts, challengeId)
  const { watched, progress } = await watchedOf(parts, challengeId)
  return progress.state === 'settled' && isMailable(parts.sold, watched.known.set)
    ? receiptOf(watched, progress.hash)
    : refuse('challenge-not-found')
}

const pageOf = (watched: WatchPage, progress: PaymentProgress): Main => {
  const { known, sold, locale } = watched
  const { words } = locale
  const live = { state: nameOf(progress) }
  switch (progress.state) {
    case 'settled':
      return { title: words.receipt.title, main: settledPage(watched, progress.hash), live }
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

/** What is said of money that came and buys nothing, by the status of its row. */
const STRAY: Readonly<Record<string, 'late' | 'doubled' | 'soldOut' | undefined>> = {
  late: 'late',
  doubled: 'doubled',
  sold_out: 'soldOut',
}

/**
 * The page while nothing has come that counts: a payment came too late or twice, or none has come yet, or none at all.
 */
const unpaid = (watched: WatchPage, progress: PaymentProgress, live: { state: string }): Main => {
  const { known, rows, sold, locale } = watched
  const { words } = locale
  const stray = rows.find(({ status }) => STRAY[status] !== undefined)
  const reason = stray && STRAY[stray.status]
  if (stray && reason) {
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

const settledPage = (watched: WatchPage, hash: string) => {
  const { path, known, mailed, sold } = watched
  const form = isMailable(sold, known.set) ? { path, challengeId: known.challengeId, mailed } : undefined
  return receiptPage(watched, receiptOf(watched, hash), form)
}

const receiptPage = (
  { sold, redirect, locale }: Pick<WatchPage, 'sold' | 'redirect' | 'locale'>,
  receipt: Receipt,
  mail?: ReceiptMail,
) => paidPage(receipt, { redirect: onward(redirect), orderAt: sold.orderAt, mail }, locale)

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
