import type { Sql } from 'postgres'
import { billedForGas } from '../../domain/gasless/authorization.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { platformFee } from '../../domain/kernel/fees.ts'
import { DEFAULT_STORE } from '../../domain/kernel/in-store.ts'
import { FIAT_DECIMALS } from '../../domain/kernel/money.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import type { UnmatchedPayment } from '../../domain/use-cases/selling/settling/payment-so-far.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'
import { ofStores } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Row, type Table, upsert } from '../engine/projection.ts'

/** The settlement log: every payment that came to a seller and what it was taken for, one row a transfer. */

const settlements = {
  name: 'settlements',
  columns: {
    transfer_id: 'text',
    account_id: 'text',
    store_id: 'integer',
    challenge_id: 'text',
    res_id: 'text',
    transaction_id: 'text',
    status: 'text',
    amount: 'numeric',
    currency: 'text',
    asset: 'text',
    asked: 'numeric',
    paid: 'numeric',
    received: 'numeric',
    decimals: 'integer',
    hash: 'text',
    payer: 'text',
    fee: 'numeric',
    test: 'boolean',
    at: 'text',
    candidates: 'json',
    reversed_at: 'text',
    voices: 'integer',
    matched: 'boolean',
  },
  key: ['transfer_id'],
  indexes: ['account_id, at desc, transfer_id', 'challenge_id'],
} as const satisfies Table

/**
 * What carrying out a signed payment cost, and what was billed for it. Both are known before the payment counts; they
 * stay when it moves to another block, and are zero once it is reversed.
 */
const gasFees = {
  name: 'gas_fees',
  columns: { challenge_id: 'text', fee: 'numeric', spent: 'numeric' },
  key: ['challenge_id'],
  indexes: [],
} as const satisfies Table

export const settlementsProjection: Projection = {
  name: 'settlements',
  version: 11,
  tables: [settlements, gasFees],
  on: {
    AuthorizationGasSpent: ({ data }) =>
      data.accountId === PLATFORM
        ? []
        : put(gasFees, { challenge_id: data.challengeId, fee: billedForGas(data), spent: data.gasUsd }),
    AuthorizationReversed: ({ data: { challengeId } }) =>
      put(gasFees, { challenge_id: challengeId, fee: '0', spent: '0' }),
    ChallengeSettled: ({ data }) => [
      put(settlements, settled(data)),
      ...(data.parts ?? []).map((part) => patch(settlements, [part], () => ({ status: 'part' }))),
    ],
    // The transaction that carried it out before is gone, and cost nothing.
    SettlementMoved: ({ at, data }) => [
      patch(settlements, [transferId(data.from)], () => ({ status: 'reversed', fee: '0', reversed_at: at })),
      put(settlements, settled(data)),
    ],
    ChallengeUnderpaid: ({ at, data }) =>
      put(settlements, { ...sold(data), status: 'underpaid', asked: data.asked, fee: '0', at }),
    // The payments that are left are parts of the price again, and nothing is sold.
    PaymentReversed: ({ data: { transfer, unsettled, reversedAt } }) => [
      patch(settlements, [transferId(transfer)], () => ({ status: 'reversed', fee: '0', reversed_at: reversedAt })),
      ...(unsettled?.parts ?? []).map((part) => patch(settlements, [part], () => ({ status: 'underpaid', fee: '0' }))),
    ],
    TransferReversed: ({ at, data: { transfer, aside } }) =>
      aside ? patch(settlements, [transferId(transfer)], () => ({ status: 'reversed', reversed_at: at })) : [],
    CardPaymentSettled: ({ stream, data }) =>
      put(settlements, {
        ...byCard(idOf(stream), data),
        status: 'settled',
        fee: data.test ? '0' : String(platformFee(BigInt(data.usd))),
        at: data.settledAt,
      }),
    CardPaymentSetAside: ({ stream, at, data }) =>
      put(settlements, { ...byCard(idOf(stream), data), status: data.reason, fee: '0', at }),
    TransferSetAside: ({ at, data }) => {
      const row = {
        ...came(data),
        challenge_id: data.challengeId,
        res_id: data.resId ?? null,
        transaction_id: data.transactionId ?? null,
        status: data.reason,
        amount: data.amount ?? null,
        currency: data.currency ?? null,
        asked: data.asked ?? null,
        fee: '0',
        test: false,
        at,
        candidates: data.candidates ?? null,
        reversed_at: null,
        voices: null,
        matched: data.matched ?? false,
      }
      // The watch may find no owner for an amount that underpaid a challenge whose buyer had posted its hash: its row
      // stays as it was.
      return data.challengeId === null
        ? upsert(settlements, row, ({ status }) => (status === 'reversed' ? row : {}))
        : put(settlements, row)
    },
  },
}

