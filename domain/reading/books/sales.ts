import type { Units } from '../../kernel/money.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { TransferData } from '../../selling/challenge-terms.ts'
import { worthBySale } from '../../selling/sale-rate.ts'
import type { EventData, EventType } from '../../write-side/deciders.ts'
import { postedAsset } from '../journal.ts'
import { type BookEntry, type BookKind, type BookPosting, CONVERSION, moved, posting, reversed } from './entry.ts'

/**
 * What buyers pay, in the books of the seller who has the money. Coins come to the account of receipts, which is handed
 * over to real wallets. All of it stands in suspense until it settles something, and what settles nothing stays there
 * until it is matched or returned. VAT is payable and no income. What the platform sells is credit and balances, which
 * it owes from then on.
 */

const RECEIPTS = 'assets:receipts'
const CARD = 'assets:card'
const DISPUTED = 'assets:card-disputed'
const SUSPENSE = 'liabilities:suspense'
const REFUNDS = 'liabilities:refunds'
const VAT = 'liabilities:vat'
const SALES = 'income:sales'
const SURPLUS = 'income:surplus'
const REFUNDED = 'income:refunds'
const CHARGEBACKS = 'income:chargebacks'
/** Paid to the platform for credit and balances; what is given out for it is taken off. */
export const TOP_UPS = 'liabilities:top-ups'

type SaleRules = { readonly [T in EventType]?: (data: EventData<T>) => BookEntry | undefined }

const rules: SaleRules = {
  ChallengeSettled: (data) =>
    data.test ? undefined : entryOf(data, 'sale', [...arrived(data), ...earned(data, paidIn(data))]),
  ChallengeUnderpaid: (data) => (data.test ? undefined : entryOf(data, 'suspense', arrived(data))),
  TransferSetAside: (data) => {
    const wasThere = (data.inBooks || data.matched) && data.holder === undefined
    return wasThere ? undefined : entryOf(data, 'suspense', arrived({ transfer: data.transfer }))
  },
  PaymentReversed: (data) => (data.test ? undefined : entryOf(data, 'correction', takenBack(data))),
  TransferReversed: (data) =>
    data.aside
      ? entryOf(data, 'correction', [...reversed(arrived(data)), ...reversed(toReturn(data, data.returned ?? '0'))])
      : undefined,
  TransferReturnRecorded: (data) => entryOf(data, 'refund', toReturn(data, data.amount)),
  TransferReopened: (data) => entryOf(data, 'correction', reversed(toReturn(data, data.returned ?? '0'))),
  TransferReturnSent: (data) => entryOf(data, 'refund', returned(data)),
  TransferReturnUnsent: (data) => {
    const { transfer, back, voided } = data
    const from = voided ? SUSPENSE : REFUNDS
    return entryOf(data, 'correction', moved(from, RECEIPTS, postedAsset(transfer), BigInt(back.amount)))
  },
  RefundRecorded: (data) => refund(data, 'refund', 1n),
  PartRefundRecorded: (data) => refund(data, 'refund', 1n),
  RefundVoided: (data) => refund(data, 'correction', -1n),
  RefundSent: (data) => {
    const { transfer } = data
    return entryOf(data, 'refund', moved(RECEIPTS, REFUNDS, postedAsset(transfer), BigInt(transfer.amount)))
  },
  RefundUnsent: (data) => {
    const { transfer } = data
    return entryOf(data, 'correction', moved(REFUNDS, RECEIPTS, postedAsset(transfer), BigInt(transfer.amount)))
  },
  CardPaymentSettled: (data) => {
    const amount = BigInt(data.amount)
    return byCard(data, 'sale', [
      ...posting(CARD, data.currency, amount),
      ...income(data.currency, amount, taxOf(data)),
    ])
  },
  CardPaymentSetAside: (data) => byCard(data, 'suspense', between(data, SUSPENSE, CARD)),
  CardRefunded: (data) => byCard(data, 'refund', givenBack(data)),
  CardRefundFailed: (data) => byCard(data, 'correction', reversed(givenBack(data))),
  CardPaymentDisputed: (data) => (data.held ? byCard(data, 'dispute', between(data, CARD, DISPUTED)) : undefined),
  CardDisputeClosed: (data) => {
    if (data.outcome !== 'won') return byCard(data, 'dispute', between(data, data.held ? DISPUTED : CARD, CHARGEBACKS))
    return data.held ? byCard(data, 'dispute', between(data, DISPUTED, CARD)) : undefined
  },
}

