import { z } from 'zod'
import type { Asset } from '../../../domain/assets.ts'
import { EXPIRIES, type Expiry, openRequest, type RequestWish } from '../../../domain/flows/open-request.ts'
import { ownAssetNamed, walletOf } from '../../../domain/flows/own-assets.ts'
import { toDecimal, toUnits } from '../../../domain/money.ts'
import { refuse } from '../../../domain/refusal.ts'
import { statusAt } from '../../../domain/sell/payment-request.ts'
import type { PaymentRequestRow } from '../../../projections/payment-requests.ts'
import { endpoint } from '../endpoint.ts'
import { FiatAmount, fiatNumber, fiatUnits } from './amounts.ts'

/** Links that ask for one payment (J-PRQ-01 to J-PRQ-04). */

const TEXT_MAX = 500
const URL_MAX = 2048
const REQUESTS_SHOWN_MAX = 500
/** The default of the documents' closed list (N-40). */
const EXPIRY_DEFAULT = '24h'

const Opened = z
  .object({
    transaction_id: z.string(),
    encrypted_id: z.string(),
    url: z.url(),
    amount: z.number().nullable(),
    currency: z.string(),
    cryptocurrency: z.string(),
    expiry: z.string(),
    status: z.enum(['open', 'paid', 'expired']),
  })
  .meta({ id: 'PaymentRequest', description: 'A link that is open until it is paid or its time is up.' })

const Listed = Opened.extend({
  asset_amount: z.string().nullable(),
  title: z.string(),
  note: z.string(),
  redirect: z.string(),
  external_reference: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
}).meta({ id: 'ListedPaymentRequest' })

/** A coin amount as a JSON number, read from its shortest decimal form: at most 15 significant digits arrive exactly. */
const CoinAmount = z.number().positive().max(1e15)

const create = endpoint({
  method: 'post',
  path: '/v1/payment-requests',
  summary: 'Ask for one payment by a link',
  auth: 'key',
  capability: 'payment-links.create',
  idempotent: true,
  body: z.strictObject({
    amount: FiatAmount.optional(),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .optional(),
    asset: z.string().max(32).optional(),
    asset_amount: CoinAmount.optional(),
    cryptocurrency: z.string().max(32).optional(),
    title: z.string().max(TEXT_MAX).default(''),
    note: z.string().max(TEXT_MAX).default(''),
    expiry: z.enum(Object.keys(EXPIRIES) as [Expiry, ...Expiry[]]).default(EXPIRY_DEFAULT),
    redirect: z.httpUrl().max(URL_MAX).or(z.literal('')).default(''),
    external_reference: z.string().max(TEXT_MAX).default(''),
  }),
  returns: Opened,
  refusals: ['unknown-asset', 'wallet-missing', 'idempotency-conflict'],
  async answer({ body, actor, flow, once }) {
    const { accountId } = actor
    const currency = body.currency ?? (await flow.ledger.settings.read(accountId)).currency
    await flow.rates.usdPer(currency)
    if (body.external_reference.startsWith('res_'))
      return refuse('invalid-request', 'references that start with res_ are those of resources')
    const asset = chosenAsset(body.asset, body.cryptocurrency)
    const wallets = await flow.ledger.wallet.read(accountId)
    const own = asset === null ? undefined : await ownAssetNamed(flow.ledger, accountId, asset)
    if (own && !walletOf(own, wallets[own.asset.code]))
      return refuse('wallet-missing', `set a wallet for ${asset} first`)
    if (Object.keys(wallets).length === 0) return refuse('wallet-missing', 'set a wallet first: POST /v1/wallets')
    const request = await openRequest(flow, once, {
      ...{ accountId, currency, asset, webhookUrl: null, test: false },
      ...{ title: body.title, note: body.note, expiry: body.expiry, redirect: body.redirect },
      externalReference: body.external_reference,
      ...priceOf(body.amount, body.asset_amount, own?.asset),
    })
    return opened(flow.origins.pay, request)
  },
})

