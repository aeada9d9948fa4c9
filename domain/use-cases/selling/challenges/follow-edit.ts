import { FIAT_DECIMALS, toUnits } from '../../../kernel/money.ts'
import { refuse } from '../../../kernel/refusal.ts'
import { challengeParts } from '../../../selling/challenge-terms.ts'
import type { OpenRequest, RequestChange } from '../../../selling/payment-request.ts'
import type { Transaction } from '../../../selling/transactions/transaction.ts'
import type { Edits } from '../../../selling/transactions/transaction-edits.ts'
import { ownAssetNamed } from '../../account/own-assets.ts'
import type { UseCaseContext } from '../../context.ts'
import { otherSide, payableCoin } from './ask-payment.ts'

/**
 * What a merchant writes on a pending transaction holds for the buyer, too (M-TXN-10): another price, coin, title or
 * way back is asked for until something has come, and a status that ends it closes its link. What a buyer paid in
 * time for the old price counts (`domain/selling/request-end.ts`).
 */

/** What an edit has to ask beside the log. */
export type EditParts = {
  /** Challenges of a request, by what the rows know. */
  readonly challengesOf: (requestId: string) => Promise<readonly string[]>
  /** Closes the pages of a card processor for a request. True when a payment on one has come, or is on its way. */
  readonly closePages: (requestId: string) => Promise<boolean>
}

/**
 * What was asked for, which stays what it was once something has come. The coin, and its amount where money was asked
 * for, are then the merchant's own notes.
 */
const termsOf = (edit: Edits, request?: OpenRequest): readonly string[] => {
  const keys = request?.assetAmount
    ? (['amount_fiat', 'redirect', 'amount'] as const)
    : (['amount_fiat', 'redirect'] as const)
  return keys.filter((key) => edit[key] !== undefined)
}

/**
 * Changes and closes what asks for the payment, as the edit says; answers what else the record then shows. Refuses
 * `state-forbids` for terms of a payment that has come, or whose link is closed, `invalid-request` for a price in
 * another unit than the one that is asked in, and `unknown-asset`, `wallet-missing` for a coin that the seller does
 * not take.
 */
export const followEdit = async (
  flow: UseCaseContext,
  transaction: Transaction,
  edit: Edits,
  parts: EditParts,
): Promise<Edits> => {
  if (transaction.payoutId !== undefined) return {}
  const { requestId } = transaction
  const request = requestId === undefined ? undefined : await flow.ledger.paymentRequest.read(requestId)
  if (requestId === undefined || !request || request.status === 'none') {
    const [term] = termsOf(edit)
    if (term !== undefined) refuse('state-forbids', `values.${term}: ${HAS_COME}`)
    return {}
  }
  const isOpen = request.status === 'open' && !(await hasCome(flow, transaction, requestId, parts))
  const [term] = termsOf(edit, request)
  if (term !== undefined && !isOpen)
    refuse('state-forbids', `values.${term}: ${request.status === 'expired' ? IS_CLOSED : HAS_COME}`)
  const change = isOpen ? await changeIn(flow, request, edit) : {}
  await changeRequest(flow, requestId, change, parts)
  if (edit.status === 'P' && request.withdrawn) refuse('state-forbids', `values.status: ${IS_CLOSED}`)
  if (edit.status === 'C' || edit.status === 'X') await closeByHand(flow, requestId, request, edit.status, parts)
  return worthNow(flow, request, change)
}

/** The new price in the other unit, as the record shows it until a payer has chosen. */
const worthNow = async (flow: UseCaseContext, request: OpenRequest, change: RequestChange): Promise<Edits> => {
  if (change.amount === undefined && change.assetAmount === undefined && change.asset === undefined) return {}
  const now = { ...request, ...change }
  const own = now.asset === null ? undefined : await ownAssetNamed(flow.ledger, now.accountId, now.asset)
  const { amount = '', amountFiat = '' } = await otherSide(flow, own, now)
  return now.assetAmount === null ? { amount } : { amount_fiat: amountFiat }
}

const HAS_COME =
  'a payment of it has come or is on its way, so what was asked for stays. Make a new request for other terms.'
const IS_CLOSED = 'its link is closed and takes no payment any more: ask for a new one.'

