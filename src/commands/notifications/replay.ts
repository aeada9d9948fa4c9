import type { NotificationRow } from '../../../projections/signin/notifications.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { filterOf, type NotificationSelection, notificationRows, table } from './list.ts'

type Wish = Partial<NotificationSelection> & { id?: string | undefined; yes?: boolean }

/** In one go; a second call takes the next ones. */
const REPLAYED_MAX = 1_000

/** Has notifications sent again by the running service, or by the next one; without `yes` it only tells which. */
export const replayNotifications = async (books: Books, config: Config, out: Output, wish: Wish): Promise<void> => {
  const rows = (await chosen(books, wish)).filter(({ status }) => status !== 'pending')
  if (wish.yes) {
    const { flow } = await openOperator(books, config)
    for (const { eventId } of rows) await flow.ledger.notification.replay(eventId, {})
  }
  const verb = wish.yes ? 'are sent again' : 'would be sent again: say --yes to do it'
  const text = rows.length === 0 ? 'There is nothing to send again.' : `${table(rows)}\n\n${rows.length} ${verb}`
  await out.tell({ replayed: wish.yes ?? false, event_ids: rows.map(({ eventId }) => eventId) }, text)
}

const chosen = async (books: Books, { id, client, ...filter }: Wish): Promise<readonly NotificationRow[]> => {
  if ((id === undefined) === (client === undefined)) throw new BadSetting('an event id is needed, or --client')
  const queries = await notificationRows(books)
  if (client !== undefined)
    return await queries.notifications(client, filterOf(filter), { limit: REPLAYED_MAX, offset: 0 })
  const found = await queries.notification(id ?? '')
  if (!found) throw new CommandFailure(`there is no notification ${id}`)
  return [found]
}
