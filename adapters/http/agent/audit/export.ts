import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { type ExportHead, exportHeadShape } from '../../../journal-export/export-head.ts'
import { JOURNAL_FORMATS } from '../../../journal-export/open.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import type { Downloads } from '../common/downloads.ts'
import { From, To } from '../common/times.ts'
import { reads } from './fields.ts'

/** The journal of the account, whole, for accountants and their programs. */

const kinds = {
  csv: ['text/csv; charset=utf-8', 'csv'],
  hledger: ['text/plain; charset=utf-8', 'journal'],
  beancount: ['text/plain; charset=utf-8', 'beancount'],
  jsonl: ['application/jsonl; charset=utf-8', 'jsonl'],
} as const

const Wish = z.object({
  format: z.enum(JOURNAL_FORMATS as ['csv', 'hledger', 'beancount', 'jsonl']),
  from: From.optional(),
  to: To.optional(),
})

const journal = (downloads: Downloads) =>
  endpoint({
    ...reads,
    path: '/v1/audit/export',
    summary: 'The journal of the account, every posting of it: CSV, hledger, beancount or JSON Lines',
    query: Wish,
    returns: z.string(),
    produces: 'text/plain',
    refusals: ['busy'],
    async answer({ query, actor: { accountId }, audit }) {
      const { format } = query
      const stream = await downloads.start(accountId, async () => audit.journal(format, selectionOf(accountId, query)))
      const [type, ending] = kinds[format]
      return new Reply(200, stream, {
        'Content-Type': type,
        'Content-Disposition': `attachment; filename="journal.${ending}"`,
      })
    },
  })

/**
 * CSV and JSON Lines have no room for what ties them to the log, so a call of its own answers it. The head is that of
 * the journal as it is now; for a period that is over, it fits every download of that period.
 */
const journalHead = (downloads: Downloads) =>
  endpoint({
    ...reads,
    path: '/v1/audit/export/head',
    summary: 'What ties the same export to the log: its head, root and position, and the hash of the lines',
    query: Wish,
    returns: exportHeadShape.meta({
      id: 'ExportHead',
      description: 'What `<file>.head.json` has to say beside an export: `daybook audit verify-export` reads both.',
    }),
    refusals: ['busy'],
    async answer({ query, actor: { accountId }, audit }) {
      let head: ExportHead | undefined
      const open = async () => audit.journal(query.format, selectionOf(accountId, query), (known) => (head = known))
      for await (const _ of await downloads.start(accountId, open));
      return head ?? refuse('unavailable', 'The journal was not read to its end. Try again in a moment.')
    },
  })

const selectionOf = (owner: string, { from, to }: z.infer<typeof Wish>) => ({
  owner,
  from: from === undefined ? undefined : new Date(from),
  to: to === undefined ? undefined : new Date(to),
})

export const exportEndpoints = (downloads: Downloads) => [journal(downloads), journalHead(downloads)]
