import { z } from 'zod'
import { spanOfDay } from '../../../../domain/kernel/calendar.ts'
import { clockOf } from '../../../../domain/use-cases/account/time-zone.ts'
import { METHODS, RequestFilters, requestPage, STATUS_CLASSES } from '../../agent/audit/request-log.ts'
import { endpoint } from '../../core/endpoint.ts'
import { REQUESTS } from '../../pages/dashboard/developers/paths.ts'
import { requestsPage } from '../../pages/dashboard/developers/requests.ts'
import { ofMembers } from '../of-dashboard.ts'

/** The request log: the list of `GET /v1/request-log`. */

const ROWS = 50
const FIELD_MAX = 200

const text = z.string().max(FIELD_MAX).optional()

const look = endpoint({
  ...ofMembers,
  path: REQUESTS,
  method: 'get',
  callers: { capability: 'audit.view' },
  summary: 'What the keys and the people of the account called lately, narrowed by the filters in the address',
  query: z.object({
    method: text,
    path: text,
    status: text,
    key_hint: text,
    request_id: text,
    from: text,
    to: text,
    before: text,
  }),
  async answer({ query: { before, ...filters }, actor, flow, requestLog }) {
    const clock = await clockOf(flow, actor.accountId)
    const given = Object.fromEntries(Object.entries({ ...filters, before }).filter(([, value]) => value))
    const dayOf = (typed: string | undefined, end: 'from' | 'to') =>
      typed && z.iso.date().safeParse(typed).success ? { [end]: spanOfDay(clock, typed)[end] } : {}
    const wish = { ...given, ...dayOf(filters.from, 'from'), ...dayOf(filters.to, 'to') }
    const read = RequestFilters.safeParse(wish)
    const errors = read.error?.issues.map(({ path, message }) => [String(path[0]), message] as const)
    const { rows, next } = read.success
      ? await requestPage(requestLog, actor.accountId, read.data, ROWS)
      : { rows: [], next: undefined }
    return requestsPage({
      member: actor,
      filters,
      errors: errors && Object.fromEntries(errors),
      rows,
      isFirst: !before,
      older: next,
      methods: METHODS,
      statuses: STATUS_CLASSES,
    })
  },
})

export const requestLogScreen = [look]
