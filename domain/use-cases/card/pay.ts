import { chargedFor } from '../../card/minor-units.ts'
import { type CardPayment, hasMoney } from '../../card/payment.ts'
import type { CardPlace } from '../../card/payment-events.ts'
import { inStore } from '../../kernel/in-store.ts'
import { mulDivFloor, RATE_DECIMALS, toUnits, type Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import { mustSell } from '../account/owner-keys.ts'
import { mustAnswer, type UseCaseContext } from '../context.ts'
import { vatIn } from '../selling/challenges/open-request.ts'
import { ownPriceOf } from '../selling/challenges/own-price.ts'
import { countedOf, goodsOf, holderOf } from '../selling/stock/goods.ts'
import { lendPieces } from '../selling/stock/lend-pieces.ts'
import { ATTEMPTS_MAX, cardPaymentId } from './attempts.ts'
import { closePage } from './close.ts'
import { processorFor, type UsedProcessor } from './processor.ts'
import { takeAnswer } from './settle.ts'

/**
 * Sends a buyer to pay by card on the processor's page for this very sale, and to the page that is already open when
 * there is one (N-31).
 */

export type CardSale = CardPlace & {
  /** Names the payment: what is bought and, where one thing is sold to many, by whose visit. */
  readonly origin: string
  /** Fiat price in millionths. */
  readonly amount: Units
  readonly currency: string
  readonly webhookUrl: string | null
  readonly test: boolean
  /** A keyed hash of the network that the buyer comes from. */
  readonly network?: string
  /** When the sale ends (ISO 8601); undefined when it does not. */
  readonly until?: string | undefined
  /** The page that the buyer comes from and goes back to. */
  readonly back: string
}

/** `url`: where to pay; null when it was paid before. */
export type CardCheckout = { readonly id: string; readonly url: string | null }

/**
 * The processor keeps a page open for half an hour at the least and a day at the most, by its own clock. Ours may be
 * ten minutes ahead of it, but one minute behind it: a page that is open for longer lets buyers pay what is over.
 */
const SHORTEST_MS = 32 * 60_000
const LONGEST_MS = 24 * 3_600_000 - 10 * 60_000
/** How long a buyer has to pay when the sale has no end of its own. */
const USUAL_MS = 60 * 60_000
/** A page that was asked for and never written down is asked for anew within this time; later it would be too short. */
const OPENING_MS = 60_000

/**
 * Refuses `out-of-stock` where no piece can be lent until the page is closed,
 * `unavailable` when the seller takes no cards for this, or the processor does not answer, and `state-forbids`
 * for what cannot be paid by card.
 */
export const payByCard = async (flow: UseCaseContext, sale: CardSale): Promise<CardCheckout> => {
  await mustSell(flow, sale.accountId)
  const processor = await processorFor(flow, sale)
  if (!processor) return refuse('unavailable', 'The seller takes no cards right now. Choose another way to pay.')
  const charged = chargedFor(sale.amount, sale.currency)
  if (charged === undefined)
    return refuse('state-forbids', 'This amount cannot be paid by card. Choose another way to pay.')
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const id = cardPaymentId(flow.world, sale.origin, attempt)
    const payment = await begun(flow, id, { ...sale, charged, attempt })
    const checkout = await checkoutOf(flow, processor, sale, { id, payment })
    if (checkout) return checkout.url === null ? checkout : stillWanted(flow, processor, sale, checkout)
  }
  return refuse('unavailable', 'Paying by card was tried too often. Please ask the seller for a new link.')
}

/**
 * Opening a page takes long. When its request was paid or withdrawn meanwhile, or the seller left the processor, nobody
 * is shown the page.
 */
const stillWanted = async (
  flow: UseCaseContext,
  processor: UsedProcessor,
  { accountId, test, paymentRequest }: CardSale,
  checkout: CardCheckout,
): Promise<CardCheckout> => {
  const request = paymentRequest && (await flow.ledger.paymentRequest.read(paymentRequest.requestId))
  const isOver = request !== undefined && request.status !== 'open'
  const now = await processorFor(flow, { accountId, test })
  if (!isOver && now?.secretKey === processor.secretKey) return checkout
  const outcome = await closePage(flow, checkout.id, processor)
  if (outcome === 'settled' || outcome === 'doubled') return { id: checkout.id, url: null }
  return isOver
    ? refuse('state-forbids', 'This takes no payment any more. Ask the seller for a new link.')
    : refuse('unavailable', AGAIN)
}

/** What a buyer is told when something that happened meanwhile ended the payment that was begun. */
const AGAIN = 'The payment could not be begun. Please try again.'

type Begun = { readonly id: string; readonly payment: CardPayment }
type Attempt = CardSale & { readonly charged: Units; readonly attempt: number }

