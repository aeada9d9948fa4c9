import type { JournalSelection } from '../../projections/money/journal-tables.ts'

/**
 * The journal in the format of another program. Each part is text of whole lines, except for the parts that `join`
 * stands between.
 */

export type JournalFormat = {
  /** The text before everything else. */
  head?(selection: JournalSelection): string
  /** Names that have to be declared before they are used; a format without them is not told of any. */
  readonly declares?: {
    account(account: string, since: string): string
    asset(asset: string, since: string): string
  }
  /** The beginning of an entry, before its postings. */
  entry(entry: JournalExportEntry): string
  posting(posting: ExportedPosting): string
  /** The text between two postings of one entry. */
  readonly join: string
  readonly end: string
}

/** An event, or the opening balances, which have no place in the log. */
export type JournalExportEntry = {
  readonly at: string
  readonly type: string
  readonly event?: { readonly position: string; readonly id: string; readonly stream: string }
  /** What it belongs to and what it is worth, by name; only what is known. */
  readonly tags?: Tags
  /** Whether all of its texts are inert as they stand. */
  readonly isInert?: boolean
  /** What one whole coin was worth at that moment; only in the books of somebody. */
  readonly price?: { readonly asset: string; readonly rate: string; readonly currency: string } | undefined
}

export type ExportedPosting = {
  readonly account: string
  readonly asset: string
  readonly units: string
  /** What it was worth, by name; only what is known. */
  readonly tags?: Tags
  /** Whether all of its texts are inert as they stand. */
  readonly isInert?: boolean
}

/** Names and values, in their order. */
export type Tags = readonly (readonly [name: string, value: string])[]
