import type { Sql } from 'postgres'
import type { SealedText } from '../../../domain/kernel/ports.ts'
import type { CoinRefund } from '../../../domain/selling/transactions/coin-refund.ts'
import type { Edits } from '../../../domain/selling/transactions/transaction-edits.ts'
import { ownedBy, type RowOwner } from '../../engine/of-stores.ts'
import { receivedSql } from '../takings.ts'
import { inLowerCase } from './searched-text.ts'
import { type CsvForm, TAKEN, transactionsCsv } from './transactions-csv.ts'

/** Queries of a merchant's transactions, without those that were deleted, and of their deliveries. */

export type TransactionRow = {
  id: string
  externalReference: string
  type: string
  title: string
  description: string
  /** Replaces the description where that tells of a person. */
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
  /** All that came, as a decimal of the coin; empty while nothing has. */
  received: string
  refundedPart: string | null
  refundSent: boolean | null
  coinRefund: CoinRefund | null
  dispute: { id: string; status: string } | null
  challengeId: string | null
  storeId: number
  /** The saved payment link that was bought. */
  checkoutId: string | null
  /** Values that were written by hand; the other fields show them already. */
  edits: Edits | null
  editedAt: string | null
}

type SoughtRefund = { readonly transactionId: string; readonly hash: string; readonly namedAt: string | null }

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

/** Whether an account has transactions that its list of live ones leaves out. */
const HIDES = 'exists (select from odd_accounts where account_id = $1 and (hides or tests))'

/**
 * A page of the live transactions of the account `$1`: `$2` rows after the first `$3`. Numbers lead straight to a page
 * far down, unless a transaction is hidden among them or is a test: then the rows before the page are counted.
 */
const PAGE = `select $columns from ${TAKEN}
  where account_id = $1 and deleted_at is null and not test and number <= (select max(number) from transactions where account_id = $1)
    - case when ${HIDES} then 0 else $3::bigint end
  order by number desc limit $2 offset case when ${HIDES} then $3::bigint else 0 end`

const COUNT = `select (case when ${HIDES}
    then (select count(*) from transactions where account_id = $1 and deleted_at is null and not test)
    else (select coalesce(max(number), 0) from transactions where account_id = $1) end)::int as count`

