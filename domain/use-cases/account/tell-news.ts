import { NEWS_EVERY_MS, type NewsKind, newsId } from '../../account/news.ts'
import type { World } from '../../kernel/ports.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/** Letters that one run schedules; the next run takes the rest. */
const AT_ONCE_MAX = 500

export type DueNews = {
  /** News that waits since a letter that was scheduled before this time. */
  dueNews(before: string, limit: number): Promise<readonly { accountId: string; kind: NewsKind }[]>
}

/** Schedules the letters of what has waited for its hour. Whether it is over is decided by the log. */
export const tellDueNews = async (ledger: Ledger, world: World, due: DueNews): Promise<void> => {
  const before = new Date(world.now().getTime() - NEWS_EVERY_MS).toISOString()
  for (const { accountId, kind } of await due.dueNews(before, AT_ONCE_MAX))
    await ledger.news.tell(newsId(accountId, kind), {})
}
