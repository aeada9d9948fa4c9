import type { Row, Table } from './projection.ts'
import { keyText, rowAsRead } from './row-text.ts'

/** Rows of a table, and the highest numbers of the groups that new ones were numbered in. */
export type TableRows = {
  readonly table: Table
  readonly rows: readonly Row[]
  readonly highest: ReadonlyMap<string, bigint>
}

/** Rows as they are after a transaction. */
export type RowsKnown = {
  /** The row that reading the key, as `keyText` has it, would answer; undefined where it has to be read. */
  find(table: Table, at: string): Row | undefined
  /** The highest number of a group; undefined where it has to be read. */
  highest(table: Table, group: string): bigint | undefined
}

/**
 * The rows of a read model that its projector wrote last, so that it need not read them a moment later. They are right
 * for as long as the checkpoint is the one that the projector has written: whoever else writes rows writes that, too.
 */
export type RecentRows = {
  /** What is known where this transaction was the last one that wrote the checkpoint. */
  after(transaction: string | undefined): RowsKnown
  /** Keeps what a transaction has written, and what was known before it where it came right after that. */
  keep(transactions: { readonly before: string | undefined; readonly by: string }, written?: readonly TableRows[]): void
}

/** Rows, and numbers of groups, that are kept of one read model: those of the sales that are under way. */
const RECENT_MAX = 200
/** Characters of a row, as JSON, above which it is read each time: what people write may be of any length. */
const ROW_CHARS_MAX = 4_096

export const createRecentRows = (): RecentRows => {
  let last: string | undefined
  const rows = new Map<string, Row>()
  const numbers = new Map<string, bigint>()
  const known: RowsKnown = {
    find(table, at) {
      const row = rows.get(placeOf(table, at))
      return row && rowAsRead(table.columns, row)
    },
    highest: (table, group) => numbers.get(placeOf(table, group)),
  }
  const forget = () => {
    rows.clear()
    numbers.clear()
  }
  const keepRow = (table: Table, row: Row, columns: Table['columns']) => {
    const key = rowAsRead(columns, row)
    // It may be the row of a key that is kept.
    if (!key) return forget()
    const place = placeOf(table, keyText(table.key.map((column) => key[column] ?? null)))
    if (JSON.stringify(row).length > ROW_CHARS_MAX) rows.delete(place)
    else put(rows, place, row)
  }
  return {
    after: (transaction) => (transaction === last ? known : NOTHING_KNOWN),
    keep({ before, by }, written = []) {
      if (before !== last) forget()
      last = by
      for (const { table, rows: these, highest } of written) {
        const columns = columnsOfKey(table)
        for (const row of these) keepRow(table, row, columns)
        for (const [group, number] of highest) put(numbers, placeOf(table, group), number)
      }
    },
  }
}

export const NOTHING_KNOWN: RowsKnown = { find: () => undefined, highest: () => undefined }

const placeOf = (table: Table, key: string): string => `${table.name} ${key}`

const columnsOfKey = ({ key, columns }: Table): Table['columns'] =>
  Object.fromEntries(key.map((column) => [column, columns[column] ?? 'text']))

/** What was written longest ago makes room. */
const put = <T>(kept: Map<string, T>, at: string, value: T): void => {
  kept.delete(at)
  kept.set(at, value)
  const [oldest] = kept.keys()
  if (kept.size > RECENT_MAX && oldest !== undefined) kept.delete(oldest)
}