const begun = async (flow: UseCaseContext, id: string, sale: Attempt): Promise<CardPayment> => {
  const { ledger, world, rates } = flow
  const known = await ledger.cardPayment.read(id)
  if (known.status !== 'none') return known
  const goods = await countedOf(ledger, await goodsOf(ledger, sale))
  const { accountId, storeId, resId, paymentRequest, amount, currency, charged, attempt, webhookUrl, test } = sale
  const rate = toUnits(await mustAnswer('the rate source', rates.usdPer(currency)), RATE_DECIMALS)
  const now = world.now().getTime()
  const wanted = sale.until === undefined ? USUAL_MS : Date.parse(sale.until) - now
  const vat = await vatOf(flow, sale)
  const usd = String(mulDivFloor(BigInt(amount), rate, 10n ** BigInt(RATE_DECIMALS)))
  const rateSource = rates.sourceOf?.(currency)
  // Pieces that others wait for are lent for no longer than coins would need.
  const life = Math.min(Math.max(wanted, SHORTEST_MS), goods.length > 0 ? USUAL_MS : LONGEST_MS)
  const expiresAt = new Date(now + life).toISOString()
  await lendPieces(ledger, { holder: holderOf(sale, id), goods, endsAt: expiresAt, network: sale.network })
  const { state } = await ledger.cardPayment.open(id, {
    accountId,
    ...inStore(storeId),
    resId,
    ...(paymentRequest && { paymentRequest }),
    amount,
    currency,
    charged,
    ...(vat !== undefined && { vat }),
    attempt,
    webhookUrl,
    test,
    usd,
    ...(rateSource !== undefined && { rateSource }),
    ...(await ownPriceOf(flow, { accountId, amount, currency, usd })),
    expiresAt,
  })
  return state.status === 'none' ? refuse('internal') : state
}

/** The VAT in the price, where the sale is of a request that is taxed. */
const vatOf = async ({ ledger }: UseCaseContext, { paymentRequest, amount }: CardSale): Promise<Units | undefined> => {
  const request = paymentRequest && (await ledger.paymentRequest.recent(paymentRequest.requestId))
  return request && request.status !== 'none' ? vatIn(request, BigInt(amount)) : undefined
}

/**
 * The page of a payment that was begun. Undefined when it leads nowhere any more, and the next attempt has to begin.
 */
const checkoutOf = async (
  flow: UseCaseContext,
  processor: UsedProcessor,
  sale: CardSale,
  { id, payment }: Begun,
): Promise<CardCheckout | undefined> => {
  if (hasMoney(payment)) return { id, url: null }
  const left = Date.parse(payment.expiresAt) - flow.world.now().getTime()
  const isSame = payment.amount === sale.amount && payment.currency === sale.currency
  if (payment.status !== 'open' || left <= 0 || !isSame) return undefined
  const { sessionId } = payment
  if (sessionId === undefined)
    return left < SHORTEST_MS - OPENING_MS ? undefined : open(flow, processor, sale, { id, payment })
  const told = await flow.cards.readCheckout(processor.secretKey, sessionId)
  if (told?.sessionId === sessionId && told.status === 'open' && told.url !== null) return { id, url: told.url }
  // The page is paid, being paid, or closed by now. A page of another account at the processor cannot be looked at.
  const outcome = told ? await takeAnswer(flow, id, told) : 'unasked'
  const isOver = outcome === 'failed' || outcome === 'unasked' || (outcome === 'waiting' && told?.status !== 'complete')
  return isOver ? undefined : { id, url: null }
}

const open = async (flow: UseCaseContext, processor: UsedProcessor, sale: CardSale, { id, payment }: Begun) => {
  const { charged, currency, expiresAt } = payment
  const { secretKey, productId } = processor
  const told = await flow.cards.openCheckout(secretKey, {
    reference: id,
    productId,
    currency,
    charged,
    expiresAt,
    successUrl: `${sale.back}?card=${id}`,
    cancelUrl: sale.back,
    // The seller may have changed the product since this page was asked for, and its id may have any form: hence a
    // digest.
    idempotencyKey: `card:${id}:${flow.world.digest(productId).slice(0, 32)}`,
  })
  if (told.reference !== id || told.charged !== charged || told.url === null)
    return refuse('unavailable', 'The card processor answers for another payment. Try again in a moment.')
  const { state } = await flow.ledger.cardPayment.place(id, { sessionId: told.sessionId })
  // Another call was given another page for this payment, or has ended it: money paid on this page would buy nothing.
  if (state.status !== 'open' || state.sessionId !== told.sessionId) return refuse('unavailable', AGAIN)
  return { id, url: told.url }
}
