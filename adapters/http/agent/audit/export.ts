import { z } from 'zod'
import { JOURNAL_FORMATS } from '../../../journal-export/open.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import type { Downloads } from '../common/downloads.ts'
import { From, To } from '../common/times.ts'
import { reads } from './fields.ts'

/** The journal of the account, whole, for accountants and their programs (DESIGN §8). */

const kinds = {
  csv: ['text/csv; charset=utf-8', 'csv'],
  hledger: ['text/plain; charset=utf-8', 'journal'],
  beancount: ['text/plain; charset=utf-8', 'beancount'],
  jsonl: ['application/jsonl; charset=utf-8', 'jsonl'],
} as const

const journal = (downloads: Downloads) =>
  endpoint({
    ...reads,
    path: '/v1/audit/export',
    summary: 'The journal of the account, every posting of it: CSV, hledger, beancount or JSON Lines',
    query: z.object({
      format: z.enum(JOURNAL_FORMATS as ['csv', 'hledger', 'beancount', 'jsonl']),
      from: From.optional(),
      to: To.optional(),
    }),
    returns: z.string(),
    produces: 'text/plain',
    refusals: ['busy'],
    async answer({ query: { format, from, to }, actor, audit }) {
      const owner = actor.accountId
      const selection = { owner, from: dateOf(from), to: dateOf(to) }
      const stream = await downloads.start(owner, async () => audit.journal(format, selection))
      const [type, ending] = kinds[format]
      return new Reply(200, stream, {
        'Content-Type': type,
        'Content-Disposition': `attachment; filename="journal.${ending}"`,
      })
    },
  })

const dateOf = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time))

export const exportEndpoints = (downloads: Downloads) => [journal(downloads)]
