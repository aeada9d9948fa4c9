import { UTC_CLOCK } from '../../../domain/kernel/calendar.ts'
import type { View } from '../../../domain/reading/books/entry.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { createQueries } from '../../../projections/index.ts'
import { booksProjection } from '../../../projections/money/books.ts'
import { justBefore } from '../../../projections/money/journal-statement.ts'
import type { BookTime } from '../../../projections/money/journal-tables.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { countText } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import type { ZonedWish } from '../../console/zoned-times.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { trialBalance } from './balances.ts'
import { booksEnd, isToCome } from './places.ts'
import { balanceTable, TO_COME } from './told.ts'

type BooksWish = ZonedWish & { view?: View; by?: BookTime; account?: string }

/** Shows the trial balance of all account holders together, or the books of one of them at a moment or of a period. */
export const showBooks = async (books: Books, out: Output, wish: BooksWish): Promise<boolean> => {
  const { view, by, account, asOf, from, to, clock = UTC_CLOCK } = wish
  mustFit(wish)
  if (view === undefined) return trialBalance(books, out, wish)
  const sql = await readModel(books, out, booksProjection)
  const queries = createQueries(sql)
  if (!(await queries.hasBooks(view))) throw new CommandFailure(`nothing was ever booked for ${view}`)
  const end = to ? { at: to.toISOString() } : await booksEnd(books, await books.store(), asOf)
  const period = from && (await queries.bookPeriod(view, { at: justBefore(from.toISOString()) }, end, by))
  const all = period ? period.closing : await queries.bookBalances(view, end, by)
  const isAsked = (name: string) =>
    account === undefined || name.endsWith(`:${account}`) || view.endsWith(`:${account}`)
  const mine = all.filter((row) => row.amount !== '0' && isAsked(row.account))
  const found = balanceTable(mine)
  const opened = period && balanceTable(period.opening)
  const reached = (await checkpointOf(sql, SERVING, booksProjection.name))?.position
  const last = to ? { time: to } : asOf
  const isLater = last !== undefined && isToCome(last, reached)
  const shown = (time: string) => clock.text(time)
  const till = end.at === undefined ? `position ${asOf && 'position' in asOf ? asOf.position : reached}` : shown(end.at)
  const when = [
    from ? `From ${shown(from.toISOString())} up to ${till}` : `As of ${till}`,
    ...(by === 'mined' ? [`by when coins were mined, drawn up to position ${reached}`] : []),
    ...(isLater ? [TO_COME] : []),
  ].join(', ')
  await out.tell(
    {
      view,
      account: account ?? null,
      from: from ? shown(from.toISOString()) : null,
      asOf: end.at === undefined ? null : shown(end.at),
      zone: clock.zone,
      position: reached,
      by: by ?? 'settled',
      isLater,
      ...(opened && { opening: opened.rows }),
      balances: found.rows,
      balanced: found.holds,
      sums: found.sums,
    },
    [
      `The books of ${view}. ${when} (${countText(found.rows.length, 'balance')})`,
      ...(opened && opened.rows.length > 0 ? [opened.table('Before')] : []),
      found.table(),
      ...(account ? [] : [found.verdict]),
    ].join('\n\n'),
  )
  return account !== undefined || found.holds
}

/** Throws BadSetting where options do not go together. */
const mustFit = ({ view, by, asOf, from, to }: BooksWish): void => {
  if (view === undefined && (from || to || by))
    throw new BadSetting('--from, --to and --by need --view: the books of one of them')
  if (asOf && (from || to)) throw new BadSetting('--as-of is one moment: leave it out, or --from and --to')
  if (from && to && to < from) throw new BadSetting('--to is before --from')
}
