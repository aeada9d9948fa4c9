import { assetOf } from '../../../domain/kernel/assets.ts'
import { inStore } from '../../../domain/kernel/in-store.ts'
import { PLATFORM } from '../../../domain/kernel/platform.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { OpenSet } from '../../../domain/selling/challenge-state.ts'
import { type Goods, type OpenRequest, statusAt } from '../../../domain/selling/payment-request.ts'
import type { CardSale } from '../../../domain/use-cases/card/pay.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { type ChallengeOffer, openChallenge } from '../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { type Choice, coinsOf, openForRequest } from '../../../domain/use-cases/selling/challenges/open-request.ts'
import type { Queries } from '../../../projections/index.ts'
import type { ResourceRow } from '../../../projections/selling/resources.ts'
import type { Brand } from '../pages/buyer/branding.ts'
import type { SaleHeading } from '../pages/buyer/choose.ts'
import type { BuyerLocale } from '../pages/buyer/messages/buyer-locale.ts'
import { symbolOf } from '../pages/plain-words.ts'

/** The three addresses that a person pays at, and what is for sale behind each (J-DOOR-03, J-DOOR-08, J-PRQ-02). */

export type Door = {
  readonly path: string
  find(id: string, flow: UseCaseContext, queries: Queries): Promise<SaleItem>
}

/** What is for sale; nothing in it names the seller's account to the buyer. */
export type SaleItem = {
  readonly id: string
  readonly accountId: string
  readonly title: string
  readonly note: string
  /** When it was last sold, where it goes on selling. */
  readonly soldAt?: string
  /** The id by which the seller knows the sale. */
  readonly reference: string
  /** The price in millionths of the currency; null when the payer chooses, or the price is in coin. */
  readonly amount: string | null
  readonly assetAmount: string | null
  /** Digits after the point of that coin. */
  readonly assetDecimals: number
  readonly currency: string
  readonly assets: readonly string[]
  readonly test: boolean
  /** It is paid to Daybook: what arrives is credited to the payer, also when it is less than was asked for. */
  readonly toBalance: boolean
  /** The URL to which this sale leads the buyer after paying; empty when the seller's settings say it. */
  readonly redirect: string
  /** The path of the cart that it pays, which leads to its order. */
  readonly orderAt?: string
  /** `paid` and `expired` take no payment any more. */
  readonly status: 'open' | 'paid' | 'expired'
  readonly expiresAt?: string
  /** The challenge that paid it, when it takes but one payment. */
  readonly paidBy?: string | undefined
  /** Whether buyers who look at it share one challenge, because it takes but one payment. */
  readonly shared: boolean
  /** The products whose pieces it takes, where they are counted. */
  readonly goods: readonly Goods[]
  /** What a payment by card is for; undefined where the sale is paid in a coin that was agreed, or to Daybook. */
  readonly card?: Pick<CardSale, 'storeId' | 'resId' | 'paymentRequest' | 'webhookUrl' | 'until'>
  isOwn(set: OpenSet): boolean
  /** `network`: a keyed hash of the one that the buyer comes from. */
  open(choice: Choice, network: string): Promise<ChallengeOffer>
}

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

const resourceDoor: Door = {
  path: '/r/:id',
  async find(id, flow, queries) {
    const row =
      (await queries.resource(id)) ??
      refuse('resource-not-found', 'There is no such resource, or it is not sold any more: look at the link again.')
    return { ...resourceOf(row, flow), status: row.settled ? 'paid' : 'open' }
  },
}

/** It always sells, however often it was sold. */
const checkoutDoor: Door = {
  path: '/checkout/:id',
  async find(id, flow, queries) {
    const row =
      (await queries.resourceByCheckout(id)) ??
      refuse('resource-not-found', 'There is no such checkout, or it is not sold any more: look at the link again.')
    const sold = resourceOf(row, flow)
    return row.settledAt === null ? sold : { ...sold, soldAt: row.settledAt }
  },
}

const resourceOf = (row: ResourceRow, flow: UseCaseContext): SaleItem => ({
  id: row.resId,
  accountId: row.accountId,
  title: row.title,
  note: '',
  reference: row.resId,
  amount: row.amount,
  assetAmount: null,
  assetDecimals: 0,
  currency: row.currency,
  assets: row.acceptedAssets,
  test: row.test,
  toBalance: false,
  redirect: '',
  status: 'open',
  shared: false,
  goods: [{ productId: row.resId, quantity: 1 }],
  card: { ...inStore(row.storeId), resId: row.resId, webhookUrl: row.webhookUrl },
  isOwn: (set) => set.resId === row.resId,
  open: ({ asset }, network) => openChallenge(flow, row.resId, { anonymous: true, network }, asset),
})

const requestDoor: Door = {
  path: '/id/:id',
  async find(id, flow) {
    const known = /^pr_[a-z2-7]{26}$/.test(id) ? await flow.ledger.paymentRequest.recent(id) : undefined
    if (!known || known.status === 'none')
      return refuse('request-not-found', 'There is no such payment request: look at the link again.')
    const { accountId, title, note, transactionId, amount, assetAmount, decimals, currency, asset, test, redirect } =
      known
    const assets = await coinsOf(flow.ledger, known)
    const cart = known.checkoutSession
    const status = statusAt(known, flow.world.now().toISOString())
    return {
      assetAmount,
      assetDecimals: decimals ?? assetOf(asset ?? '')?.decimals ?? 0,
      id,
      accountId,
      title,
      note,
      reference: transactionId,
      amount,
      currency,
      assets,
      test,
      redirect,
      toBalance: known.balanceTopUp !== undefined,
      ...(cart !== undefined && { orderAt: `/session/${cart}` }),
      status,
      expiresAt: known.expiresAt,
      paidBy: known.paidBy,
      shared: true,
      goods: known.goods ?? [],
      ...cardOf(id, known),
      isOwn: (set) => set.paymentRequest?.requestId === id,
      open: (choice, network) => openForRequest(flow, id, choice, { network }),
    }
  },
}

const cardOf = (requestId: string, known: OpenRequest): Pick<SaleItem, 'card'> => {
  const { storeId, transactionId, webhookUrl, expiresAt: until, asset, accountId } = known
  if (asset !== null || accountId === PLATFORM) return {}
  const paymentRequest = { requestId, transactionId }
  return { card: { ...inStore(storeId), resId: null, paymentRequest, webhookUrl, until } }
}

export const doors: readonly Door[] = [resourceDoor, checkoutDoor, requestDoor]

/**
 * The price as people write it; undefined while the payer has not said it. `chosen` is in millionths of the currency.
 */
export const priceOf = (
  { amount, assetAmount, assetDecimals, assets: [asset = ''], currency }: SaleItem,
  locale: BuyerLocale,
  chosen?: bigint | string,
): string | undefined => {
  if (assetAmount !== null) return `${locale.amount(BigInt(assetAmount), assetDecimals)} ${symbolOf(asset)}`
  const units = amount ?? chosen
  return units === undefined ? undefined : locale.price(units, currency)
}

/** What a sale asks for, as each of its pages begins. */
export const headingOf = (sold: SaleItem, locale: BuyerLocale, chosen?: bigint | string): SaleHeading => {
  const { moment, words } = locale
  const note = sold.soldAt === undefined ? sold.note : words.choose.paidBefore(moment(sold.soldAt))
  return { price: priceOf(sold, locale, chosen), title: sold.title, note }
}
