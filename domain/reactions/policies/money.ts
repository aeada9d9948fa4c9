import { idOf } from '../../kernel/decider.ts'
import { platformFee } from '../../kernel/fees.ts'
import type { OwnPrice } from '../../kernel/money.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import { pointsFor } from '../../money/billing.ts'
import { shareOf } from '../../selling/sale-rate.ts'
import {
  type BookedPayment,
  type WorthyPayment,
  worthOfPayment,
} from '../../use-cases/selling/settling/worth-of-payment.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'
import { type CreditBooking, creditPolicy } from './credit-policy.ts'

/**
 * Every live settlement is billed once: 0.2 % of its value from the seller's credit (I-FEE-01 to I-FEE-03). Test sales
 * cost nothing, nor do top-ups.
 */
export const billSettlement = creditPolicy('bill-settlement', {
  ChallengeSettled: ({ data }) => bill(data, data.challengeId),
  // A settlement that did not stand costs nothing, and earns no points (N-24).
  PaymentReversed: ({ data }) => {
    const fee = data.unsettled && feeOf(data)
    return fee && { grant: { ...fee, reason: 'fee-returned', ref: data.challengeId } }
  },
  // The same for what is paid by card (N-31).
  CardPaymentSettled: ({ stream, data }) => bill(data, idOf(stream)),
})

type SettledSale = Pick<EventData<'ChallengeSettled'>, 'accountId' | 'usd' | 'ownPrice' | 'test'>

const bill = (sale: SettledSale, ref: string): CreditBooking => {
  const fee = feeOf(sale)
  return (
    fee && { charge: { ...fee, reason: 'platform-fee', ...ownShare(sale.ownPrice, BigInt(fee.amount), sale.usd), ref } }
  )
}

/** The fee of a sale and the points that it earns; undefined where it costs nothing. */
const feeOf = ({ accountId, usd, test }: Omit<SettledSale, 'ownPrice'>) => {
  const fee = platformFee(BigInt(usd))
  if (test || accountId === PLATFORM || fee === 0n) return undefined
  const points = pointsFor(BigInt(usd))
  return { amount: String(fee), ...(points > 0 && { points }) }
}

/** What a part of a price in US dollars is worth in the currency of its seller's account. */
const ownShare = (ownPrice: OwnPrice | undefined, part: bigint, usd: string): { ownPrice?: OwnPrice } =>
  ownPrice ? { ownPrice: { ...ownPrice, amount: shareOf(String(part), usd, ownPrice.amount) } } : {}

/** A top-up raises the seller's credit by what arrives, each payment once, at the rate of its challenge (I-CRD-02). */
export const grantTopUp: Policy = policy({
  name: 'grant-top-up',
  // The account's credit tells by the event's place what it was granted. Only the request names that account, so all
  // top-ups keep their order. What is paid to sellers buys no credit.
  keys: ({ data: { accountId, paymentRequest } }) => (accountId === PLATFORM && paymentRequest ? [PLATFORM] : []),
  on: {
    ChallengeSettled: ({ order, data }, { ledger }) => grant(ledger, order, data),
    ChallengeUnderpaid: ({ order, data }, { ledger }) => grant(ledger, order, data),
    // What the credit does not cover any more is owed (N-24).
    PaymentReversed: async ({ order, data }, { ledger }) => {
      const bought = await boughtWith(ledger, data)
      if (!bought) return
      await ledger.creditAccount.charge(bought.accountId, {
        amount: String(bought.worth),
        reason: 'top-up-reversed',
        ref: bought.requestId,
        source: 'grant-top-up',
        position: String(order),
      })
    },
  },
})

const grant = async (ledger: Ledger, order: bigint, payment: BookedPayment): Promise<void> => {
  const bought = await boughtWith(ledger, payment)
  if (!bought) return
  await ledger.creditAccount.grant(bought.accountId, {
    amount: String(bought.worth),
    reason: 'top-up',
    ref: bought.requestId,
    source: 'grant-top-up',
    position: String(order),
  })
}

/**
 * The account whose credit a payment raises, and by how many millionths of a US dollar; undefined where it raises none.
 */
const boughtWith = async (ledger: Ledger, payment: WorthyPayment) => {
  const { accountId, paymentRequest, test } = payment
  if (accountId !== PLATFORM || !paymentRequest || test) return undefined
  const { requestId } = paymentRequest
  const request = await ledger.paymentRequest.read(requestId)
  if (request.status === 'none' || !request.topUp) return undefined
  const worth = await worthOfPayment(ledger, payment)
  return worth > 0n ? { accountId: request.topUp.accountId, worth, requestId } : undefined
}
