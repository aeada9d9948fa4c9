import { z } from 'zod'
import { spanOfDay, type ZoneClock } from '../../../domain/kernel/calendar.ts'
import { openedText } from '../../../domain/kernel/opened-text.ts'
import { clockOf } from '../../../domain/use-cases/account/time-zone.ts'
import type { ShownAct } from '../../../projections/audit/activity.ts'
import { type CsvColumns, pagedCsv } from '../../csv/lines.ts'
import { ActivityFilters, ActivityPlace, activityPage as pageOf } from '../agent/audit/activity-rows.ts'
import type { Downloads } from '../agent/common/downloads.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import { ACTIVITY, type ActivityParts, activityPage } from '../pages/dashboard/activity/activity.ts'
import { mayOpen } from '../pages/dashboard/frame.ts'
import { localeFor } from '../pages/dashboard/messages/locale.ts'
import { type MemberRequest, ofMembers } from './of-dashboard.ts'

/** Who did what in the account, by the list that `GET /v1/activity` answers, and the same as CSV. */

const ROWS = 50
const CSV_ROWS = 500
const FIELD_MAX = 200

const text = z.string().max(FIELD_MAX).optional()
/** As a form sends them: an empty field narrows nothing. What is wrong with one is said beside it. */
const asked = { search: text, kind: text, by: text, actor: text, subject: text, from: text, to: text }

const list = endpoint({
  ...ofMembers,
  path: ACTIVITY,
  method: 'get',
  callers: { capability: 'audit.view' },
  summary: 'Who did what in the account and from where, narrowed by the filters in the address',
  query: z.object({ ...asked, before: ActivityPlace.optional() }),
  async answer({ query: { before, ...filters }, actor, flow, queries }) {
    const { accountId } = actor
    const read = ActivityFilters.safeParse(wishOf(filters, await clockOf(flow, accountId)))
    const errors = read.success
      ? undefined
      : Object.fromEntries(read.error.issues.map(({ path, message }) => [String(path[0]), message]))
    const { rows, next } = read.success
      ? await pageOf(flow, queries, accountId, read.data, { limit: ROWS, before })
      : { rows: [], next: null }
    const people = await addressesOf({ flow, actor }, rows)
    return activityPage({ member: actor, filters, errors, rows, people, isFirst: !before, older: next })
  },
})

const csv = (downloads: Downloads) =>
  endpoint({
    auth: 'member',
    path: `${ACTIVITY}.csv`,
    method: 'get',
    reach: 'account',
    callers: { capability: 'audit.view' },
    summary: 'What the list shows, as CSV, newest first, in the language of the member',
    ignores: 'query',
    query: z.object(asked),
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    async answer({ query, actor, flow, queries }) {
      const { accountId } = actor
      const wish = ActivityFilters.parse(wishOf(query, await clockOf(flow, accountId)))
      const next = (before: string | undefined) => pageOf(flow, queries, accountId, wish, { limit: CSV_ROWS, before })
      const { actWords } = localeFor(actor).words
      const columns: CsvColumns<ShownAct> = { ...COLUMNS, words: ({ act }) => actWords[act] }
      return new Reply(200, await downloads.start(accountId, async () => pagedCsv(columns, next)), {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="activity.csv"',
      })
    },
  })

export const activityScreenEndpoints = (downloads: Downloads) => [list, csv(downloads)]

/** The addresses of the members who acted, by their ids, as the screen of the team has them: for the owner alone. */
const addressesOf = async (
  { flow, actor }: Pick<MemberRequest, 'flow' | 'actor'>,
  rows: readonly ShownAct[],
): Promise<ReadonlyMap<string, string>> => {
  if (!mayOpen(actor, 'team') || !rows.some(({ actorKind }) => actorKind === 'member')) return new Map()
  const { members } = await flow.ledger.team.recent(actor.accountId)
  const acted = new Set(rows.map(({ actorId }) => actorId))
  const found = Object.values(members).filter(({ memberId }) => acted.has(memberId))
  const opened = found.map(async ({ memberId, email }) => [memberId, await openedText(flow.vault, email)] as const)
  return new Map(await Promise.all(opened))
}

const COLUMNS: CsvColumns<ShownAct> = {
  at: ({ at }) => at,
  act: ({ act }) => act,
  kind: ({ kind }) => kind,
  by: ({ actorKind }) => actorKind,
  actor: ({ actorId }) => actorId,
  actor_name: ({ actorName }) => actorName,
  subject: ({ subject }) => subject,
  transaction_id: ({ transactionId }) => transactionId,
  network: ({ network }) => network,
  position: ({ position }) => position,
}

/** A day is one of the account's own clocks. */
const wishOf = ({ from, to, ...given }: ActivityParts, clock: ZoneClock) => ({
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== '')),
  ...(from && { from: isDay(from) ? spanOfDay(clock, from).from : from }),
  ...(to && { to: isDay(to) ? spanOfDay(clock, to).to : to }),
})

const isDay = (typed: string): boolean => z.iso.date().safeParse(typed).success
