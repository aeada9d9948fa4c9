import { z } from 'zod'
import type { RequestLog } from '../../../postgres/requests/request-log.ts'
import type { RequestFilter, RequestRow } from '../../../postgres/requests/request-rows.ts'
import { endpoint } from '../../core/endpoint.ts'
import { page } from '../common/paging.ts'
import { From, To } from '../common/times.ts'
import { reads } from './fields.ts'

/** What the keys and the people of an account have called lately, and what came of it (N-100). */

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const
const TEXT_MAX = 200

const filters = {
  method: z.enum(METHODS).optional(),
  path: z.string().max(TEXT_MAX).startsWith('/').optional().describe('What the path begins with.'),
  status: z.enum(STATUS_CLASSES).optional(),
  key_hint: z.string().max(TEXT_MAX).optional(),
  request_id: z.string().max(TEXT_MAX).optional(),
  from: From.optional(),
  to: To.optional(),
  before: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .describe('`next` of the page before.'),
}

const LoggedRequest = z
  .object({
    at: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.int(),
    request_id: z.string(),
    caller: z.enum(['owner', 'sandbox', 'sub-key', 'store', 'member']),
    key_hint: z.string().nullable(),
    member_id: z.string().nullable(),
    duration_ms: z.int(),
  })
  .meta({
    id: 'LoggedRequest',
    description: 'A call and what came of it. `path` has the parameters that pick the operation, and no other values.',
  })

const list = endpoint({
  ...reads,
  path: '/v1/request-log',
  summary: 'The calls of the keys of the account and what its people changed, the newest first: 5,000 of 30 days',
  waits: 'never',
  query: z.object({ ...filters, limit: page.query.limit }),
  returns: z.object({
    requests: z.array(LoggedRequest),
    next: z.string().nullable().describe('`before` of the next page; null when there is none.'),
  }),
  async answer({ query: { limit, ...query }, actor, requestLog }) {
    const { rows, next } = await requestPage(requestLog, actor.accountId, query, page.of({ limit }).limit)
    return { requests: rows.map(shownRequest), next: next ?? null }
  },
})

export const requestLogEndpoints = [list]

export const RequestFilters = z.object(filters)
type WrittenFilter = z.output<typeof RequestFilters>

/** One page of the calls of an account, and the place at which the next one begins. */
export const requestPage = async (
  log: RequestLog,
  accountId: string,
  filter: WrittenFilter,
  size: number,
): Promise<{ readonly rows: readonly RequestRow[]; readonly next: string | undefined }> => {
  await log.written()
  const rows = await log.requests(accountId, requestFilterOf(filter), size + 1)
  const shown = rows.slice(0, size)
  return { rows: shown, next: rows.length > size ? shown.at(-1)?.n : undefined }
}

const requestFilterOf = (written: WrittenFilter): RequestFilter => ({
  method: written.method,
  pathPrefix: written.path,
  statusClass: written.status && Number(written.status[0]),
  hint: written.key_hint,
  requestId: written.request_id,
  from: written.from,
  to: written.to,
  before: written.before,
})

const shownRequest = ({ at, method, path, status, requestId, kind, callerId, hint, ms }: RequestRow) => ({
  at: at.toISOString(),
  method,
  path,
  status,
  request_id: requestId,
  caller: kind,
  key_hint: hint,
  member_id: kind === 'member' ? callerId : null,
  duration_ms: ms,
})
