import type { OwnPrice, Units } from '../../kernel/money.ts'
import type { EventData, EventType } from '../../write-side/deciders.ts'
import { postedAsset } from '../journal.ts'

/** What the events of a sale say of the worth of its coins or its money. */

export type Priced = {
  /** The asset that is priced, as postings name it, and how much of it is worth the rest. */
  readonly asset: string
  readonly of: Units
  /** Millionths of a US dollar; undefined where the event does not say. */
  readonly usd?: Units | undefined
  readonly ownPrice?: OwnPrice | undefined
  /** Who said the rate; undefined in events of former releases. */
  readonly rateSource?: string | undefined
}

type PriceRules = { readonly [T in EventType]?: (data: EventData<T>) => Priced | undefined }

const rules: PriceRules = {
  ChallengeSettled: (data) => byPrice(data, data.asked ?? data.transfer.amount),
  ChallengeUnderpaid: (data) => byPrice(data, data.asked),
  PaymentReversed: (data) => byPrice(data, data.asked),
  TransferSetAside: (data) => (data.asked === undefined ? undefined : byPrice(data, data.asked)),
  RefundRecorded: refunded,
  PartRefundRecorded: refunded,
  RefundVoided: refunded,
  RefundSent: sent,
  RefundUnsent: sent,
  CardPaymentSettled: ({ amount, currency, usd, rateSource, ownPrice }) => ({
    asset: currency,
    of: amount,
    usd,
    rateSource,
    ownPrice,
  }),
  CardPaymentSetAside: byCard,
  CardRefunded: byCard,
  CardRefundFailed: byCard,
  CardPaymentDisputed: byCard,
  CardDisputeClosed: byCard,
  CreditDebited: ({ amount, owed, ownPrice }) => {
    const of = String(BigInt(amount) + BigInt(owed))
    return { asset: USD, of, usd: of, ownPrice }
  },
}

/** What an event prices; undefined for one that tells no rate. */
export const pricedOf = (type: string, data: object): Priced | undefined => {
  if (!Object.hasOwn(rules, type)) return undefined
  const rule = rules[type as EventType] as (data: object) => Priced | undefined
  return rule(data)
}

const USD = 'USD'

type PricedTransfer = Pick<
  EventData<'TransferSetAside'>,
  'transfer' | 'amount' | 'currency' | 'usd' | 'rateSource' | 'ownPrice'
>

const byPrice = ({ transfer, amount, currency, usd, rateSource, ownPrice }: PricedTransfer, asked: Units): Priced => ({
  asset: postedAsset(transfer),
  of: asked,
  usd: usd ?? (currency === USD ? amount : undefined),
  rateSource,
  ownPrice,
})

function refunded({ coin }: Pick<EventData<'RefundRecorded'>, 'coin'>): Priced | undefined {
  return coin?.worth && ofRefund(postedAsset(coin), coin.amount, coin.worth)
}

function sent({ transfer, worth }: Pick<EventData<'RefundSent'>, 'transfer' | 'worth'>): Priced | undefined {
  return worth && ofRefund(postedAsset(transfer), transfer.amount, worth)
}

const ofRefund = (asset: string, of: Units, worth: EventData<'RefundSent'>['worth']): Priced => {
  const { amount, currency, usd = currency === USD ? amount : undefined, rateSource, ownPrice } = worth
  return { asset, of, usd, rateSource, ownPrice }
}

function byCard({ amount, currency, worth }: Pick<EventData<'CardRefunded'>, 'amount' | 'currency' | 'worth'>): Priced {
  return { asset: currency, of: amount, usd: worth?.usd, rateSource: worth?.rateSource, ownPrice: worth?.ownPrice }
}
