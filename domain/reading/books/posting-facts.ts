import { mulDivRound, type Units } from '../../kernel/money.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import type { TransferData } from '../../selling/challenge-terms.ts'
import type { BookEntry, BookPosting } from './entry.ts'
import { type Priced, pricedOf } from './priced.ts'

/**
 * What an entry says beside its postings, as far as its event knows it: what it belongs to, who stands on the other
 * side, and what each posting was worth at that moment. Nobody is told by name: a counterparty is an id or an address.
 */

export type EntryFacts = {
  /** What is settled or billed: a payment request, an intent, a mandate, a top-up. */
  readonly order: string | undefined
  /** Our name for what the platform gives, takes or carries. A sale has its seller's, which another event says. */
  readonly document: string | undefined
  /** An account, a user, an app, `platform`, or the address of a payer; several ids where several are paid at once. */
  readonly counterparty: string | undefined
  readonly hash: string | undefined
  readonly payer: string | undefined
  readonly minedAt: string | undefined
  /** Who said the rates; undefined where nothing was converted. */
  readonly rateSource: string | undefined
  /** In the order of the postings. */
  readonly values: readonly PostingValue[]
}

/** Signed as the posting, in millionths: of a US dollar, and of the currency that the holder of the books counts in. */
type PostingValue = {
  readonly usd?: Units
  readonly value?: Units
  readonly currency?: string
}

type BookedEvent = { readonly type: string; readonly data: object; readonly stream: string }

/** What any booked event may say of these things. */
type KnownFields = {
  readonly transfer?: TransferData
  /** The transfer that sends `transfer` back. */
  readonly back?: TransferData
  readonly accountId?: string
  readonly holder?: string
  readonly paymentRequest?: { readonly requestId: string }
  readonly intentId?: string
  readonly mandateId?: string
  readonly topUpId?: string
  readonly ledgerRef?: string
  readonly reason?: string
  readonly ref?: string
  readonly purchaseId?: string
  readonly order?: { readonly id?: string }
  readonly from?: string
  readonly legs?: readonly { readonly to: string }[]
  readonly sub?: string
}

/** The facts of one entry of an event. */
export const entryFactsOf = (event: BookedEvent, entry: BookEntry): EntryFacts => {
  const data = event.data as KnownFields
  const priced = pricedOf(event.type, event.data)
  const transfer = data.back ?? data.transfer
  return {
    order: orderOf(event.type, data),
    document: documentOf(event.type, data),
    counterparty: counterpartyOf(event, data, entry),
    hash: transfer?.tx,
    payer: transfer?.from,
    minedAt: transfer?.minedAt,
    rateSource: priced && sourceOf(priced, entry),
    values: valuesOf(entry, priced),
  }
}

const orderOf = (type: string, data: KnownFields): string | undefined =>
  data.paymentRequest?.requestId ??
  data.intentId ??
  data.mandateId ??
  data.topUpId ??
  (CREDIT_TYPES.has(type) && data.reason?.startsWith('top-up') ? data.ref : undefined)

const CREDIT_TYPES: ReadonlySet<string> = new Set(['CreditGranted', 'CreditDebited'])

/** `platform-fee.ch_….eth`: what was billed or given, and for what. Transfers have a name that receipts know, too. */
const documentOf = (type: string, { ledgerRef, reason, ref, purchaseId, order }: KnownFields): string | undefined => {
  if (ledgerRef !== undefined) return ledgerRef
  const what = CREDIT_TYPES.has(type) ? reason : DOCUMENTS[type]
  const which = ref ?? purchaseId ?? order?.id
  return what === undefined || which === undefined ? undefined : `${what}.${which}`
}

const DOCUMENTS: Readonly<Record<string, string>> = {
  OwedCreditCollected: 'owed-credit',
  SeatPaid: 'seat',
  LanderPackBought: 'lander-pack',
  PointsRedeemed: 'points',
}

/** Types whose transfer is the seller's own, back to a payer. */
const GIVEN_BACK: ReadonlySet<string> = new Set(['RefundSent', 'RefundUnsent'])

