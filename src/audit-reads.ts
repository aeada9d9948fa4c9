import { transactionLife } from '../adapters/audit/transaction-life.ts'
import type { AuditReads } from '../adapters/http/agent/audit/reads.ts'
import { openJournalExport } from '../adapters/journal-export/open.ts'
import type { Sql } from '../adapters/postgres/connect.ts'
import type { ByteLog } from '../adapters/store/bytes.ts'
import type { LogStore } from '../adapters/store/origin.ts'
import type { Queries } from '../projections/index.ts'

/** What the calls of an auditor read beside the read models: the log byte for byte, and whole journals. */
export const auditReads = (store: LogStore, bytes: ByteLog, queries: Queries, exports: Sql): AuditReads => ({
  async lineOf(stream, revision) {
    for await (const [event] of store.read(stream, revision)) {
      return event?.revision === revision ? (await bytes.lineAt(event.position))?.line : undefined
    }
    return undefined
  },
  life: (transactionId, account) => transactionLife({ store, queries }, transactionId, account),
  journal: (format, selection) => openJournalExport(exports, format, selection),
})
