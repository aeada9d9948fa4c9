import { billedForGas } from '../../domain/gasless/authorization.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { platformFee } from '../../domain/kernel/fees.ts'
import { DEFAULT_STORE } from '../../domain/kernel/in-store.ts'
import { FIAT_DECIMALS } from '../../domain/kernel/money.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import { shareOf } from '../../domain/selling/sale-rate.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'
import { type Change, type Projection, plus, type Table, upsert } from '../engine/projection.ts'

/**
 * What each seller has sold, by quarter of an hour, coin and store, so that the figures of many sales are the sum of
 * few rows. Every time zone's days begin at a quarter of an hour, so that days can be told whatever the zone. What is
 * taken back or given back is taken off when that happens, and not when it was sold.
 */

const salesFigures = {
  name: 'sales_figures',
  columns: {
    account_id: 'text',
    test: 'boolean',
    quarter: 'integer',
    store_id: 'integer',
    asset: 'text',
    decimals: 'integer',
    sales: 'integer',
    sold_usd: 'numeric',
    settled: 'numeric',
    settled_usd: 'numeric',
    fee: 'numeric',
    gas_fee: 'numeric',
    refunded_usd: 'numeric',
  },
  key: ['account_id', 'test', 'quarter', 'store_id', 'asset', 'decimals'],
} as const satisfies Table

/** Milliseconds of a quarter of an hour. */
export const QUARTER_MS = 900_000

/** The quarter of an hour that a time is in, counted from 1970 on. */
export const quarterOf = (time: string): number => Math.floor(Date.parse(time) / QUARTER_MS)

/** What the row has that no store and no coin is known of: refunds, and the gas of signed payments. */
const OF_ACCOUNT = { storeId: 0, asset: '', decimals: 0 }

export const salesFiguresProjection: Projection = {
  name: 'sales-figures',
  version: 1,
  tables: [salesFigures],
  on: {
    ChallengeSettled: ({ data }) => sold(data),
    PaymentReversed: ({ data }) => takenBack(data),
    CardPaymentSettled: ({ data }) => {
      const { accountId, storeId = DEFAULT_STORE, test, amount, currency, usd, settledAt: at } = data
      const place = { accountId, storeId, test, at, asset: currency, decimals: FIAT_DECIMALS }
      return added(place, {
        sales: 1,
        sold: BigInt(usd),
        settled: BigInt(amount),
        worth: BigInt(usd),
        fee: feeOf(data),
      })
    },
    AuthorizationGasSpent: ({ at, data }) =>
      gas(data.accountId, at, data.accountId === PLATFORM ? 0n : BigInt(billedForGas(data))),
    AuthorizationReversed: ({ at, data: { accountId, billedUsd = '0' } }) =>
      gas(accountId, at, accountId === PLATFORM ? 0n : -BigInt(billedUsd)),
    RefundRecorded: ({ data }) => refundedInCoin(data, data.refundedAt, 1n),
    PartRefundRecorded: ({ data }) => refundedInCoin(data, data.refundedAt, 1n),
    RefundVoided: ({ data }) => refundedInCoin(data, data.voidedAt, -1n),
    CardRefunded: ({ at, data: { accountId, usd = '0', test } }) => refunded(accountId, at, test, BigInt(usd)),
    CardRefundFailed: ({ at, data: { accountId, usd = '0', test } }) => refunded(accountId, at, test, -BigInt(usd)),
  },
}

type Place = {
  readonly accountId: string
  readonly test: boolean
  readonly at: string
  readonly storeId: number
  readonly asset: string
  readonly decimals: number
}

/**
 * What is added to a row, in millionths of a US dollar but for the number of sales and the coins that came for them.
 */
type Sums = {
  readonly sales?: number
  readonly sold?: bigint
  readonly settled?: bigint
  readonly worth?: bigint
  readonly fee?: bigint
  readonly gas?: bigint
  readonly refunded?: bigint
}

