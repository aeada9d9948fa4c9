import type { CardPayment } from '../../card/payment.ts'
import type { CardPaymentEvents } from '../../card/payment-events.ts'
import { inStore } from '../../kernel/in-store.ts'
import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import type { World } from '../../kernel/ports.ts'
import type { TransactionCommands } from '../../selling/transactions/transaction-commands.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { madeTransaction } from '../selling/challenges/new-transaction.ts'

/** The merchant's transaction of a payment by card, which stands for its challenge there. */

type Parts = { readonly ledger: Ledger; readonly world: World }
type CardSettlement = CardPaymentEvents['CardPaymentSettled']

/**
 * Completes the transaction of a settled payment, and makes it first where nothing else did: the same payment always
 * has the same one. Answers its id.
 */
export const completeCardTransaction = async (parts: Parts, id: string, settled: CardSettlement): Promise<string> => {
  const { paymentRequest, settledAt } = settled
  const received = priceOf(settled).amountFiat
  const payment = { hash: settled.paymentId, payer: '', confirmedAt: settledAt, received }
  if (paymentRequest === undefined) return made(parts, id, settled, payment)
  const chosen = { challengeId: id, cryptocurrency: '', amount: '', ...priceOf(settled) }
  await parts.ledger.transaction.complete(paymentRequest.transactionId, { ...payment, ...chosen })
  return paymentRequest.transactionId
}

/** The transaction of a payment that has settled; undefined of any other, which is nobody's sale. */
export const cardTransactionOf = async (
  { ledger, world }: Parts,
  id: string,
  payment: CardPayment,
): Promise<string | undefined> => {
  if (payment.status !== 'settled') return undefined
  const { paymentId = '', paymentRequest } = payment
  if (paymentRequest) return paymentRequest.transactionId
  return made({ ledger, world }, id, { ...payment, paymentId, settledAt: world.now().toISOString() })
}

const made = async (
  { ledger, world }: Parts,
  id: string,
  settled: CardSettlement,
  payment?: TransactionCommands['complete'],
): Promise<string> => {
  const { accountId, storeId, resId, webhookUrl, test, settledAt, paymentId } = settled
  const opening = {
    accountId,
    ...inStore(storeId),
    challengeId: id,
    resId,
    externalReference: `${resId}.${id}`,
    type: 'resource' as const,
    title: `Resource ${resId}`,
    cryptocurrency: '',
    amount: '',
    ...priceOf(settled),
    hash: paymentId,
    payer: '',
    webhookUrl,
    test,
    createdAt: settledAt,
  }
  return (await madeTransaction(ledger, world, id, opening, payment)).id
}

const priceOf = ({ amount, currency }: Pick<CardSettlement, 'amount' | 'currency'>) => ({
  amountFiat: toDecimal(BigInt(amount), FIAT_DECIMALS),
  currency,
})