const counterpartyOf = (event: BookedEvent, data: KnownFields, { view, postings }: BookEntry): string | undefined => {
  const { holder, accountId, back, transfer = back } = data
  if (transfer) {
    // The money that was kept for somebody else is handed over to whose it is.
    if (holder !== undefined && view === viewOf(holder)) return accountId
    return GIVEN_BACK.has(event.type) && !back ? transfer.to : transfer.from
  }
  if (view === PLATFORM) {
    const holders = postings.flatMap(({ account }) => HOLDER.exec(account)?.[1] ?? [])
    return idsOf(holders) ?? idsOf(othersOf(data)) ?? accountId
  }
  if (view.startsWith('seller:')) return SOLD_BY_CARD.test(event.type) ? undefined : creditorOf(event)
  return idsOf(othersOf(data)) ?? PLATFORM
}

/** Payments by card and recorded refunds do not say who the buyer is. */
const SOLD_BY_CARD = /^Card/

/** Only what is about a seller's credit has the platform on its other side. */
const creditorOf = ({ stream }: BookedEvent): string | undefined =>
  stream.startsWith('creditAccount-') ? PLATFORM : undefined

/** The platform's claims and debts, which name whose they are. */
const HOLDER = /:((?:acc|usr|app)_[a-z0-9]+)$/

const othersOf = ({ legs, from, sub }: KnownFields): readonly string[] => {
  if (legs) return legs.map(({ to }) => idOfRef(to))
  if (from !== undefined) return [idOfRef(from)]
  return sub === undefined ? [] : [sub]
}

/** The id in `user:usr_…`, or `platform`. */
const idOfRef = (ref: string): string => ref.slice(ref.indexOf(':') + 1)

const idsOf = (ids: readonly string[]): string | undefined =>
  ids.length === 0 ? undefined : [...new Set(ids)].join(' ')

const viewOf = (accountId: string): string => (accountId === PLATFORM ? PLATFORM : `seller:${accountId}`)

/** What an old event, which does not say who had said the rate, says in place of it. */
const OF_CHALLENGE = 'rate of the challenge'
const USD = 'USD'

const sourceOf = ({ asset, usd, rateSource, ownPrice }: Priced, { view }: BookEntry): string | undefined => {
  const coin = asset === USD || usd === undefined ? [] : [rateSource ?? OF_CHALLENGE]
  const own =
    ownPrice?.source === undefined || !view.startsWith('seller:') ? [] : [`${ownPrice.currency} ${ownPrice.source}`]
  const [first, ...more] = [...coin, ...own]
  return first === undefined ? undefined : [first, ...more.filter((each) => !each.endsWith(` ${first}`))].join(' / ')
}

const valuesOf = ({ view, postings }: BookEntry, priced: Priced | undefined): readonly PostingValue[] => {
  const usd = inMoney(postings, USD, priced, priced?.usd)
  const own = view.startsWith('seller:') ? priced?.ownPrice : undefined
  if (view.startsWith('seller:') && !own) return usd.map((each) => (each === undefined ? {} : { usd: each }))
  const currency = own?.currency ?? USD
  const values = own ? inMoney(postings, currency, priced, own.amount) : usd
  return postings.map((_, n) => {
    const [dollars, value] = [usd[n], values[n]]
    return { ...(dollars !== undefined && { usd: dollars }), ...(value !== undefined && { value, currency }) }
  })
}

/**
 * What each posting is worth in a currency where all of what is priced is worth `whole`; undefined where nobody knows.
 * The worth of every asset sums to zero, as its postings do: what is rounded is the sum so far.
 */
const inMoney = (
  postings: readonly BookPosting[],
  currency: string,
  priced: Priced | undefined,
  whole: Units | undefined,
): readonly (Units | undefined)[] => {
  let [units, worth] = [0n, 0n]
  return postings.map(({ asset, amount }) => {
    if (asset === currency) return amount
    if (asset !== priced?.asset || whole === undefined || priced.of === '0') return undefined
    const before = worth
    units += BigInt(amount)
    worth = scaled(units, BigInt(whole), BigInt(priced.of))
    return String(worth - before)
  })
}

const scaled = (units: bigint, whole: bigint, of: bigint): bigint =>
  units < 0n ? -mulDivRound(-units, whole, of) : mulDivRound(units, whole, of)
