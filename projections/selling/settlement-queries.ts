import type { Sql } from 'postgres'
import type { UnmatchedPayment } from '../../domain/use-cases/selling/settling/payment-so-far.ts'
import { ofStores } from '../engine/of-stores.ts'
import { unmatchedQueries } from './unmatched-queries.ts'

/** What is asked of the settlement log: the rows of settlements.ts, with what their gas cost. */

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
/** The newest payments that sold nothing which are looked at for those that are meant for something. */
export const ODD_LOOKED_AT_MAX = 100
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
    ...unmatchedQueries(sql),
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
      select ${columns} from ${rows} where account_id = ${accountId} and status in ('unmatched', 'late', 'doubled', 'sold_out')
      order by at desc, transfer_id limit ${limit}`,
    /** Payments that came to an account in one of these coins and sold nothing, the newest first. */
    oddIn: (accountId: string, assets: readonly string[], limit: number): Promise<SettlementRow[]> => sql<
      SettlementRow[]
    >`
      select ${columns} from ${rows} where account_id = ${accountId} and status in ('unmatched', 'late', 'doubled', 'sold_out')
        and not test and asset in ${sql(assets)}
      order by at desc, transfer_id limit ${limit}`,
    /**
     * Which of these transactions the newest payments that came to an account and sold nothing may have been meant for.
     * It goes from the money to the transactions, so that it looks at as many rows however many there are of these.
     */
    async maybePaid(accountId: string, transactionIds: readonly string[]): Promise<ReadonlySet<string>> {
      if (transactionIds.length === 0) return new Set()
      // Each status by itself and as a literal, so that PostgreSQL reads the index by status however rare one is.
      const newest = [sql`'unmatched'`, sql`'late'`, sql`'doubled'`, sql`'sold_out'`]
        .map(
          (status) => sql`(
            select at, transfer_id, challenge_id, candidates from settlements
            where account_id = ${accountId} and status = ${status} and not test
            order by at desc limit ${ODD_LOOKED_AT_MAX})`,
        )
        .reduce((all, each) => sql`${all} union all ${each}`)
      const found = await sql<{ id: string }[]>`
        with money as (
          select * from (${newest}) each order by at desc, transfer_id limit ${ODD_LOOKED_AT_MAX}
        ), named as (
          select challenge_id from money where challenge_id is not null
          union
          select candidate from money cross join lateral json_array_elements_text(candidates) as candidate
          where money.challenge_id is null
        )
        select t.transaction_id as id from named join transactions t using (challenge_id)
        where t.transaction_id in ${sql(transactionIds)}
        union
        select r.transaction_id from named
          join challenges c using (challenge_id) join payment_requests r on r.request_id = c.request_id
        where r.transaction_id in ${sql(transactionIds)}`
      return new Set(found.map(({ id }) => id))
    },
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
