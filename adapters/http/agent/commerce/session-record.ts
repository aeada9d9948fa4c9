import { z } from 'zod'
import type { SessionLine } from '../../../../domain/commerce/session-events.ts'
import type { Session } from '../../../../domain/commerce/session-state.ts'
import type { CartTax, Sums } from '../../../../domain/commerce/totals.ts'
import { type WireTotal, wireDiscounts, wireTotals } from '../../../../domain/commerce/wire-totals.ts'
import { shopHandle, shopOrigin, shopPage } from '../../../../domain/storefront/shop.ts'
import { whyUnpayable } from '../../../../domain/use-cases/account/payable-coins.ts'
import { type ChallengesOf, isBeingPaid, statusNow } from '../../../../domain/use-cases/commerce/pay-session.ts'
import { openedPerson } from '../../../../domain/use-cases/commerce/person.ts'
import type { NamedSession } from '../../../../domain/use-cases/commerce/sessions.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { coinsOf } from '../../../../domain/use-cases/selling/challenges/open-request.ts'
import { authorize } from '../../../ap2/merchant-authorization.ts'
import { errorMessage, paymentHandlers, Ucp, ucpOf } from './ucp.ts'
import { cardUrl, handlersWith, isPaidByCard, type Ways } from './ways.ts'

/** A checkout session as it is told (C-SES-01, C-SES-06, C-SES-08; shapes of UCP 2026-04-08). */

const STATUSES = [
  'incomplete',
  'ready_for_complete',
  'complete_in_progress',
  'requires_escalation',
  'completed',
  'canceled',
] as const

const Total = z.looseObject({ type: z.string(), amount: z.int() })

export const SessionRecord = z
  .looseObject({
    ucp: Ucp,
    id: z.string(),
    status: z.enum(STATUSES),
    currency: z.string(),
    merchant: z.object({ id: z.string(), name: z.string(), website: z.url() }).meta({
      description: 'The store that sells, as AP2 names it: what `allowed_merchants` of a mandate is held against.',
    }),
    line_items: z.array(z.looseObject({ id: z.string(), quantity: z.int(), totals: z.array(Total).readonly() })),
    totals: z.array(Total).readonly(),
    links: z.array(z.object({ type: z.string(), url: z.url() })),
    expires_at: z.string(),
    payment_handlers: z.array(z.looseObject({})).readonly().optional(),
    ap2: z.looseObject({ merchant_authorization: z.string(), nonce: z.string(), aud: z.string() }),
  })
  .meta({ id: 'CheckoutSession', description: 'A cart with its sums in the smallest units of one currency.' })

export type SessionRecordOptions = {
  /** The protocol's own life cycle is wanted. */
  readonly ucp: boolean
  readonly challengesOf: ChallengesOf
  /** Ways to pay, once they are minted. */
  readonly ways?: Ways | undefined
  /** A card was chosen, and its holder has to go on. */
  readonly byCard?: boolean
  /** What went wrong with a payment that was sent. */
  readonly failed?: string | undefined
}

/**
 * The record of a session, signed by the seller as of the last change of its terms or status: so the same content has
 * the same signature.
 */
