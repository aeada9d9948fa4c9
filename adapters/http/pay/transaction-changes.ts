import { z } from 'zod'
import { DEFAULT_STORE } from '../../../domain/kernel/in-store.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { openRecord } from '../../../domain/selling/transactions/open-record.ts'
import { WRITABLE_KEYS, type WritableKey } from '../../../domain/selling/transactions/transaction-edits.ts'
import { closePages } from '../../../domain/use-cases/card/close.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { deleteTransaction, editTransaction } from '../../../domain/use-cases/selling/challenges/edit-transaction.ts'
import type { Queries } from '../../../projections/index.ts'
import { allowSignedUrl } from '../agent/common/webhooks.ts'
import { matchCall } from '../agent/selling/settlements.ts'
import {
  Refunded,
  Resent,
  refundFields,
  refundRefusals,
  refundTransaction,
  resendOwn,
} from '../agent/selling/transaction-actions.ts'
import { TransactionShape } from '../agent/selling/transaction-lists.ts'
import { inScope } from '../core/actor.ts'
import type { Actor } from '../core/endpoint.ts'
import { everOwn, mayChange, ownTransaction } from '../core/own-transaction.ts'
import { validInput } from '../core/valid.ts'
import { consoleFunction } from './console-function.ts'
import { CoinCode, Decimal, jsonField, TransactionId } from './fields.ts'

/** What a merchant changes on a transaction through the console. */

const SomeObject = z.custom<object>((value) => Object.keys(value as object).length > 0, 'an object with what to write')

const updateTransaction = consoleFunction('update-transaction', {
  summary:
    'Write on a transaction by hand; no money moves by it. Until something has come, another price, title or redirect is asked for, and a status that ends it closes its link',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.edit', sandbox: 'secret' },
  body: z.object({ transaction_id: TransactionId, values: jsonField(SomeObject) }),
  returns: TransactionShape,
  refusals: [
    'transaction-not-found',
    'webhook-url-refused',
    'state-forbids',
    'unknown-asset',
    'wallet-missing',
    'unavailable',
  ],
  answer: ({ body: { transaction_id, values }, actor, flow, queries }) =>
    editOwn(flow, queries, actor, transaction_id, values),
})

/** Writes on a caller's own transaction by hand; the same for every way of asking. Refuses as the call says. */
export const editOwn = async (
  flow: UseCaseContext,
  queries: Queries,
  actor: Actor,
  transactionId: string,
  values: object,
) => {
  mayChange(actor, await ownTransaction(flow.ledger, actor, transactionId))
  const hand = { transactionId, by: actor.kind }
  await refuseOthers(flow, hand, values)
  const allowed = validInput(Values, values)
  if (actor.testOnly && allowed.is_test === '0')
    return refuse('invalid-request', 'values.is_test: what a sandbox key writes on stays a test, so leave it out')
  if (allowed.store_id !== undefined) await mustBeStore(flow, actor, Number(allowed.store_id))
  if (allowed.webhook) await allowSignedUrl(flow, actor.accountId, allowed.webhook)
  const parts = {
    challengesOf: (requestId: string) => queries.challengesOfRequest(requestId),
    closePages: (requestId: string) => closePages(flow, requestId),
  }
  return openRecord(flow.vault, transactionId, await editTransaction(flow, hand, allowed, parts))
}

const removeTransaction = consoleFunction('delete-transaction', {
  summary: 'Remove a transaction from everything that is shown; what asks for its payment is withdrawn',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.edit', sandbox: 'secret' },
  body: z.object({ transaction_id: TransactionId }),
  returns: z.object({ deleted: z.literal(true) }),
  refusals: ['transaction-not-found', 'state-forbids'],
  async answer({ body: { transaction_id: transactionId }, actor, flow }) {
    mayChange(actor, await everOwn(flow.ledger, actor, transactionId))
    await deleteTransaction(flow, { transactionId, by: actor.kind })
    return { deleted: true as const }
  },
})

const refund = consoleFunction('refund', {
  summary:
    'Give back a payment by card through its processor; of coins, record that the seller has given them back, and look for that on their chain',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.refund', sandbox: 'secret' },
  body: z.object({ transaction_id: TransactionId, ...refundFields }),
  returns: Refunded,
  refusals: refundRefusals,
  answer: ({ body, actor, flow }) => refundTransaction(flow, actor, body.transaction_id, body),
})