/** A payment by card stands where a challenge and its transfer would; what came is the price itself. */
const byCard = (id: string, data: EventData<'CardPaymentSettled'> | EventData<'CardPaymentSetAside'>): Row => ({
  transfer_id: id,
  account_id: data.accountId,
  store_id: data.storeId ?? DEFAULT_STORE,
  challenge_id: id,
  res_id: data.resId,
  transaction_id: data.paymentRequest?.transactionId ?? null,
  amount: data.amount,
  currency: data.currency,
  asset: data.currency,
  asked: data.amount,
  paid: data.amount,
  received: data.amount,
  decimals: FIAT_DECIMALS,
  hash: data.paymentId,
  payer: '',
  test: data.test,
  candidates: null,
  reversed_at: null,
  voices: null,
  matched: false,
})

type AsideData = Pick<EventData<'TransferSetAside'>, 'accountId' | 'storeId' | 'asset' | 'transfer' | 'decimals'>

const came = ({ accountId, storeId = DEFAULT_STORE, asset, transfer, decimals }: AsideData): Row => ({
  transfer_id: transferId(transfer),
  account_id: accountId,
  store_id: storeId,
  asset,
  paid: transfer.amount,
  received: transfer.amount,
  // For a token that nobody was asked for, only the smallest unit is known.
  decimals: decimals ?? assetOf(asset)?.decimals ?? 0,
  hash: transfer.tx,
  payer: transfer.from,
})

type SettlementData = EventData<'ChallengeSettled'> | EventData<'SettlementMoved'>

const settled = (data: SettlementData): Row => ({
  ...sold(data),
  status: 'settled',
  asked: data.asked ?? data.transfer.amount,
  fee: data.test || data.accountId === PLATFORM ? '0' : String(platformFee(BigInt(data.usd))),
  at: data.settledAt,
})

const sold = (data: SettlementData | EventData<'ChallengeUnderpaid'>): Row => ({
  ...came(data),
  received: ('paid' in data ? data.paid : undefined) ?? data.transfer.amount,
  challenge_id: data.challengeId,
  res_id: data.resId,
  transaction_id: data.paymentRequest?.transactionId ?? null,
  amount: data.amount,
  currency: data.currency,
  test: data.test,
  candidates: null,
  reversed_at: null,
  voices: data.voices ?? null,
  matched: data.matched ?? false,
})

export type SettlementRow = {
  transferId: string
  challengeId: string | null
  /** The merchant's transaction, where there is one. */
  transactionId: string | null
  /** Challenges that an unmatched payment may have been meant for. */
  candidates: readonly string[] | null
  resId: string | null
  status: string
  /** Millionths of the currency; null when nothing was sold. */
  amount: string | null
  currency: string | null
  asset: string
  /** What was asked, and what this payment was, in the asset's smallest unit. */
  asked: string | null
  paid: string
  /** All that came for the same by then, this payment included. */
  received: string
  decimals: number
  hash: string
  payer: string
  /**
   * Fees in millionths of a US dollar: the platform's, what was billed for the gas of a signed payment, and what that
   * gas cost.
   */
  fee: string
  gasFee: string
  gasSpent: string
  test: boolean
  at: string
  /** Whether the seller, or the operator, said by hand what it pays. */
  matched: boolean
  /** Time at which its block was found replaced; null for a payment that stands. */
  reversedAt: string | null
  /** Number of chain providers that reported the transfer; null where nobody counted. */
  voices: number | null
}