export const sessionRecord = async (
  flow: UseCaseContext,
  { sessionId, session }: NamedSession,
  told: SessionRecordOptions,
): Promise<z.input<typeof SessionRecord>> => {
  const { accountId, currency, expiresAt, nonce, order, touchedAt } = session
  const { buyer, context } = await openedPerson(flow.vault, session.person)
  const { base } = flow.origins
  const byCardToo = await isPaidByCard(flow, session)
  const content = {
    ucp: ucpOf('checkout', paymentHandlers(handlersWith(byCardToo), told.ways?.config)),
    id: sessionId,
    status: await statusOf(flow, session, told),
    currency,
    merchant: await merchantOf(flow, session),
    // The order's link may be passed on, and the order names the session: once there is an order, only the seller is
    // told who bought.
    ...(order === null && { ...(buyer && { buyer }), ...(context && { context }) }),
    line_items: session.lines.map((line) => lineRecord(line, session)),
    totals: wireTotals(sumsOf(session), taxOf(session)),
    ...(hasCodes(session) && { discounts: discountsOf(session) }),
    ...listed('messages', messagesOf(session, { ...told, unpayable: await whyNotPayable(flow, session, byCardToo) })),
    links: [],
    expires_at: expiresAt,
    continue_url: order === null ? continueUrl(flow, sessionId, session, told) : orderUrl(base, order.id),
    ...(order && { order: { id: order.id, permalink_url: orderUrl(base, order.id) } }),
    ...(told.ways && { payment_handlers: told.ways.list }),
  }
  const { authorization } = await authorize(flow, accountId, content, touchedAt)
  const receipt = session.mandate?.receipt
  return {
    ...content,
    ap2: {
      merchant_authorization: authorization,
      nonce,
      aud: audienceOf(flow, session),
      ...(receipt !== undefined && { checkout_receipt: receipt }),
    },
  }
}

/**
 * The store as a buyer's agent knows it, inside what is signed: an agent that is bound to some merchants finds this one
 * by its id, which is the audience too, or by its website (AP2, `Merchant`).
 */
const merchantOf = async (flow: UseCaseContext, session: Session) => {
  const { accountId } = session
  const [{ branding }, { chrome }] = await Promise.all([
    flow.ledger.settings.recent(accountId),
    flow.ledger.site.recent(accountId),
  ])
  const title = typeof chrome.title === 'string' ? chrome.title.trim() : ''
  const at = audienceOf(flow, session)
  return { id: at, name: (branding.brandName.trim() || title || 'Shop').slice(0, MERCHANT_NAME_MAX), website: at }
}

const MERCHANT_NAME_MAX = 200

/** The audience that a mandate has to be made out to. */
export const audienceOf = ({ origins }: UseCaseContext, { accountId, storeId }: Session): string => {
  const handle = shopHandle(accountId, storeId)
  return shopOrigin(origins.shop, handle) ?? shopPage(origins.pay, handle)
}

/** The address at which people and programs read an order. */
export const orderUrl = (base: string, orderId: string): string => `${base}/orders/${orderId}`

/** A page for a person: the cart, or where it is paid. */
const continueUrl = (
  flow: UseCaseContext,
  sessionId: string,
  session: Session,
  { byCard }: SessionRecordOptions,
): string => {
  const { pay } = flow.origins
  if (session.requestId === undefined) return `${pay}/session/${sessionId}`
  return byCard ? cardUrl(flow, session) : `${pay}/id/${session.requestId}`
}

type Status = (typeof STATUSES)[number]

/**
 * As the documents have it, a session is incomplete until somebody completes it, and ready until it is paid; a platform
 * is told that it is ready as soon as nothing is missing, and that it is being paid.
 */
const statusOf = async (
  flow: UseCaseContext,
  session: Session,
  { ucp, challengesOf, byCard }: SessionRecordOptions,
): Promise<Status> => {
  const status = await statusNow(flow, session, challengesOf)
  if (!ucp || status === 'completed' || status === 'canceled') return status
  if (session.unanswered) return 'incomplete'
  if (await isBeingPaid(flow, session, challengesOf)) return 'complete_in_progress'
  return byCard ? 'requires_escalation' : 'ready_for_complete'
}

const lineRecord = (line: SessionLine, session: Session) => ({
  id: line.id,
  item: { id: line.itemId, title: line.title, price: Number(line.unit) },
  quantity: line.quantity,
  totals: lineTotals(line, session),
  ...(line.priceCurrency !== session.currency && {
    presentment_currency: session.currency,
    exchange_rate: rateOf(line, session),
    exchange_rate_timestamp: session.createdAt,
  }),
})

