import type { View } from '../../../domain/reading/books/entry.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { createQueries } from '../../../projections/index.ts'
import { booksProjection } from '../../../projections/money/books.ts'
import { justBefore } from '../../../projections/money/journal-statement.ts'
import type { BookTime } from '../../../projections/money/journal-tables.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { countText } from '../../books/replaying.ts'
import type { AsOf } from '../../console/arguments.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { trialBalance } from './balances.ts'
import { booksEnd } from './places.ts'
import { balanceTable } from './told.ts'

type BooksWish = { view?: View; by?: BookTime; account?: string; asOf?: AsOf; from?: Date; to?: Date }

/** Shows the trial balance of all account holders together, or the books of one of them at a moment or of a period. */
export const showBooks = async (books: Books, out: Output, wish: BooksWish): Promise<boolean> => {
  const { view, by, account, asOf, from, to } = wish
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
  const isLater = (end.at ?? '') > new Date().toISOString()
  const till = end.at ?? `position ${reached}`
  const when = [
    from ? `From ${from.toISOString()} up to ${till}` : `As of ${till}`,
    ...(by === 'mined' ? [`by when coins were mined, drawn up to position ${reached}`] : []),
    ...(isLater ? ['which is still to come: this is what is known now'] : []),
  ].join(', ')
  await out.tell(
    {
      view,
      account: account ?? null,
      from: from?.toISOString() ?? null,
      asOf: end.at ?? null,
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
