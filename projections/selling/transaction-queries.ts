import type { Sql } from 'postgres'
import type { SealedText } from '../../domain/kernel/ports.ts'
import type { Edits } from '../../domain/selling/transactions/transaction-edits.ts'
import { RECORD_KEYS } from '../../domain/selling/transactions/transaction-record.ts'
import { ownedBy, type RowOwner } from '../engine/of-stores.ts'

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
  refundedPart: string | null
  dispute: { id: string; status: string } | null
  challengeId: string | null
  storeId: number
  /** The saved payment link that was bought. */
  checkoutId: string | null
  /** Values that were written by hand; the other fields show them already. */
  edits: Edits | null
}

type DeliveryRow = {
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
const PAGE = `select $columns from transactions
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
    reversed, refunded_at as "refundedAt", refunded_part as "refundedPart", dispute, challenge_id as "challengeId", store_id as "storeId",
    checkout_id as "checkoutId", edits`
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
        `select ${columns} from transactions where ${where}
         order by number desc limit $${values.length + 1} offset $${values.length + 2}`,
        [...values, limit, offset],
      )
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
        `select ${columns} from transactions
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
    transactionsCsv: (accountId?: string, filter: TransactionFilter = {}, mark?: string) =>
      transactionsCsv(exports, accountId, filter, mark),
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
  type?: string | undefined
  status?: string | undefined
  asset?: string | undefined
  /** ISO 8601 times, both included. */
  from?: string | undefined
  to?: string | undefined
  /** Part of the id, the hash, the title, the payer or the external reference; case does not matter. */
  q?: string | undefined
  /** Only test records, or only live ones. */
  test?: boolean | undefined
  /** Only transactions of these stores. */
  stores?: readonly number[] | undefined
}

type Condition = (parameter: string) => string

const conditions: Readonly<Record<keyof TransactionFilter, Condition>> = {
  type: (p) => `type = ${p}`,
  status: (p) => `status = ${p}`,
  asset: (p) => `cryptocurrency = ${p}`,
  from: (p) => `created_at >= ${p}`,
  to: (p) => `created_at <= ${p}`,
  q: (p) => `(${SEARCHED.map((column) => `position(lower(${p}) in lower(${column})) > 0`).join(' or ')})`,
  test: (p) => `test = ${p}::text::boolean`,
  stores: (p) => `store_id = any (('{' || ${p}::text || '}')::integer[])`,
}

const SEARCHED = ['transaction_id', 'hash', 'title', 'payer', 'external_reference']

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
    if (value !== undefined) add(condition, String(value))
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

/** The CSV is written by Postgres and passed through as it comes, so its size does not matter (J-TXN-05). */

/** How each documented key is read from the table; the same words as `transactionRecord` uses. */
const columns: Readonly<Record<(typeof RECORD_KEYS)[number], string>> = {
  id: 'transaction_id',
  amount: 'amount',
  amount_fiat: 'amount_fiat',
  cryptocurrency: 'cryptocurrency',
  currency: 'currency',
  status: 'status',
  hash: 'hash',
  title: 'title',
  external_reference: 'external_reference',
  vat: `coalesce(edits->>'vat', vat)`,
  vat_details: 'vat_details',
  creation_time: recordTime('created_at'),
  confirmed_time: `coalesce(${recordTime('confirmed_at')}, '')`,
  description: 'description',
  billing: "''",
  type: 'type',
}

/** SQL of the sealed value that replaces a column; null where there is none. */
const sealed: { readonly [K in (typeof RECORD_KEYS)[number]]?: string } = {
  billing: `nullif(edits->>'billing', '')`,
  description: `case when edits->>'description' is null then sealed_description end`,
  vat_details: 'sealed_vat_details',
}

/**
 * The transactions of one account, or of all, that pass a filter, oldest first, with a header line. Text that a
 * spreadsheet would run is quoted by a leading '. A cell that is sealed stands between two marks, to be opened on the
 * way; without a mark it is empty.
 */
export const transactionsCsv = (
  sql: Sql,
  accountId: string | undefined,
  filter: TransactionFilter,
  mark?: string | undefined,
) => {
  const where = filteredText(accountId, filter)
  const list = RECORD_KEYS.map((key) => `${cell(key, mark)} as ${key}`)
  return sql
    .unsafe(
      `copy (select ${list.join(', ')} from transactions where ${where} order by ${accountId === undefined ? 'created_at, transaction_id' : 'number'})
       to stdout with (format csv, header)`,
    )
    .readable()
}

function recordTime(column: string): string {
  return `replace(left(${column}, 19), 'T', ' ')`
}

/** SQL of a text in which whatever a spreadsheet would run is quoted by a leading '. */
export const inertSql = (value: string): string =>
  `case when ${value} ~ '^[=+@\\t\\r\\n-]' then '''' || ${value} else ${value} end`

const cell = (key: (typeof RECORD_KEYS)[number], mark: string | undefined): string => {
  const [plain, hidden] = [inertSql(columns[key]), sealed[key]]
  return mark === undefined || hidden === undefined ? plain : `coalesce('${mark}' || ${hidden} || '${mark}', ${plain})`
}