/** The types of events by which a seller's money comes and goes. */
export const saleTypes = Object.keys(rules) as readonly EventType[]

/** The entry of a sale's event; undefined when it moves no money, or is of no sale. */
export const saleEntryOf = ({ type, data }: { type: string; data: object }): BookEntry | undefined => {
  if (!Object.hasOwn(rules, type)) return undefined
  const rule = rules[type as EventType] as (data: object) => BookEntry | undefined
  return rule(data)
}

/** The entry of the account for which a payment had been set aside that turns out to be another one's. */
export const handoverOf = ({ type, data }: { type: string; data: object }): BookEntry | undefined => {
  if (!Object.hasOwn(rules, type)) return undefined
  const { holder, transfer, test } = data as Partial<EventData<'ChallengeSettled'>>
  if (holder === undefined || transfer === undefined || test) return undefined
  return entryOf({ accountId: holder }, 'suspense', reversed(arrived({ transfer })))
}

const entryOf = (
  { accountId }: { readonly accountId: string },
  kind: BookKind,
  postings: readonly BookPosting[],
): BookEntry | undefined => {
  const summed = summedUp(postings)
  const view = accountId === PLATFORM ? PLATFORM : (`seller:${accountId}` as const)
  return summed.length === 0 ? undefined : { view, kind, postings: summed }
}

/** One posting for each account and asset, in the order in which they come. */
const summedUp = (postings: readonly BookPosting[]): readonly BookPosting[] => {
  const sums = new Map<string, BookPosting>()
  for (const { account, asset, amount } of postings) {
    const key = `${account} ${asset}`
    sums.set(key, { account, asset, amount: String(BigInt(sums.get(key)?.amount ?? 0) + BigInt(amount)) })
  }
  return [...sums.values()].filter(({ amount }) => amount !== '0')
}

type Arrival = {
  readonly transfer: TransferData
  readonly matched?: true | undefined
  readonly holder?: string | undefined
}

/** A transfer comes to the receipts; one that was set aside for the same account before is there already. */
const arrived = ({ transfer, matched, holder }: Arrival): readonly BookPosting[] =>
  matched && holder === undefined ? [] : moved(SUSPENSE, RECEIPTS, postedAsset(transfer), BigInt(transfer.amount))

type Sale = {
  readonly accountId: string
  readonly transfer: TransferData
  readonly paid?: Units
  readonly asked?: Units
  readonly amount: Units
  readonly vat?: Units
}

/** All that came for a sale, in the coin's smallest unit. */
const paidIn = ({ paid, transfer }: Sale): bigint => BigInt(paid ?? transfer.amount)

/** Money in suspense that the seller says it sent back is owed to its sender until a chain shows that it was sent. */
const toReturn = ({ transfer }: { readonly transfer: TransferData }, amount: Units): readonly BookPosting[] =>
  moved(REFUNDS, SUSPENSE, postedAsset(transfer), BigInt(amount))

/** What a chain shows to be sent back counts, whatever was recorded before. */
const returned = ({ transfer, back, recorded }: EventData<'TransferReturnSent'>): readonly BookPosting[] => [
  ...toReturn({ transfer }, String(BigInt(back.amount) - BigInt(recorded))),
  ...moved(RECEIPTS, REFUNDS, postedAsset(transfer), BigInt(back.amount)),
]