/** Whether a payment was seen, signed or booked. */
const hasCome = async (
  { ledger }: UseCaseContext,
  { status, hash }: Transaction,
  requestId: string,
  { challengesOf }: EditParts,
): Promise<boolean> => {
  if (status !== 'P' || hash !== '') return true
  const setIds = new Set((await challengesOf(requestId)).flatMap((id) => challengeParts(id)?.setId ?? []))
  const sets = await Promise.all([...setIds].map((setId) => ledger.challenge.read(setId)))
  return sets.some(
    (set) =>
      set.status === 'open' &&
      Object.keys({ ...set.detected, ...set.reserved, ...set.settled, ...set.parts, ...set.simulated }).length > 0,
  )
}

const changeIn = async (flow: UseCaseContext, request: OpenRequest, edit: Edits): Promise<RequestChange> => {
  const { amount_fiat: fiat, amount: coin, cryptocurrency, redirect, title } = edit
  if (request.checkoutSession !== undefined && [fiat, coin, cryptocurrency].some((each) => each !== undefined))
    refuse('state-forbids', 'values: a checkout session asks for what its lines cost. Leave amount and coin out.')
  if (cryptocurrency !== undefined && request.assetAmount !== null)
    refuse('state-forbids', 'values.cryptocurrency: this payment is asked for in its coin. Ask for a new one.')
  if (cryptocurrency) await payableCoin(flow, request.accountId, cryptocurrency)
  return {
    ...(fiat !== undefined && { amount: fiatPrice(request, fiat) }),
    ...(coin !== undefined && { assetAmount: coinPrice(request, coin) }),
    ...(cryptocurrency !== undefined && { asset: cryptocurrency || null }),
    ...(redirect !== undefined && { redirect }),
    ...(title !== undefined && { title }),
  }
}

const fiatPrice = ({ assetAmount, currency }: OpenRequest, decimal: string): string =>
  assetAmount === null
    ? priceOf('amount_fiat', decimal, FIAT_DECIMALS, currency)
    : refuse('invalid-request', 'values.amount_fiat: this payment is asked for in coin. Write amount.')

const coinPrice = ({ assetAmount, asset, decimals = 0, currency }: OpenRequest, decimal: string): string =>
  assetAmount === null
    ? refuse('invalid-request', `values.amount: this payment is asked for in ${currency}. Write amount_fiat.`)
    : priceOf('amount', decimal, decimals, asset ?? '')

const priceOf = (key: string, decimal: string, places: number, unit: string): string => {
  if ((decimal.split('.')[1] ?? '').replace(/0+$/, '').length > places)
    refuse(
      'invalid-request',
      `values.${key}: has to have at most ${places} places after the point, as amounts in ${unit} do.`,
    )
  const units = decimal === '' ? 0n : toUnits(trimmed(decimal), places)
  return units > 0n ? String(units) : refuse('invalid-request', `values.${key}: more than nothing has to be asked for.`)
}

const trimmed = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal)

/** Pages of a card processor that ask for the old price are closed first. */
const changeRequest = async (
  flow: UseCaseContext,
  requestId: string,
  change: RequestChange,
  { closePages }: EditParts,
): Promise<void> => {
  if (Object.keys(change).length === 0) return
  const isOther = change.amount !== undefined || change.asset !== undefined
  if (isOther && (await closePages(requestId))) refuse('state-forbids', `values: ${HAS_COME}`)
  await flow.ledger.paymentRequest.change(requestId, change)
}

/** The cart of a checkout session becomes an order by its payment alone, so that nobody can say that it is paid. */
const closeByHand = async (
  flow: UseCaseContext,
  requestId: string,
  { checkoutSession, status: present }: OpenRequest,
  status: 'C' | 'X',
  { closePages }: EditParts,
): Promise<void> => {
  if (present !== 'open') return
  if (checkoutSession !== undefined && status === 'C')
    refuse(
      'state-forbids',
      'values.status: the order of a checkout session is placed by its payment. Match what came, or cancel it.',
    )
  if (await closePages(requestId))
    refuse('state-forbids', 'values.status: a payment by card is on its way. Wait for its outcome.')
  await flow.ledger.paymentRequest.withdraw(requestId, { reason: 'by-hand' })
}
