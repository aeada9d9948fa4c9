import { assetOf } from '../kernel/assets.ts'
import { idOf } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import type { RequestRef } from '../selling/challenge-events.ts'
import type { TransferData } from '../selling/challenge-terms.ts'
import { rateBySale, type SalePrice, worthBySale } from '../selling/sale-rate.ts'
import type { EventData, EventType } from '../write-side/deciders.ts'

/**
 * What an accountant asks of an entry of the journal beside its postings: which transaction it belongs to, and what the
 * coins were worth in money.
 */

export type EntryTags = {
  /** The merchant's transaction, where the event says it itself. */
  readonly transactionId?: string | undefined
  /** The challenge, or the payment by card, whose transaction it is. */
  readonly challengeId?: string | null | undefined
  readonly worth?: Worth | undefined
}

/** An amount in millionths of a currency, and what one whole coin was worth in it. */
type Worth = { readonly amount: Units; readonly currency: string; readonly rate: string }

type TagRules = { readonly [T in EventType]?: (data: EventData<T>, id: string) => EntryTags }

const rules: TagRules = {
  ChallengeSettled: (data) => paid(data),
  ChallengeUnderpaid: (data) => paid(data),
  PaymentReversed: (data) => paid(data),
  TransferSetAside: ({ challengeId, transactionId, transfer, asset, decimals, amount, currency, asked }) => ({
    challengeId,
    transactionId,
    ...(amount !== undefined &&
      currency !== undefined &&
      asked !== undefined && { worth: worthOf({ transfer, asset, decimals }, { amount, currency, asked }) }),
  }),
  TransferReversed: ({ challengeId }) => ({ challengeId }),
  RefundRecorded: ({ coin }, id) => ({ transactionId: id, worth: coin?.worth }),
  PartRefundRecorded: ({ coin }, id) => ({ transactionId: id, worth: coin?.worth }),
  RefundSent: ({ worth }, id) => ({ transactionId: id, worth }),
  RefundUnsent: ({ worth }, id) => ({ transactionId: id, worth }),
  RefundVoided: ({ coin }, id) => ({ transactionId: id, worth: coin?.worth }),
  CardPaymentSettled: (data, id) => ({ ...byCard(data, id), transactionId: data.paymentRequest?.transactionId }),
  CardPaymentSetAside: (data, id) => ({ ...byCard(data, id), transactionId: data.paymentRequest?.transactionId }),
  CardRefunded: byCard,
  CardRefundFailed: byCard,
  CardPaymentDisputed: byCard,
  CardDisputeClosed: byCard,
  CreditDebited: ({ ref }) => ({ challengeId: ref }),
}

/** The tags of an event; none for what belongs to no sale. */
export const tagsOf = ({ type, data, stream }: { type: string; data: object; stream: string }): EntryTags => {
  if (!Object.hasOwn(rules, type)) return {}
  const rule = rules[type as EventType] as (data: object, id: string) => EntryTags
  return rule(data, idOf(stream))
}

type PaidData = {
  readonly challengeId: string
  readonly paymentRequest?: RequestRef
  readonly transfer: TransferData
  readonly asset: string
  readonly decimals?: number
  readonly amount: Units
  readonly currency: string
  readonly asked?: Units
}

const paid = (data: PaidData): EntryTags => {
  const { challengeId, paymentRequest, transfer, amount, currency, asked = transfer.amount } = data
  const worth = worthOf(data, { amount, currency, asked })
  return { challengeId, transactionId: paymentRequest?.transactionId, worth }
}

const worthOf = (
  { transfer, asset, decimals }: { transfer: TransferData; asset: string; decimals?: number | undefined },
  price: SalePrice,
): Worth => ({
  amount: worthBySale(transfer.amount, price),
  currency: price.currency,
  rate: rateBySale(price, decimals ?? assetOf(asset)?.decimals ?? 0),
})

function byCard({ amount, currency }: { amount: Units; currency: string }, id: string): EntryTags {
  return { challengeId: id, worth: { amount, currency, rate: '1' } }
}
