import { z } from 'zod'
import { DEFAULT_STORE } from '../../../domain/kernel/in-store.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { OpenRequest } from '../../../domain/selling/payment-request.ts'
import { isGone } from '../../../domain/selling/transactions/transaction.ts'
import { type TransactionRecord, transactionRecord } from '../../../domain/selling/transactions/transaction-record.ts'
import { onceOf } from '../../../domain/use-cases/once.ts'
import {
  askPayment,
  EXPIRY_DEFAULT,
  type PaymentLinkTerms,
} from '../../../domain/use-cases/selling/challenges/ask-payment.ts'
import { EXPIRIES, type Expiry } from '../../../domain/use-cases/selling/challenges/open-request.ts'
import { marked } from '../agent/common/accepts.ts'
import type { Actor } from '../core/endpoint.ts'
import { StoreId, storeOf } from '../core/stores.ts'
import { validInput } from '../core/valid.ts'
import { consoleFunction } from './console-function.ts'
import { CoinCode, CurrencyCode, Decimal, FiatDecimal, optionalField } from './fields.ts'

/** A checkout or invoice of one payment (M-TXN-01, M-TXN-02). */

const TEXT_MAX = 500
const URL_MAX = 2048

const Text = z.string().max(TEXT_MAX).default('')

/** The fields of a payment that is asked for; the surface adds who asks. */
const Body = z.object({
  amount: Decimal,
  cryptocurrency_code: optionalField(CoinCode),
  currency_code: optionalField(CurrencyCode),
  expiry: optionalField(z.enum(Object.keys(EXPIRIES) as [Expiry, ...Expiry[]])),
  external_reference: Text,
  title: Text,
  description: Text,
  redirect: z.httpUrl().max(URL_MAX).or(z.literal('')).default(''),
  store_id: optionalField(
    z
      .string()
      .regex(/^\d{1,9}$/, 'has to be the number of a store')
      .transform(Number)
      .pipe(StoreId),
  ),
})

const Created = z.object({
  transaction_id: z.string(),
  encrypted_id: z.string(),
  payment_link: z.string(),
  amount: z.string().describe('In the coin `cryptocurrency`; empty where the payer chooses the coin.'),
  cryptocurrency: z.string(),
  amount_fiat: z.string().describe('In the money `currency`.'),
  currency: z.string(),
  asked_in: z.enum(['coin', 'fiat']).describe('Which of the two is asked for; the other one is its worth now.'),
  expiry: z.string(),
  status: z.string(),
  external_reference: z.string(),
  test: z.literal(true).optional(),
})

const createTransaction = consoleFunction(
  'create-transaction',
  {
    summary: 'Ask for one payment; the same external_reference again is the same transaction',
    auth: 'key',
    reach: 'store',
    callers: { capability: 'payment-links.create', sandbox: 'secret' },
    body: Body,
    returns: Created,
    refusals: [
      'unknown-asset',
      'wallet-missing',
      'rate-missing',
      'idempotency-conflict',
      'state-forbids',
      'store-not-found',
      'unavailable',
    ],
    async answer({ body, actor, flow }) {
      const ask = askOf(body, actor, await storeOf(flow, actor, body.store_id))
      const request = await askPayment(flow, onceOf(flow, keyOf(ask)), ask)
      const transaction = await flow.ledger.transaction.read(request.transactionId)
      if (isGone(transaction))
        return refuse(
          'state-forbids',
          'The transaction of this external_reference was deleted. Choose another external_reference.',
        )
      return created(flow.origins.pay, request, transactionRecord(request.transactionId, transaction))
    },
  },
  ['payment'],
)

/**
 * Without a currency, the amount is in the coin; with a currency, it is in that, and payable in the coin if one is
 * named (3:64).
 */
const askOf = (body: z.output<typeof Body>, { accountId, testOnly }: Actor, storeId: number): PaymentLinkTerms => {
  const { amount, currency_code: currency, cryptocurrency_code: asset = null } = body
  if (currency === undefined && asset === null)
    return refuse('invalid-request', 'cryptocurrency_code and currency_code: one of them has to be sent')
  if (!/[1-9]/.test(amount)) return refuse('invalid-request', 'amount: has to be more than nothing')
  return {
    accountId,
    storeId,
    currency,
    asset,
    title: body.title,
    note: body.description,
    amount: currency === undefined ? null : validInput(FiatDecimal, amount),
    assetAmount: currency === undefined ? amount : null,
    expiry: body.expiry ?? EXPIRY_DEFAULT,
    redirect: body.redirect,
    externalReference: body.external_reference,
    test: testOnly,
  }
}

/**
 * The reference is the key. The money must not differ under the same reference; the words may. Each store has
 * references of its own, so that the key of one neither takes nor finds out those of another (J-AUTH-04), and so have
 * tests (X-SBX-01).
 */
const keyOf = ({ accountId, externalReference: key, ...ask }: PaymentLinkTerms) => {
  if (key === '') return undefined
  const { amount, assetAmount, currency = null, asset, storeId, test } = ask
  const whose = storeId === DEFAULT_STORE ? '' : ` of store ${storeId}`
  const operation = `external-reference${whose}${test ? ' of tests' : ''}`
  const money = { amount: amount === null ? null : String(amount), assetAmount: assetAmount && shortest(assetAmount) }
  return {
    accountId,
    operation,
    key,
    body: { ...money, currency, asset, storeId },
    conflict: 'This external_reference was used before with another amount or coin.',
  }
}

/** One text for one number: 1.50 is 1.5, and 01 is 1. */
const shortest = (decimal: string): string => {
  const [whole = '', places = ''] = decimal.split('.')
  return `${whole.replace(/^0+(?=\d)/, '')}.${places.replace(/0+$/, '')}`
}

const created = (
  pay: string,
  { requestId, ...r }: OpenRequest & { requestId: string },
  { amount, amount_fiat, status }: TransactionRecord,
): z.input<typeof Created> => ({
  transaction_id: r.transactionId,
  encrypted_id: requestId,
  payment_link: `${pay}/id/${requestId}`,
  amount,
  cryptocurrency: r.asset ?? '',
  amount_fiat,
  currency: r.currency,
  asked_in: r.assetAmount === null ? 'fiat' : 'coin',
  expiry: r.expiry,
  status,
  external_reference: r.externalReference,
  ...marked(r),
})

export const createTransactionFunctions = [...createTransaction]