const resend = consoleFunction('resend-webhook', {
  summary: 'Send the webhook of a completed payment once more; answers what the receiver said',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.edit', sandbox: 'secret' },
  body: z.object({ transaction_id: TransactionId }),
  returns: Resent,
  refusals: ['transaction-not-found', 'no-webhook-url', 'state-forbids'],
  answer: ({ body, actor, flow }) => resendOwn(flow, actor, body.transaction_id),
})

const matchTransfer = consoleFunction('match-transfer', matchCall)

/** Refuses the whole change for a key that the merchant may not write, and notes it (M-TXN-11). */
const refuseOthers = async (
  flow: UseCaseContext,
  { transactionId, by }: { transactionId: string; by: string },
  values: object,
) => {
  const keys = notWritable(values)
  if (keys.length === 0) return
  await flow.ledger.transaction.refuseEdit(transactionId, { keys, by })
  refuse(
    'invalid-request',
    `values: these keys cannot be written, so leave them out: ${keys.slice(0, TOLD_MAX).join(', ')}`,
  )
}
const TOLD_MAX = 5

/** Refuses a store that is not one of the account, or that the key is not for. */
const mustBeStore = async ({ ledger }: UseCaseContext, actor: Actor, storeId: number) => {
  const { stores } = await ledger.stores.read(actor.accountId)
  if (!inScope(actor, storeId) || (storeId !== DEFAULT_STORE && !stores[storeId]))
    refuse(
      'invalid-request',
      'values.store_id: has to be the number of a store of this account, as GET /v1/stores lists them',
    )
}

export const transactionChangeFunctions = [
  ...updateTransaction,
  ...removeTransaction,
  ...refund,
  ...resend,
  ...matchTransfer,
]

/**
 * What each writable key of a transaction may be set to (M-TXN-10). All is text; a whole number may also be sent as
 * one.
 */

/** Characters: of a line, of a text of several lines, of an id or a code, of a URL, digits of a count. */
const LINE_MAX = 200
const TEXT_MAX = 4_000
const CODE_MAX = 100
const URL_MAX = 2_048
const COUNT_DIGITS_MAX = 9

const Given = z.union([z.string(), z.int()]).transform(String)
const text = (max: number) => Given.pipe(z.string().max(max))
/** A value that may also be cleared. */
const orEmpty = (shape: z.ZodType<string, string>) => Given.pipe(z.union([z.literal(''), shape]))

const Time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'has to be a time as YYYY-MM-DD HH:MM:SS, UTC')
  .refine((time) => isTime(time), 'has to be a time that there is')
const Amount = orEmpty(Decimal)
const Digits = z.string().regex(new RegExp(`^(0|[1-9]\\d{0,${COUNT_DIGITS_MAX - 1}})$`), 'has to be a whole number')
/** A page that a browser may be sent to. */
const Redirect = z.url({ protocol: /^https?$/ }).max(URL_MAX)

const shapes = {
  status: z.enum(['P', 'C', 'X']),
  hash: text(LINE_MAX),
  title: text(LINE_MAX),
  description: text(TEXT_MAX),
  to: text(LINE_MAX),
  to_name: text(LINE_MAX),
  amount: Amount,
  amount_fiat: Amount,
  cryptocurrency: orEmpty(CoinCode),
  from: text(LINE_MAX),
  vat: Amount,
  webhook: text(URL_MAX),
  billing: text(TEXT_MAX),
  redirect: orEmpty(Redirect),
  opened_at: orEmpty(Time),
  bank_details: text(TEXT_MAX),
  checkout_id: text(CODE_MAX),
  customer_id: text(CODE_MAX),
  discount_code: text(CODE_MAX),
  store_id: Given.pipe(Digits),
  custom_token_type: text(CODE_MAX),
  confirmed_time: orEmpty(Time),
  creation_time: Time,
  is_test: Given.pipe(z.enum(['0', '1'])),
  confirmation_count: orEmpty(Digits),
  first_confirmed_time: orEmpty(Time),
  last_confirmed_time: orEmpty(Time),
} satisfies Record<WritableKey, z.ZodType<string>>

const Values = z.strictObject(shapes).partial()

/** The keys of an object that a merchant may not write. */
const notWritable = (values: object): string[] =>
  Object.keys(values).filter((key) => !WRITABLE_KEYS.some((known) => known === key))

const isTime = (time: string): boolean => {
  const iso = `${time.replace(' ', 'T')}.000Z`
  const at = new Date(iso)
  return !Number.isNaN(at.getTime()) && at.toISOString() === iso
}
