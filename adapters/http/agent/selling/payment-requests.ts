import { z } from 'zod'
import { plainDecimal, toDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { statusAt } from '../../../../domain/selling/payment-request.ts'
import { closePages } from '../../../../domain/use-cases/card/close.ts'
import { askForGoods, type GoodsWish } from '../../../../domain/use-cases/commerce/ask-for-goods.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Once } from '../../../../domain/use-cases/once.ts'
import { askPayment, EXPIRY_DEFAULT } from '../../../../domain/use-cases/selling/challenges/ask-payment.ts'
import { type CancelParts, cancelRequest } from '../../../../domain/use-cases/selling/challenges/cancel-request.ts'
import { EXPIRIES, type Expiry } from '../../../../domain/use-cases/selling/challenges/open-request.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { PaymentRequestRow } from '../../../../projections/selling/payment-requests.ts'
import { listsTests, mayUse } from '../../core/actor.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { StoreId, storeOf } from '../../core/stores.ts'
import { marked } from '../common/accepts.ts'
import { CurrencyCode, FiatAmount, fiatNumber, fiatUnits } from '../common/amounts.ts'
import { isTest, longPage, search, wordsIn } from '../common/paging.ts'

/** Links that ask for one payment (J-PRQ-01 to J-PRQ-04). */

const TEXT_MAX = 500
const URL_MAX = 2048
/** Products of one request, and pieces of each. */
const ITEMS_MAX = 100
const ITEM_QUANTITY_MAX = 1_000
const Opened = z
  .object({
    transaction_id: z.string(),
    encrypted_id: z.string(),
    url: z.url(),
    amount: z.number().nullable(),
    currency: z.string(),
    asset_amount: z.string().nullable(),
    cryptocurrency: z.string(),
    expiry: z.string(),
    status: z.enum(['open', 'paid', 'expired']),
    test: z.literal(true).optional(),
    till: z.literal(true).optional(),
  })
  .meta({
    id: 'PaymentRequest',
    description:
      'A link that is open until it is paid or its time is up. It asks for `amount` of `currency`, or for `asset_amount` of `cryptocurrency`; the other one is null.',
  })

export const Listed = Opened.extend({
  title: z.string(),
  note: z.string(),
  redirect: z.string(),
  external_reference: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
}).meta({ id: 'ListedPaymentRequest' })

/**
 * A coin amount as a JSON number, read from its shortest decimal form: at most 15 significant digits arrive exactly.
 */
const CoinAmount = z.number().positive().max(1e15)

/** What is said of a new payment request. */
export const NewRequest = z.strictObject({
  amount: FiatAmount.optional(),
  currency: CurrencyCode.optional(),
  asset: z.string().max(32).optional(),
  asset_amount: CoinAmount.optional(),
  cryptocurrency: z.string().max(32).optional(),
  title: z.string().max(TEXT_MAX).default(''),
  note: z.string().max(TEXT_MAX).default(''),
  expiry: z.enum(Object.keys(EXPIRIES) as [Expiry, ...Expiry[]]).default(EXPIRY_DEFAULT),
  redirect: z.httpUrl().max(URL_MAX).or(z.literal('')).default(''),
  external_reference: z.string().max(TEXT_MAX).default(''),
  store_id: StoreId.optional(),
  items: z
    .array(z.strictObject({ id: z.string().max(64), quantity: z.int().min(1).max(ITEM_QUANTITY_MAX) }))
    .min(1)
    .max(ITEMS_MAX)
    .optional()
    .meta({
      description: 'Products that are paid with it, at the price of a cart of them; then leave out the amount.',
    }),
  till: z.literal(true).optional().meta({ description: 'It is a sale at the counter of the store.' }),
})

const create = endpoint({
  method: 'post',
  path: '/v1/payment-requests',
  summary: 'Ask for one payment by a link',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'payment-links.create', sandbox: 'secret' },
  idempotent: true,
  body: NewRequest,
  returns: Opened,
  refusals: [
    'unknown-asset',
    'wallet-missing',
    'rate-missing',
    'idempotency-conflict',
    'store-not-found',
    'item-not-found',
    'out-of-stock',
    'unavailable',
  ],
  answer: openOwnRequest,
})