const NOTHING = {
  sales: 0,
  sold_usd: '0',
  settled: '0',
  settled_usd: '0',
  fee: '0',
  gas_fee: '0',
  refunded_usd: '0',
} as const

const added = ({ accountId, test, at, storeId, asset, decimals }: Place, sums: Sums): Change => {
  const {
    sales = 0,
    sold: soldUsd = 0n,
    settled = 0n,
    worth = 0n,
    fee = 0n,
    gas: gasFee = 0n,
    refunded: back = 0n,
  } = sums
  const key = { account_id: accountId, test, quarter: quarterOf(at), store_id: storeId, asset, decimals }
  return upsert(salesFigures, { ...key, ...NOTHING }, (row) => ({
    sales: Number(row.sales) + sales,
    sold_usd: plus(row.sold_usd, soldUsd),
    settled: plus(row.settled, settled),
    settled_usd: plus(row.settled_usd, worth),
    fee: plus(row.fee, fee),
    gas_fee: plus(row.gas_fee, gasFee),
    refunded_usd: plus(row.refunded_usd, back),
  }))
}

const placeOf = (data: EventData<'ChallengeSettled'> | EventData<'PaymentReversed'>, at: string): Place => {
  const { accountId, storeId = DEFAULT_STORE, test, asset } = data
  return { accountId, storeId, test, at, asset, decimals: data.decimals ?? assetOf(asset)?.decimals ?? 0 }
}

const feeOf = ({ accountId, usd, test }: { accountId: string; usd: string; test: boolean }): bigint =>
  test || accountId === PLATFORM ? 0n : platformFee(BigInt(usd))

/** What coins are worth in US dollars, at the rate of their sale. */
const worthOf = (units: bigint, asked: string, usd: string): bigint => BigInt(shareOf(String(units), asked, usd))

const sold = (data: EventData<'ChallengeSettled'>): Change => {
  const { transfer, paid = transfer.amount, asked = transfer.amount, usd, settledAt } = data
  const came = BigInt(paid)
  return added(placeOf(data, settledAt), {
    sales: 1,
    sold: BigInt(usd),
    settled: came,
    worth: worthOf(came, asked, usd),
    fee: feeOf(data),
  })
}

/** A payment that its chain has lost: the sale does not stand without it, or stands with what is left. */
const takenBack = (data: EventData<'PaymentReversed'>): readonly Change[] => {
  const { transfer, paid = transfer.amount, asked, usd, unsettled, reversedAt } = data
  const place = placeOf(data, reversedAt)
  const [came, gone] = [BigInt(paid), BigInt(transfer.amount)]
  if (unsettled) {
    const worth = -worthOf(came, asked, usd)
    return [added(place, { sales: -1, sold: -BigInt(usd), settled: -came, worth, fee: -feeOf(data) })]
  }
  // An older event does not say that the sale stands: it did when what is left is the whole price.
  const stands = data.stands ?? came - gone >= BigInt(asked)
  if (!stands) return []
  return [added(place, { settled: -gone, worth: worthOf(came - gone, asked, usd) - worthOf(came, asked, usd) })]
}

const gas = (accountId: string, at: string, billed: bigint): readonly Change[] =>
  billed === 0n ? [] : [added({ accountId, at, test: false, ...OF_ACCOUNT }, { gas: billed })]

const refunded = (accountId: string, at: string, test: boolean, usd: bigint): readonly Change[] =>
  usd === 0n ? [] : [added({ accountId, at, test, ...OF_ACCOUNT }, { refunded: usd })]

/** A refund whose amount nobody recorded changes nothing. */
const refundedInCoin = (
  { accountId, coin }: Pick<EventData<'RefundRecorded'>, 'accountId' | 'coin'>,
  at: string,
  sign: 1n | -1n,
): readonly Change[] => (coin ? refunded(accountId, at, coin.test, sign * BigInt(coin.usd)) : [])
