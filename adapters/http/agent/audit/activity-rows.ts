import { z } from 'zod'
import { nameOf } from '../../../../domain/account/named.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { ACT_KINDS, ACTOR_KINDS, type ActorKind } from '../../../../domain/reading/activity.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { ActivityRow, ShownAct } from '../../../../projections/audit/activity.ts'
import type { Queries } from '../../../../projections/index.ts'
import { From, To } from '../common/times.ts'

/** What people and keys did in an account, as the JSON API and the dashboard both show it (N-104). */

const TEXT_MAX = 200
const text = z.string().max(TEXT_MAX).optional()

export const activityFilters = {
  kind: z.enum(ACT_KINDS).optional(),
  by: z.enum(ACTOR_KINDS).optional(),
  actor: text,
  subject: text,
  from: From.optional(),
  to: To.optional(),
  search: text,
}
export const ActivityFilters = z.object(activityFilters)
type ActivityWish = z.output<typeof ActivityFilters>

/** The place in the ledger's own order before which a page goes on. */
export const ActivityPlace = z.string().regex(/^\d{1,18}$/, 'has to be the value of next of the page before')

/** A page of the list, newest first, and where the next one begins; null after the last. */
export const activityPage = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  queries: Queries,
  accountId: string,
  { by, search, actor, subject, ...wish }: ActivityWish,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<{ readonly rows: readonly ShownAct[]; readonly next: string | null }> => {
  const filter = {
    ...wish,
    actorKind: by,
    search: search || undefined,
    actor: actor || undefined,
    subject: subject || undefined,
  }
  const found = await queries.activity(accountId, filter, limit + 1, before)
  const page = found.slice(0, limit)
  const names = await namesOf({ ledger, vault }, accountId, page)
  const rows = await Promise.all(
    page.map(async ({ network, ...row }) => ({
      ...row,
      actorName: names.get(row.actorId) ?? '',
      network: network === null ? null : await openedText(vault, network),
    })),
  )
  return { rows, next: found.length > limit ? (page.at(-1)?.position ?? null) : null }
}

/** The names of the sub-keys and stores whose keys have acted, by the ids of their keys. */
const namesOf = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  accountId: string,
  rows: readonly ActivityRow[],
): Promise<ReadonlyMap<string, string>> => {
  const acted = (kind: ActorKind) =>
    new Set(rows.filter(({ actorKind }) => actorKind === kind).map(({ actorId }) => actorId))
  const [agents, stores] = [acted('sub-key'), acted('store-key')]
  const names = new Map<string, string>()
  if (agents.size > 0)
    for (const { keyId, displayName, roleName } of Object.values((await ledger.team.recent(accountId)).agents))
      if (agents.has(keyId)) names.set(keyId, await nameOf(vault, displayName ?? roleName))
  if (stores.size > 0)
    for (const { keyId, label } of Object.values((await ledger.stores.recent(accountId)).stores))
      if (keyId !== null && stores.has(keyId)) names.set(keyId, await nameOf(vault, label))
  return names
}