/** What came for a sale stops being in suspense and is earned: the price without its VAT, and what was paid beyond. */
const earned = (sale: Sale, paid: bigint): readonly BookPosting[] => {
  const { accountId, transfer, amount, vat = '0', asked = transfer.amount } = sale
  const asset = postedAsset(transfer)
  const applied = posting(SUSPENSE, asset, paid)
  if (accountId === PLATFORM) return [...applied, ...soldByPlatform(asset, paid, { amount, asked })]
  const price = paid < BigInt(asked) ? paid : BigInt(asked)
  const tax = BigInt(amount) === 0n ? 0n : (price * BigInt(vat)) / BigInt(amount)
  return [...applied, ...income(asset, price, tax), ...posting(SURPLUS, asset, price - paid)]
}

const income = (asset: string, price: bigint, tax: bigint): readonly BookPosting[] => [
  ...posting(SALES, asset, tax - price),
  ...posting(VAT, asset, -tax),
]

/** A coin that paid for credit or a balance, and what the platform owes for it in US dollars. */
const soldByPlatform = (asset: string, paid: bigint, { amount, asked }: { amount: Units; asked: Units }) => {
  const worth = BigInt(worthBySale(String(paid), { amount, asked, currency: USD }))
  return [...posting(CONVERSION, asset, -paid), ...moved(TOP_UPS, CONVERSION, USD, worth)]
}

const USD = 'USD'

/** A payment that is not in the chain any more, and with it the settlement that does not stand without it. */
const takenBack = (data: EventData<'PaymentReversed'>): readonly BookPosting[] => {
  const [paid, gone] = [paidIn(data), BigInt(data.transfer.amount)]
  const left = paid - gone
  // An older event does not say that the sale stands: it did when what is left is the whole price.
  const stands = data.stands ?? (data.unsettled === undefined && left >= BigInt(data.asked))
  const sold = data.unsettled || stands ? reversed(earned(data, paid)) : []
  return [...reversed(arrived({ transfer: data.transfer })), ...sold, ...(stands ? earned(data, left) : [])]
}

type Refunded = Pick<EventData<'RefundRecorded'>, 'accountId' | 'coin'>

/**
 * What the seller says that it gave back is owed to the buyer until a chain shows that it was sent; `sign` is -1 for
 * what is owed no longer. VAT is given back with the price, and first of all what was paid above it.
 */
const refund = ({ accountId, coin }: Refunded, kind: BookKind, sign: 1n | -1n): BookEntry | undefined => {
  if (coin === undefined || coin.test) return undefined
  const { vat = '0', surplus = '0', worth } = coin
  const [asset, amount] = [postedAsset(coin), BigInt(coin.amount)]
  const sold =
    accountId === PLATFORM
      ? [...posting(CONVERSION, asset, amount), ...moved(CONVERSION, TOP_UPS, USD, BigInt(worth?.amount ?? 0))]
      : [
          ...posting(VAT, asset, BigInt(vat)),
          ...posting(SURPLUS, asset, BigInt(surplus)),
          ...posting(REFUNDED, asset, amount - BigInt(vat) - BigInt(surplus)),
        ]
  const given = [...posting(REFUNDS, asset, -amount), ...sold]
  return entryOf({ accountId }, kind, sign === 1n ? given : reversed(given))
}

type CardSum = { readonly accountId: string; readonly amount: Units; readonly currency: string; readonly test: boolean }

const between = ({ amount, currency }: CardSum, from: string, to: string): readonly BookPosting[] =>
  moved(from, to, currency, BigInt(amount))

/** Money that goes back from the card processor, with the VAT in it. */
const givenBack = (data: CardSum & { readonly aside?: true; readonly vat?: Units }): readonly BookPosting[] => {
  if (data.aside) return between(data, CARD, SUSPENSE)
  const [amount, tax] = [BigInt(data.amount), taxOf(data)]
  return [
    ...posting(CARD, data.currency, -amount),
    ...posting(VAT, data.currency, tax),
    ...posting(REFUNDED, data.currency, amount - tax),
  ]
}

const taxOf = ({ vat = '0' }: { readonly vat?: Units }): bigint => BigInt(vat)

const byCard = (data: CardSum, kind: BookKind, postings: readonly BookPosting[]): BookEntry | undefined =>
  data.test ? undefined : entryOf(data, kind, postings)
