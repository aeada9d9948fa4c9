import { TEST_COIN, unknownAssetText } from '../../../kernel/assets.ts'
import { inStore } from '../../../kernel/in-store.ts'
import { FIAT_DECIMALS, mulDivFloor, mulDivRound, RATE_DECIMALS, toDecimal, toUnits } from '../../../kernel/money.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { type OpenRequest, type PaymentRequestEvents, statusAt } from '../../../selling/payment-request.ts'
import type { TransactionEvents } from '../../../selling/transactions/transaction-events.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { ownAssets } from '../../account/own-assets.ts'
import { mustAnswer, type UseCaseContext } from '../../context.ts'
import type { Once } from '../../once.ts'
import { rateOf } from './challenge-entry.ts'
import { newTransaction } from './new-transaction.ts'
import { type ChallengeOffer, type OpeningOptions, openSet } from './open-challenge.ts'

/** How long a request may be open, by the words of the documents (L-JSN-14); the default is a day (N-40). */
export const EXPIRIES = { '15m': 900, '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const
export type Expiry = keyof typeof EXPIRIES

export type RequestWish = Omit<
  PaymentRequestEvents['PaymentRequestOpened'],
  'transactionId' | 'expiresAt' | 'expiry' | 'request'
> & {
  expiry: Expiry
  /** When the request ends (ISO 8601), where that is sooner than its `expiry`. */
  until?: string
  /** What the transaction of the request has beside the request's own fields. */
  record?: Partial<
    Pick<
      TransactionEvents['TransactionCreated'],
      'amount' | 'amountFiat' | 'vat' | 'vatDetails' | 'sealedVatDetails' | 'sealedDescription' | 'discountCode'
    >
  >
}

/** Opens a payment request with its transaction; a repeat of the same request answers the first one (X-IDEM-01). */
export const openRequest = (
  flow: UseCaseContext,
  once: Once,
  { record, until, ...wish }: RequestWish,
): Promise<OpenRequest & { requestId: string }> => {
  const { ledger, world } = flow
  const requestId = once.id('pr')
  const read = async () => ({ ...(await ledger.paymentRequest.read(requestId)), requestId })
  return once.make(read, async () => {
    const now = world.now()
    const latest = new Date(now.getTime() + EXPIRIES[wish.expiry] * 1_000).toISOString()
    const expiresAt = until !== undefined && until < latest ? until : latest
    const transactionId = await newTransaction(ledger, world, requestId, {
      ...transactionFor(requestId, wish, now.toISOString()),
      ...record,
      ...once.mark,
    })
    const { state } = await ledger.paymentRequest.open(requestId, { ...wish, transactionId, expiresAt, ...once.mark })
    return state.status === 'none' ? refuse('request-not-found') : { ...state, requestId }
  })
}

const transactionFor = (requestId: string, wish: RequestWish, createdAt: string) => {
  const { accountId, asset, assetAmount, decimals = 0, amount, currency, webhookUrl, test } = wish
  const { storeId, checkoutId, externalReference, title, note } = wish
  return {
    ...inStore(storeId),
    accountId,
    challengeId: null,
    resId: null,
    requestId,
    externalReference,
    title,
    description: note,
    type: 'payment-request' as const,
    cryptocurrency: asset ?? '',
    amount: assetAmount === null ? '' : toDecimal(BigInt(assetAmount), decimals),
    amountFiat: amount === null ? '' : toDecimal(BigInt(amount), FIAT_DECIMALS),
    currency,
    hash: '',
    payer: '',
    webhookUrl,
    test,
    createdAt,
    ...(checkoutId !== undefined && { checkoutId }),
  }
}

/** What the payer chose where the request leaves it open. `amount` is fiat, in millionths. */
export type Choice = { asset?: string | undefined; amount?: bigint | undefined }

/**
 * Opens challenges for a request, in the coin that was chosen or in all that it may be paid in. Refuses
 * `request-not-found`, `already-paid`, `challenge-expired`, `invalid-request` (no amount chosen), `unknown-asset`, and
 * as `openSet` does.
 */
export const openForRequest = async (
  flow: UseCaseContext,
  requestId: string,
  choice: Choice,
  opening: Omit<OpeningOptions, 'anonymous'> = {},
): Promise<ChallengeOffer> => {
  const { ledger, world } = flow
  const request = await ledger.paymentRequest.read(requestId)
  if (request.status === 'none') return refuse('request-not-found')
  const status = statusAt(request, world.now().toISOString())
  if (status === 'paid') return refuse('already-paid', 'this request is paid')
  if (status === 'expired') return refuse('challenge-expired', 'this request has expired')
  const offered = await coinsOf(ledger, request)
  const acceptedAssets = choice.asset === undefined ? offered : offered.filter((code) => code === choice.asset)
  const { accountId, storeId, transactionId, assetAmount, currency, webhookUrl, test, expiresAt } = request
  const amount = await amountOf(flow, request, choice)
  const vat = vatIn(request, amount)
  // A test can always be paid with play money.
  const plays = test && (choice.asset === undefined || choice.asset === TEST_COIN.code)
  if (acceptedAssets.length === 0 && !plays) return refuse('unknown-asset', 'this request is not paid in that coin')
  const terms = request.repriced.length
  const paymentRequest = { requestId, transactionId, ...(terms > 0 && { terms }) }
  const sold = { accountId, ...inStore(storeId), resId: null, paymentRequest }
  const offer = await openSet(
    flow,
    {
      ...sold,
      currency,
      webhookUrl,
      test,
      ...(assetAmount !== null && { assetAmount }),
      amount: String(amount),
      ...(vat !== undefined && { vat }),
      acceptedAssets,
      until: expiresAt,
    },
    { ...opening, anonymous: isStrangers(request) },
  )
  // The price may have changed, or the request been withdrawn, while the set was opened: nobody is told of that set.
  const after = await ledger.paymentRequest.read(requestId)
  const isStale = after.status !== 'none' && (after.withdrawn !== undefined || after.repriced.length !== terms)
  return isStale ? openForRequest(flow, requestId, choice, opening) : offer
}

/** The VAT in another price than the first is as large a share of it. */
export const vatIn = ({ vat }: Pick<OpenRequest, 'vat'>, amount: bigint): string | undefined =>
  vat && String(mulDivRound(BigInt(vat.amount), amount, BigInt(vat.of)))

/**
 * Whether strangers can have as many challenges of a request as they like. Buyers of a saved link or a cart, and people
 * who top something up, make the request themselves; a request whose amount the payer chooses has a set for each
 * amount. All other requests are the seller's own, each asked for once.
 */
const isStrangers = ({ checkoutId, checkoutSession, topUp, balanceTopUp, amount, assetAmount }: OpenRequest): boolean =>
  [checkoutId, checkoutSession, topUp, balanceTopUp].some((each) => each !== undefined) ||
  (amount === null && assetAmount === null)

/** The coins that a request may be paid in: the one that was agreed, or all that its seller takes. */
export const coinsOf = async (
  ledger: Ledger,
  { accountId, asset, assets }: Pick<OpenRequest, 'accountId' | 'asset' | 'assets'>,
): Promise<readonly string[]> =>
  asset === null ? (assets ?? Object.keys(await ledger.wallet.recent(accountId)).sort()) : [asset]

/**
 * The amount in millionths of the request's currency: the agreed one, the one worked out from the price in coin at
 * today's rate, or the payer's choice. Refuses `invalid-request`, `unknown-asset`, `unavailable`.
 */
const amountOf = async (flow: UseCaseContext, request: OpenRequest, choice: Choice): Promise<bigint> => {
  if (request.amount !== null) return BigInt(request.amount)
  if (request.assetAmount === null)
    return choice.amount && choice.amount > 0n
      ? choice.amount
      : refuse('invalid-request', 'amount: choose one, because this request leaves it to whoever pays')
  return worthOf(flow, { ...request, assetAmount: request.assetAmount })
}

/**
 * What an amount of coin is worth now, in millionths of the request's currency. Refuses `unknown-asset`,
 * `unavailable`.
 */
export const worthOf = async (
  flow: UseCaseContext,
  request: Pick<OpenRequest, 'accountId' | 'asset' | 'currency'> & { readonly assetAmount: string },
): Promise<bigint> => {
  const code = request.asset ?? ''
  const own =
    (await ownAssets(flow.ledger, request.accountId, [code], 'recent'))(code) ??
    refuse('unknown-asset', unknownAssetText(code))
  const rate = (await rateOf(flow, own)) ?? refuse('unavailable', `there is no price of ${code} right now`)
  const coin = toUnits(rate, RATE_DECIMALS)
  const fiat = toUnits(await mustAnswer('the rate source', flow.rates.usdPer(request.currency)), RATE_DECIMALS)
  return mulDivFloor(
    BigInt(request.assetAmount) * coin,
    10n ** BigInt(FIAT_DECIMALS),
    fiat * 10n ** BigInt(own.asset.decimals),
  )
}