export const transactionQueries = (sql: Sql, exports: Sql) => {
  const columns = `
    transaction_id as id, external_reference as "externalReference", type, title, description, vat,
    sealed_description as "sealedDescription", discount_code as "discountCode",
    vat_details as "vatDetails", sealed_vat_details as "sealedVatDetails", cryptocurrency, amount,
    amount_fiat as "amountFiat", currency, status, hash, test, created_at as "createdAt", confirmed_at as "confirmedAt",
    reversed, refunded_at as "refundedAt", refunded_part as "refundedPart", refund_sent as "refundSent", coin_refund as "coinRefund",
    ${receivedSql} as received, dispute, challenge_id as "challengeId", store_id as "storeId",
    checkout_id as "checkoutId", edits, edited_at as "editedAt"`
  /** A page of all live transactions, found by their numbers, so that a page far down costs what the first one does. */
  const page = (accountId: string, limit: number, offset: number) =>
    sql.unsafe<TransactionRow[]>(PAGE.replace('$columns', columns), [accountId, limit, offset])
  return {
    /** The transactions that pass a filter, newest first. */
    transactions(
      accountId: string,
      filter: TransactionFilter,
      limit: number,
      offset: number,
    ): Promise<TransactionRow[]> {
      if (takesAllLive(filter)) return page(accountId, limit, offset)
      const { where, values } = filterSql(accountId, filter)
      return sql.unsafe<TransactionRow[]>(
        `select ${columns} from ${TAKEN} where ${where}
         order by number desc limit $${values.length + 1} offset $${values.length + 2}`,
        [...values, limit, offset],
      )
    },
    /** The place of a transaction in the list of its account, also of one that was deleted since. */
    async transactionNumber(accountId: string, id: string): Promise<string | undefined> {
      const [row] = await sql<{ number: string }[]>`
        select number from transactions where account_id = ${accountId} and transaction_id = ${id}`
      return row?.number
    },
    async transactionCount(accountId: string, filter: TransactionFilter): Promise<number> {
      const { where, values } = filterSql(accountId, filter)
      const [row] = takesAllLive(filter)
        ? await sql.unsafe<{ count: number }[]>(COUNT, [accountId])
        : await sql.unsafe<{ count: number }[]>(
            `select count(*)::int as count from transactions where ${where}`,
            values,
          )
      return row?.count ?? 0
    },
    async transaction(accountId: string, id: string): Promise<TransactionRow | undefined> {
      const [row] = await sql.unsafe<TransactionRow[]>(
        `select ${columns} from ${TAKEN}
         where account_id = $1 and transaction_id = $2 and deleted_at is null`,
        [accountId, id],
      )
      return row
    },
    /**
     * Transactions of resources whose payment was seen, but had not settled when they expired, before `before`; the
     * oldest first. With `own`, only those of that owner.
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
    /**
     * Refunds that sellers named a chain transaction of, or that their chains have lost after `since`, and that nobody
     * has found; by pages.
     */
    async soughtRefunds(since: string, after: string, limit: number): Promise<SoughtRefund[]> {
      return sql<SoughtRefund[]>`
        select transaction_id as "transactionId", hash, submitted_at as "namedAt" from sought_refunds
        where sought and transaction_id > ${after}
        union select transaction_id, hash, null from lost_refunds
        where lost and lost_at >= ${since} and transaction_id > ${after}
        order by 1, 2 limit ${limit}`
    },
    transactionsCsv: (accountId?: string, filter: TransactionFilter = {}, form: CsvForm = {}) =>
      transactionsCsv(exports, filteredText(accountId, filter), accountId, form),
    /** Whether the CSV of an account, or of all accounts, has values that are sealed. */
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

/**
 * Conditions that narrow a list of transactions (J-TXN-02); all that are given must hold. The list, its count and the
 * CSV share them.
 */
export type TransactionFilter = {
  id?: string | undefined
  type?: string | undefined
  status?: string | undefined
  /** The code of a coin in lower case. */
  asset?: string | undefined
  /** ISO 8601 times, both included. */
  from?: string | undefined
  to?: string | undefined
  /** Bounds of the price in its own currency, as decimals, both included. */
  amountFrom?: string | undefined
  amountTo?: string | undefined
  /** The number below which those of a page are. */
  before?: string | undefined
  /** Part of the id, the hash, the title, the payer or the external reference; case does not matter. */
  q?: string | undefined
  /** Only test records, or only live ones. */
  test?: boolean | undefined
  /** Only transactions of these stores. */
  stores?: readonly number[] | undefined
}

type Condition = (parameter: string) => string

const conditions: Readonly<Record<keyof TransactionFilter, Condition>> = {
  id: (p) => `transaction_id = ${p}`,
  type: (p) => `type = ${p}`,
  status: (p) => `status = ${p}`,
  asset: (p) => `lower(cryptocurrency) = ${p}`,
  from: (p) => `created_at >= ${p}`,
  to: (p) => `created_at <= ${p}`,
  amountFrom: (p) => `nullif(amount_fiat, '')::numeric >= ${p}::numeric`,
  amountTo: (p) => `nullif(amount_fiat, '')::numeric <= ${p}::numeric`,
  before: (p) => `number < ${p}::bigint`,
  // Bytes are compared, whatever the language of the database is.
  q: (p) => `strpos(searched collate "C", ${p}) > 0`,
  test: (p) => `test = ${p}::text::boolean`,
  stores: (p) => `store_id = any (('{' || ${p}::text || '}')::integer[])`,
}

/**
 * Whether a filter has no condition but that transactions are live. Nothing else in the object counts, because a query
 * also carries its page.
 */
const takesAllLive = (filter: TransactionFilter): boolean =>
  filter.test === false &&
  Object.keys(conditions).every((name) => name === 'test' || filter[name as keyof TransactionFilter] === undefined)

/** The SQL after `where`, which leaves out deleted transactions, and its parameters from $1 on. */
const filterSql = (accountId: string | undefined, filter: TransactionFilter): { where: string; values: string[] } => {
  const values: string[] = []
  const parts = ['deleted_at is null']
  const add = (condition: Condition, value: string) => {
    values.push(value)
    parts.push(condition(`$${values.length}`))
  }
  if (accountId !== undefined) add((p) => `account_id = ${p}`, accountId)
  for (const [name, condition] of Object.entries(conditions)) {
    const value = filter[name as keyof TransactionFilter]
    if (value !== undefined) add(condition, name === 'q' ? inLowerCase(String(value)) : String(value))
  }
  return { where: parts.join(' and '), values }
}

/** The same with its values written into the text, for COPY, which takes no parameters. */
const filteredText = (accountId: string | undefined, filter: TransactionFilter): string => {
  const { where, values } = filterSql(accountId, filter)
  return where.replace(/\$(\d+)/g, (_, n: string) => literal(values[Number(n) - 1] ?? ''))
}

/**
 * A text constant: with standard_conforming_strings, which is on unless somebody turned it off, only the quote itself
 * is special.
 */
const literal = (text: string): string => {
  if (text.includes('\0')) throw new Error('text for Postgres holds no NUL')
  return text.includes('\\') ? `E'${text.replace(/['\\]/g, '\\$&')}'` : `'${text.replaceAll("'", "''")}'`
}
