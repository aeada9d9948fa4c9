import type { Sql } from 'postgres'
import type { SealedText } from '../../domain/kernel/ports.ts'
import type { Edits } from '../../domain/selling/transactions/transaction-edits.ts'
import { ownedBy, type RowOwner } from '../engine/of-stores.ts'
import { filterSql, type TransactionFilter, takesAll } from './transaction-filter.ts'
import { transactionsCsv } from './transactions-csv.ts'

/** What is asked of the merchant's transactions and deliveries. What was deleted is in none of the answers. */

export type TransactionRow = {
  id: string
  externalReference: string
  type: string
  title: string
  description: string
  /** In the place of the description. */
  sealedDescription: SealedText | null
  discountCode: string
  vat: string
  vatDetails: string
  sealedVatDetails: SealedText | null
  cryptocurrency: string
  amount: string
  amountFiat: string
  currency: string
  status: string
  hash: string
  test: boolean
  createdAt: string
  confirmedAt: string | null
  reversed: { readonly reason: string; readonly at: string } | null
  refundedAt: string | null
  refundedPart: string | null
  dispute: { id: string; status: string } | null
  challengeId: string | null
  storeId: number
  /** The saved payment link that was bought. */
  checkoutId: string | null
  /** What was written by hand; what it lies over shows it already. */
  edits: Edits | null
}

export type DeliveryRow = {
  eventId: string
  url: string
  test: boolean
  state: string
  status: number | null
  reason: string | null
  responseBody: string | null
  durationMs: number | null
  scheduledAt: string
  attemptedAt: string | null
}

const HIDES = 'exists (select from odd_accounts where account_id = $1 and hides)'

/**
 * `$1` the account, `$2` how many, `$3` after how many. Numbers lead straight to a page far down, unless something is
 * hidden among them: then what lies before is counted.
 */
const PAGE = `select $columns from transactions
  where account_id = $1 and deleted_at is null and number <= (select max(number) from transactions where account_id = $1)
    - case when ${HIDES} then 0 else $3::bigint end
  order by number desc limit $2 offset case when ${HIDES} then $3::bigint else 0 end`

const COUNT = `select (case when ${HIDES}
    then (select count(*) from transactions where account_id = $1 and deleted_at is null)
    else (select coalesce(max(number), 0) from transactions where account_id = $1) end)::int as count`

export const transactionQueries = (sql: Sql, exports: Sql) => {
  const columns = `
    transaction_id as id, external_reference as "externalReference", type, title, description, vat,
    sealed_description as "sealedDescription", discount_code as "discountCode",
    vat_details as "vatDetails", sealed_vat_details as "sealedVatDetails", cryptocurrency, amount,
    amount_fiat as "amountFiat", currency, status, hash, test, created_at as "createdAt", confirmed_at as "confirmedAt",
    reversed, refunded_at as "refundedAt", refunded_part as "refundedPart", dispute, challenge_id as "challengeId", store_id as "storeId",
    checkout_id as "checkoutId", edits`
  /** By their numbers, so that a page far down costs what the first one does. */
  const page = (accountId: string, limit: number, offset: number) =>
    sql.unsafe<TransactionRow[]>(PAGE.replace('$columns', columns), [accountId, limit, offset])
  return {
    /** Newest first. */
    transactions(
      accountId: string,
      filter: TransactionFilter,
      limit: number,
      offset: number,
    ): Promise<TransactionRow[]> {
      if (takesAll(filter)) return page(accountId, limit, offset)
      const { where, values } = filterSql(accountId, filter)
      return sql.unsafe<TransactionRow[]>(
        `select ${columns} from transactions where ${where}
         order by number desc limit $${values.length + 1} offset $${values.length + 2}`,
        [...values, limit, offset],
      )
    },
    async transactionCount(accountId: string, filter: TransactionFilter): Promise<number> {
      const { where, values } = filterSql(accountId, filter)
      const [row] = takesAll(filter)
        ? await sql.unsafe<{ count: number }[]>(COUNT, [accountId])
        : await sql.unsafe<{ count: number }[]>(
            `select count(*)::int as count from transactions where ${where}`,
            values,
          )
      return row?.count ?? 0
    },
    async transaction(accountId: string, id: string): Promise<TransactionRow | undefined> {
      const [row] = await sql.unsafe<TransactionRow[]>(
        `select ${columns} from transactions
         where account_id = $1 and transaction_id = $2 and deleted_at is null`,
        [accountId, id],
      )
      return row
    },
    /**
     * Payments of resources that were seen, but whose time was up before `before` without their being settled, the
     * oldest first; of some stores of one account when it is given.
     */
    async expiredTransactions(
      before: string,
      limit: number,
      own?: RowOwner,
    ): Promise<{ id: string; challengeId: string }[]> {
      return sql<{ id: string; challengeId: string }[]>`
        select transaction_id as id, challenge_id as "challengeId" from transactions
        where expires_at < ${before}
          and ${own ? ownedBy(sql, own) : sql`true`}
        order by expires_at limit ${limit}`
    },
    transactionsCsv: (accountId?: string, filter: TransactionFilter = {}, mark?: string) =>
      transactionsCsv(exports, accountId, filter, mark),
    /** Whether some of what an account's CSV shows is sealed, or of all accounts together. */
    async sealsTransactions(accountId?: string): Promise<boolean> {
      const [found] = await sql`
        select from odd_accounts where seals and (account_id = ${accountId ?? null} or ${accountId ?? null}::text is null) limit 1`
      return found !== undefined
    },
    webhookLog: (accountId: string, transactionId: string): Promise<DeliveryRow[]> => sql<DeliveryRow[]>`
      select event_id as "eventId", url, test, state, http_status as status, reason, response_body as "responseBody",
        duration_ms as "durationMs", scheduled_at as "scheduledAt", attempted_at as "attemptedAt"
      from deliveries where account_id = ${accountId} and transaction_id = ${transactionId} and state <> 'skipped'
      order by scheduled_at, event_id`,
  }
}