const list = endpoint({
  method: 'get',
  path: '/v1/payment-requests',
  summary: 'Payment requests, newest first',
  auth: 'key',
  capability: 'payment-links.view',
  returns: z.object({ payment_requests: z.array(Listed) }),
  async answer({ actor, flow, queries }) {
    const rows = await queries.paymentRequests(actor.accountId, REQUESTS_SHOWN_MAX)
    const now = flow.world.now().toISOString()
    return { payment_requests: rows.map((row) => listed(flow.origins.pay, row, now)) }
  },
})

const one = endpoint({
  method: 'get',
  path: '/v1/payment-requests',
  when: { id: true },
  summary: 'One payment request, by its encrypted id or the number of its transaction',
  auth: 'key',
  capability: 'payment-links.view',
  query: z.object({ id: z.string().max(64) }),
  returns: z.object({ payment_request: Listed }),
  refusals: ['request-not-found'],
  async answer({ query: { id }, actor, flow, queries }) {
    const row = await queries.paymentRequest(id)
    if (row?.accountId !== actor.accountId) return refuse('request-not-found', 'No such payment request.')
    return { payment_request: listed(flow.origins.pay, row, flow.world.now().toISOString()) }
  },
})

/** `asset` and `cryptocurrency` are one (N-40); two that differ are a mistake. */
const chosenAsset = (asset: string | undefined, cryptocurrency: string | undefined): string | null => {
  const code = asset ?? cryptocurrency ?? null
  if (asset !== undefined && cryptocurrency !== undefined && asset !== cryptocurrency)
    return refuse('invalid-request', 'asset and cryptocurrency differ')
  return code
}

const priceOf = (
  amount: number | undefined,
  assetAmount: number | undefined,
  asset: Asset | undefined,
): Pick<RequestWish, 'amount' | 'assetAmount' | 'decimals'> => {
  if (assetAmount === undefined)
    return { amount: amount === undefined ? null : String(fiatUnits(amount)), assetAmount: null }
  if (amount !== undefined) return refuse('invalid-request', 'amount or asset_amount, not both')
  const coin = asset ?? refuse('invalid-request', 'asset_amount needs asset')
  const text = plain(assetAmount)
  if ((text.split('.')[1] ?? '').length > coin.displayDecimals)
    return refuse('invalid-request', `${coin.code} amounts have at most ${coin.displayDecimals} places`)
  return { amount: null, assetAmount: String(toUnits(text, coin.decimals)), decimals: coin.decimals }
}

/** The shortest decimal form, without an exponent. */
const plain = (value: number): string =>
  /e/.test(String(value)) ? value.toFixed(18).replace(/\.?0+$/, '') : String(value)

type Shown = Pick<
  PaymentRequestRow,
  'requestId' | 'transactionId' | 'amount' | 'currency' | 'asset' | 'expiry' | 'status'
>

const opened = (pay: string, r: Shown): z.input<typeof Opened> => ({
  transaction_id: r.transactionId,
  encrypted_id: r.requestId,
  url: `${pay}/id/${r.requestId}`,
  amount: r.amount === null ? null : fiatNumber(r.amount),
  currency: r.currency,
  cryptocurrency: r.asset ?? '',
  expiry: r.expiry,
  status: r.status,
})

const listed = (pay: string, row: PaymentRequestRow, now: string): z.input<typeof Listed> => ({
  ...opened(pay, { ...row, status: statusAt(row, now) }),
  asset_amount: row.assetAmount === null ? null : toDecimal(BigInt(row.assetAmount), row.decimals ?? 0),
  title: row.title,
  note: row.note,
  redirect: row.redirect,
  external_reference: row.externalReference,
  created_at: row.createdAt,
  expires_at: row.expiresAt,
})

export const paymentRequestEndpoints = [create, list, one]
