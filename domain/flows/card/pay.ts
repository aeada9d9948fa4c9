import { chargedFor } from '../../card/minor-units.ts'
import { type CardPayment, hasMoney } from '../../card/payment.ts'
import type { CardPlace } from '../../card/payment-events.ts'
import type { Ledger } from '../../ledger.ts'
import { mulDivFloor, RATE_DECIMALS, toUnits, type Units } from '../../money.ts'
import type { World } from '../../ports.ts'
import { refuse } from '../../refusal.ts'
import { inStore } from '../../sell/in-store.ts'
import { answered, type Flow } from '../flow.ts'
import { hookIdOf, modeFor, processorOf, type UsedProcessor } from './processor.ts'
import { lookAtCheckout } from './settle.ts'

/** A buyer goes to pay by card: to the processor's page for this very sale, the one that is open already where there is one (N-31). */

export type CardSale = CardPlace & {
  /** What is bought, and by whose visit where one thing is sold to many: it names the payment. */
  readonly origin: string
  /** Fiat price in millionths. */
  readonly amount: Units
  readonly currency: string
  readonly webhookUrl: string | null
  readonly test: boolean
  /** When what is bought is not for sale any more. */
  readonly until?: string | undefined
  /** The page that the buyer comes from and goes back to. */
  readonly back: string
}

/** `url`: where to pay; null when it was paid before. */
export type CardCheckout = { readonly id: string; readonly url: string | null }

/** Pages of the processor that one sale may open one after the other. */
const ATTEMPTS_MAX = 20
/** The processor keeps a page open for half an hour at the least and a day at the most; ours is within that when it is opened. */
const SHORTEST_MS = 32 * 60_000
const LONGEST_MS = 24 * 3_600_000 - 60_000
/** How long a buyer has who is given no time of their own. */
const USUAL_MS = 60 * 60_000
/** A page that was asked for and never written down is asked for anew within this time; later it would be too short. */
const OPENING_MS = 60_000

/**
 * Refuses `unavailable` when the seller takes no cards for this, or the processor does not answer, and `state-forbids` for what cannot be
 * paid by card.
 */
export const payByCard = async (flow: Flow, sale: CardSale): Promise<CardCheckout> => {
  const processor = await processorOf(flow, sale.accountId, modeFor(sale.test))
  if (!processor) return refuse('unavailable', 'The seller takes no cards right now.')
  const charged = chargedFor(sale.amount, sale.currency)
  if (charged === undefined) return refuse('state-forbids', 'This amount cannot be paid by card.')
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const id = cardPaymentId(flow.world, sale.origin, attempt)
    const payment = await begun(flow, id, { ...sale, charged, attempt })
    const checkout = await checkoutOf(flow, processor, sale, { id, payment })
    if (checkout) return checkout
  }
  return refuse('unavailable', 'Paying by card was tried too often. Please ask the seller for a new link.')
}

/** Whether somebody may still be paying by card: a page is open, or what was paid is being taken. */
export const isPayingByCard = async (
  { ledger, world }: { readonly ledger: Pick<Ledger, 'cardPayment'>; readonly world: World },
  origin: string,
): Promise<boolean> => {
  const now = world.now().toISOString()
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const payment = await ledger.cardPayment.read(cardPaymentId(world, origin, attempt))
    if (payment.status === 'none') return false
    if (payment.status === 'reported' || (payment.status === 'open' && payment.expiresAt > now)) return true
  }
  return false
}

/** The same payment for the same sale and attempt, so that whoever asks twice is led to one page. */
const cardPaymentId = (world: World, origin: string, attempt: number): string =>
  world.idFrom('cp', 'card-payment', origin, String(attempt))

type Begun = { readonly id: string; readonly payment: CardPayment }
type Attempt = CardSale & { readonly charged: Units; readonly attempt: number }

const begun = async (flow: Flow, id: string, sale: Attempt): Promise<CardPayment> => {
  const { ledger, world, rates } = flow
  const known = await ledger.cardPayment.read(id)
  if (known.status !== 'none') return known
  const { accountId, storeId, resId, paymentRequest, amount, currency, charged, attempt, webhookUrl, test } = sale
  const rate = toUnits(await answered('the rate source', rates.usdPer(currency)), RATE_DECIMALS)
  const now = world.now().getTime()
  const wanted = sale.until === undefined ? USUAL_MS : Date.parse(sale.until) - now
  const life = Math.min(Math.max(wanted, SHORTEST_MS), LONGEST_MS)
  const { state } = await ledger.cardPayment.open(id, {
    ...{ accountId, ...inStore(storeId), resId, ...(paymentRequest && { paymentRequest }) },
    ...{ amount, currency, charged, attempt, webhookUrl, test },
    usd: String(mulDivFloor(BigInt(amount), rate, 10n ** BigInt(RATE_DECIMALS))),
    expiresAt: new Date(now + life).toISOString(),
  })
  return state.status === 'none' ? refuse('internal') : state
}

/** Undefined when this one leads nowhere any more, and the next has to be begun. */
const checkoutOf = async (
  flow: Flow,
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
  // Paid, on its way, or closed by now; of another account of the processor it is none that can be looked at.
  const outcome = told ? await lookAtCheckout(flow, id) : 'waiting'
  const isOver = told?.status !== 'complete' && outcome === 'waiting'
  return isOver ? undefined : { id, url: null }
}

const open = async (flow: Flow, processor: UsedProcessor, sale: CardSale, { id, payment }: Begun) => {
  const { accountId, attempt, charged, currency, expiresAt } = payment
  const { secretKey, productId } = processor
  const told = await flow.cards.openCheckout(secretKey, {
    ...{ reference: id, productId, currency, charged, expiresAt },
    ...{ successUrl: `${sale.back}?card=${id}`, cancelUrl: sale.back },
    idempotencyKey: `card:${hookIdOf(flow, accountId)}:${sale.origin}:${attempt}`,
  })
  if (told.reference !== id || told.charged !== charged || told.url === null)
    return refuse('unavailable', 'The card processor answers for another payment.')
  await flow.ledger.cardPayment.place(id, { sessionId: told.sessionId })
  return { id, url: told.url }
}