export const lineTotals = (line: SessionLine, session: Session): readonly WireTotal[] =>
  wireTotals(bigints(line), taxOf(session))

/**
 * The price of one unit of the line's currency in the session's, as a decimal rounded to ten places: to be looked at,
 * not to be calculated with.
 */
const rateOf = ({ priceCurrency }: SessionLine, { rates, currency }: Session): string =>
  (Number(rates[priceCurrency] ?? 1) / Number(rates[currency] ?? 1)).toFixed(10).replace(/\.?0+$/, '')

export const sumsOf = ({ subtotal, discount, taxAmount, total }: Session): Sums =>
  bigints({ subtotal, discount, tax: taxAmount, total })

const bigints = ({ subtotal, discount, tax, total }: Pick<SessionLine, 'subtotal' | 'discount' | 'tax' | 'total'>) => ({
  subtotal: BigInt(subtotal),
  discount: BigInt(discount),
  tax: BigInt(tax),
  total: BigInt(total),
})

export const taxOf = ({ tax }: Session): CartTax | undefined => (tax ? { ...tax, rate: BigInt(tax.rate) } : undefined)

const hasCodes = ({ codes, unknownCodes }: Session): boolean => codes.length + unknownCodes.length > 0

const discountsOf = ({ codes, unknownCodes }: Session) => ({
  codes: [...codes.map(({ code }) => code), ...unknownCodes],
  applied: wireDiscounts({
    applied: codes.map((each) => ({
      ...each,
      amount: BigInt(each.amount),
      allocations: each.allocations.map(({ path, amount }) => ({ path, amount: BigInt(amount) })),
    })),
  }),
})

const messagesOf = (
  { lines, currency, codes, unknownCodes, unanswered = [] }: Session,
  { failed, byCard, unpayable }: SessionRecordOptions & { unpayable: string | undefined },
): readonly object[] => [
  ...lines.flatMap((line, index) => {
    const path = `$.line_items[${index}]`
    if (line.priceCurrency !== currency)
      return [
        warning('currency_converted', `The price is in ${line.priceCurrency}, converted at a rate that stays.`, path),
      ]
    return line.exact
      ? []
      : [
          warning(
            'price_rounded',
            'The price has a fraction of the smallest unit: the line is rounded as a whole.',
            path,
          ),
        ]
  }),
  ...unknownCodes.map((code, index) =>
    warning('discount_code_invalid', `${code} is no code here.`, `$.discounts.codes[${codes.length + index}]`),
  ),
  ...unanswered.map((label) =>
    errorMessage('missing', `The seller asks every buyer: ${label}`, 'recoverable', '$.custom_fields'),
  ),
  ...(unpayable === undefined ? [] : [warning('payment_unavailable', unpayable, '$.payment_handlers')]),
  ...(byCard ? [CARD_ENTRY] : []),
  ...(failed === undefined ? [] : [errorMessage('payment_failed', failed, 'recoverable', '$.payment.instruments')]),
]

/** Why nobody could pay the session as things are; undefined when somebody could, and once nobody has to. */
const whyNotPayable = async (
  flow: UseCaseContext,
  { accountId, assets, status, test }: Session,
  byCard: boolean,
): Promise<string | undefined> => {
  if (byCard || test || status === 'completed' || status === 'canceled') return undefined
  const coins = await coinsOf(flow.ledger, { accountId, asset: null, ...(assets && { assets }) })
  return whyUnpayable(flow, accountId, coins)
}

/** What UCP calls a handover: an agent never sees a card. */
const CARD_ENTRY = errorMessage(
  'card_entry_required',
  'The buyer pays by card on the page of the seller’s card processor, to which continue_url leads.',
  'requires_buyer_input',
  '$.payment.instruments',
)

const warning = (code: string, content: string, path: string) => ({ type: 'warning', code, content, path })

const listed = (name: string, items: readonly object[]) => (items.length > 0 ? { [name]: items } : {})
