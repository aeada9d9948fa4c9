import { transactionLife } from '../../adapters/audit/transaction-life.ts'
import type { AuditReads } from '../../adapters/http/core/audit-reads.ts'
import { type ExportFacts, tied } from '../../adapters/journal-export/export-head.ts'
import { openJournalExport } from '../../adapters/journal-export/open.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { ByteLog } from '../../adapters/store/base/bytes.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { Queries } from '../../projections/index.ts'

/** What the calls of an auditor read beside the read models: the log byte for byte, and whole journals. */
export const auditReads = (store: LogStore, bytes: ByteLog, queries: Queries, exports: Sql): AuditReads => ({
  async lineOf(stream, revision) {
    for await (const [event] of store.read(stream, revision)) {
      return event?.revision === revision ? (await bytes.lineAt(event.position))?.line : undefined
    }
    return undefined
  },
  life: (transactionId, account) => transactionLife({ store, queries }, transactionId, account),
  journal(format, selection, ended) {
    let reached: bigint | undefined
    const content = openJournalExport(exports, format, selection, { onReached: (order) => (reached = order) })
    const facts = async (): Promise<ExportFacts> => {
      const [head] = await queries.seals({ limit: 1 })
      return {
        export: format,
        account: selection.owner ?? null,
        from: selection.from?.toISOString() ?? null,
        to: selection.to?.toISOString() ?? null,
        position: reached === undefined ? null : String(reached),
        head: head ? { log: head.log, size: head.size, order: head.order, root: head.root } : null,
      }
    }
    return tied(content, facts, ended)
  },
})
