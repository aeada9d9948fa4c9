/**
 * What a list of transactions is narrowed to (J-TXN-02); all that are given must hold. One place for the list, its
 * count and the CSV.
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
  test?: boolean | undefined
  /** Only what belongs to one of these stores. */
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

/** What else is in the object narrows nothing: a query also carries its page. */
export const takesAll = (filter: TransactionFilter): boolean =>
  Object.keys(conditions).every((name) => filter[name as keyof TransactionFilter] === undefined)

/** SQL after `where`, without what was deleted, with its parameters from $1 on. */
export const filterSql = (
  accountId: string | undefined,
  filter: TransactionFilter,
): { where: string; values: string[] } => {
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
export const filteredText = (accountId: string | undefined, filter: TransactionFilter): string => {
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
