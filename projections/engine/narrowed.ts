import type { Fragment, Sql } from 'postgres'

/** Conditions by which a list of an account's own things is narrowed, and gone through by its keys. */

/** A condition that a searched text has all of these words, which are folded. */
export const hasAll = (sql: Sql, text: Fragment, words: readonly string[]): Fragment =>
  words.reduce((so, word) => sql`${so} and strpos(${text}, ${word}) > 0`, sql`true`)

/**
 * What a list of the newest first is narrowed by: folded words that all have to be found, and the key of the row after
 * which it begins. A key that no row of the account has leaves nothing.
 */
export type ListNarrowing = { readonly words?: readonly string[]; readonly before?: string | undefined }

/** The condition on a table with `created_at` and `search_text`, listed by `created_at desc` and then by `key`. */
export const narrowedBy = (
  sql: Sql,
  { table, key, accountId }: { readonly table: string; readonly key: string; readonly accountId: string },
  { words = [], before }: ListNarrowing,
): Fragment => {
  const found = hasAll(sql, sql`search_text`, words)
  if (before === undefined) return found
  const at = sql`(select created_at from ${sql(table)} where account_id = ${accountId} and ${sql(key)} = ${before})`
  return sql`${found} and (created_at < ${at} or (created_at = ${at} and ${sql(key)} > ${before}))`
}