type OpenRequestCall = {
  readonly body: z.output<typeof NewRequest>
  readonly actor: Actor
  readonly flow: UseCaseContext
  readonly once: Once
}

/** Opens a payment request with the rules of `POST /v1/payment-requests`. */
export async function openOwnRequest({ body, actor, flow, once }: OpenRequestCall): Promise<z.input<typeof Opened>> {
  if (body.items) return opened(flow.origins.pay, await openForGoods({ body, actor, flow, once }, body.items))
  const asset = chosenAsset(body.asset, body.cryptocurrency)
  if (body.asset_amount !== undefined && body.amount !== undefined)
    return refuse('invalid-request', 'amount and asset_amount: send one of them')
  if (body.asset_amount !== undefined && asset === null)
    return refuse('invalid-request', 'asset_amount: send its coin with it, as asset')
  const request = await askPayment(flow, once, {
    accountId: actor.accountId,
    storeId: await storeOf(flow, actor, body.store_id),
    amount: body.amount === undefined ? null : fiatUnits(body.amount),
    assetAmount: body.asset_amount === undefined ? null : plainDecimal(body.asset_amount),
    currency: body.currency,
    asset,
    expiry: body.expiry,
    redirect: body.redirect,
    title: body.title,
    note: body.note,
    externalReference: body.external_reference,
    test: actor.testOnly,
    ...(body.till && { till: true as const }),
  })
  return opened(flow.origins.pay, request)
}

/** The products say what it costs and how it is called. */
const openForGoods = async ({ body, actor, flow, once }: OpenRequestCall, items: GoodsWish['items']) => {
  const { amount, asset_amount, currency, asset, cryptocurrency, title, note } = body
  const surplus = Object.entries({ amount, asset_amount, currency, asset, cryptocurrency, title, note }).find(
    ([, value]) => value !== undefined && value !== '',
  )
  if (surplus) return refuse('invalid-request', `${surplus[0]}: the items say it, so leave it out`)
  const { expiry, redirect, external_reference: externalReference } = body
  const shop = { accountId: actor.accountId, storeId: await storeOf(flow, actor, body.store_id) }
  const till = body.till && { till: true as const }
  return askForGoods(flow, once, { shop, items, expiry, redirect, externalReference, test: actor.testOnly, ...till })
}

const cancel = endpoint({
  method: 'delete',
  path: '/v1/payment-requests',
  summary: 'Cancel a payment request that nobody has paid; its link takes no payment any more',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'payment-links.create', sandbox: 'secret' },
  query: z.object({ id: z.string().max(64) }),
  returns: z.object({ payment_request: Listed }),
  refusals: ['request-not-found', 'already-paid', 'state-forbids', 'unavailable'],
  async answer({ query: { id }, actor, flow, queries }) {
    const row = await queries.paymentRequest(id, actor.accountId)
    if (!row || !mayUse(actor, row)) return refuse('request-not-found')
    const { status } = await cancelRequest(flow, row.requestId, cancelParts(flow, queries))
    return { payment_request: listed(flow.origins.pay, { ...row, status }, flow.world.now().toISOString()) }
  },
})

/** What canceling a request asks of the rows and of card processors. */
export const cancelParts = (flow: UseCaseContext, queries: Queries): CancelParts => ({
  challengesOf: queries.challengesOfRequest,
  closePages: (requestId) => closePages(flow, requestId),
})

const list = endpoint({
  method: 'get',
  path: '/v1/payment-requests',
  summary: 'Payment requests, newest first: live ones, or with is_test=1 those for tests',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'payment-links.view', sandbox: 'secret' },
  query: z.object({ ...longPage.query, is_test: isTest, search }),
  returns: z.object({ payment_requests: z.array(Listed) }),
  answer: async (request) => ({ payment_requests: await listRequests(request, request.query) }),
})

