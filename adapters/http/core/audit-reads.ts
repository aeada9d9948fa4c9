import type { Readable } from 'node:stream'
import type { Life } from '../../../domain/reading/life.ts'
import type { SentWebhook } from '../../../domain/reading/sent-webhook.ts'
import type { JournalSelection } from '../../../projections/money/journal-tables.ts'
import type { ExportHead } from '../../journal-export/export-head.ts'
import type { JournalFormatName } from '../../journal-export/open.ts'

/** What an auditor's calls read beside the read models. */
export type AuditReads = {
  /** The line of an event, which seals are made over; undefined when the stream has no such event. */
  lineOf(stream: string, revision: bigint): Promise<string | undefined>
  /** The life of a transaction; undefined when the account has none of that number. */
  life(transactionId: string, account: string): Promise<Life | undefined>
  /**
   * A webhook as it was sent, which its caller has found to be the account's; undefined when nothing was to be sent.
   */
  sentWebhook(eventId: string, transactionId: string): Promise<SentWebhook | undefined>
  /**
   * The journal as text; a connection is held until it was read to its end.
   * @param ended told what ties the journal to the log, once all of it was read
   */
  journal(format: JournalFormatName, selection: JournalSelection, ended?: (head: ExportHead) => void): Readable
}