/** Payments of one challenge that its page looks at. */
const OF_CHALLENGE_MAX = 20
/** Payments that are looked at for those of one transaction. */
const UNMATCHED_MAX = 100

export const settlementQueries = (sql: Sql) => {
  const columns = sql`
    transfer_id as "transferId", settlements.challenge_id as "challengeId", res_id as "resId", status, amount::text, currency, asset, asked::text,
    paid::text, received::text, decimals, hash, payer, settlements.fee::text, coalesce(gas_fees.fee, 0)::text as "gasFee",
    coalesce(gas_fees.spent, 0)::text as "gasSpent", test, at, candidates, voices, matched, reversed_at as "reversedAt",
    coalesce(settlements.transaction_id, (
      select transactions.transaction_id from transactions where transactions.challenge_id = settlements.challenge_id limit 1
    )) as "transactionId"`
  const rows = sql`
    settlements left join gas_fees on gas_fees.challenge_id = settlements.challenge_id and settlements.status = 'settled'`
  return {
    /**
     * The settlements of an account, newest first: test sales or live ones, as `test` says, and with `stores` only
     * those of these stores.
     */
    settlements: (
      accountId: string,
      { test, stores }: { test: boolean; stores?: readonly number[] | undefined },
      limit: number,
      offset: number,
    ): Promise<SettlementRow[]> => sql<SettlementRow[]>`
      select ${columns} from ${rows} where account_id = ${accountId} and test = ${test} and ${ofStores(sql, stores)}
      order by at desc, transfer_id limit ${limit} offset ${offset}`,
    /**
     * Payments that came to an account and sold nothing, the newest first: each can be matched with the challenge that
     * it was meant for.
     */
    odd: (accountId: string, limit: number): Promise<SettlementRow[]> => sql<SettlementRow[]>`
      select ${columns} from ${rows} where account_id = ${accountId} and status in ('unmatched', 'late', 'doubled')
      order by at desc, transfer_id limit ${limit}`,
    /**
     * Payments that came to an account since a time and sold nothing, where they may have been meant for one of these
     * challenges; the newest first.
     */
    unmatchedFor: (
      accountId: string,
      challengeIds: readonly string[],
      since: string,
    ): Promise<UnmatchedPayment[]> => sql<UnmatchedPayment[]>`
      select transfer_id as "transferId", hash, paid::text, candidates, at from settlements
      where account_id = ${accountId} and at >= ${since} and status = 'unmatched' and candidates is not null
        and exists (select from json_array_elements_text(candidates) as candidate where candidate in ${sql(challengeIds)})
      order by at desc, transfer_id limit ${UNMATCHED_MAX}`,
    /**
     * The transactions of which a part was paid since a time, and the rest is missing; the newest first, and with
     * `stores` only those of these stores.
     */
    async underpaidSince(
      accountId: string,
      { test, stores }: { test: boolean; stores?: readonly number[] | undefined },
      since: string,
      limit: number,
    ): Promise<string[]> {
      const found = await sql<{ id: string }[]>`
        with parts as (
          select transaction_id, challenge_id, at from settlements
          where account_id = ${accountId} and at >= ${since} and status = 'underpaid' and test = ${test}
        )
        select transactions.transaction_id as id from parts join transactions
          on transactions.transaction_id = parts.transaction_id or transactions.challenge_id = parts.challenge_id
        where account_id = ${accountId} and status = 'X' and deleted_at is null and ${ofStores(sql, stores)}
        group by transactions.transaction_id order by max(parts.at) desc, id limit ${limit}`
      return found.map(({ id }) => id)
    },
    /** Payments that came for one challenge, the newest first: one settles it, others are late or too many. */
    settlementsOf: (challengeId: string): Promise<SettlementRow[]> => sql<SettlementRow[]>`
      select ${columns} from ${rows} where settlements.challenge_id = ${challengeId}
      order by at desc, transfer_id limit ${OF_CHALLENGE_MAX}`,
  }
}