type RequestContext = { readonly actor: Actor; readonly flow: UseCaseContext; readonly queries: Queries }

type RequestList = Parameters<typeof longPage.of>[0] & {
  readonly is_test?: '0' | '1' | undefined
  readonly search?: string | undefined
  readonly store_id?: readonly number[] | undefined
  readonly status?: 'open' | 'paid' | 'expired' | undefined
  readonly before?: string | undefined
}

/** The payment requests that the caller may see, newest first. */
export const listRequests = async (
  { actor, flow, queries }: RequestContext,
  { is_test, search: words, store_id, status, before, ...asked }: RequestList,
): Promise<z.input<typeof Listed>[]> => {
  const { limit, offset } = longPage.of(asked)
  const now = flow.world.now().toISOString()
  const which = { test: listsTests(actor, is_test), stores: store_id ?? actor.storeScope, ...wordsIn(words), before }
  const wish = { ...which, status: status && { is: status, now } }
  const rows = await queries.paymentRequests(actor.accountId, wish, limit, offset)
  return rows.map((row) => listed(flow.origins.pay, row, now))
}

const one = endpoint({
  method: 'get',
  path: '/v1/payment-requests',
  when: { id: true },
  summary: 'One payment request, by its encrypted id or the number of its transaction',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'payment-links.view', sandbox: 'secret' },
  query: z.object({ id: z.string().max(64) }),
  returns: z.object({ payment_request: Listed }),
  refusals: ['request-not-found'],
  answer: async (request) => ({ payment_request: await oneRequest(request, request.query.id) }),
})

/** Refuses `request-not-found`. */
export const oneRequest = async (
  { actor, flow, queries }: RequestContext,
  id: string,
): Promise<z.input<typeof Listed>> => {
  const row = await queries.paymentRequest(id, actor.accountId)
  if (!row || !mayUse(actor, row)) return refuse('request-not-found')
  return listed(flow.origins.pay, row, flow.world.now().toISOString())
}

/** `asset` and `cryptocurrency` mean the same (N-40); two that differ are a mistake. */
const chosenAsset = (asset: string | undefined, cryptocurrency: string | undefined): string | null => {
  const code = asset ?? cryptocurrency ?? null
  if (asset !== undefined && cryptocurrency !== undefined && asset !== cryptocurrency)
    return refuse('invalid-request', 'asset and cryptocurrency: they mean the same, and differ here; send one of them')
  return code
}

type PaymentRequestFacts = Pick<
  PaymentRequestRow,
  'requestId' | 'transactionId' | 'amount' | 'currency' | 'asset' | 'assetAmount' | 'expiry' | 'status' | 'test'
> & { readonly decimals?: number | null; readonly till?: boolean }

const opened = (pay: string, r: PaymentRequestFacts): z.input<typeof Opened> => ({
  transaction_id: r.transactionId,
  encrypted_id: r.requestId,
  url: `${pay}/id/${r.requestId}`,
  amount: r.amount === null ? null : fiatNumber(r.amount),
  currency: r.currency,
  asset_amount: r.assetAmount === null ? null : toDecimal(BigInt(r.assetAmount), r.decimals ?? 0),
  cryptocurrency: r.asset ?? '',
  expiry: r.expiry,
  status: r.status,
  ...marked(r),
  ...(r.till && { till: true as const }),
})

const listed = (pay: string, row: PaymentRequestRow, now: string): z.input<typeof Listed> => ({
  ...opened(pay, { ...row, status: statusAt(row, now) }),
  title: row.title,
  note: row.note,
  redirect: row.redirect,
  external_reference: row.externalReference,
  created_at: row.createdAt,
  expires_at: row.expiresAt,
})

export const paymentRequestEndpoints = [create, cancel, list, one]
