import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { createQueries } from '../../../projections/index.ts'
import { journalProjection } from '../../../projections/money/journal.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { countText } from '../../books/replaying.ts'
import type { AsOf } from '../../console/arguments.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { booksEnd } from './places.ts'
import { balanceTable } from './told.ts'

/**
 * Shows what every account has, or had. Answers whether every asset sums to zero; what is one owner's alone need not.
 */
export const trialBalance = async (
  books: Books,
  out: Output,
  { asOf, account }: { asOf?: AsOf; account?: string },
): Promise<boolean> => {
  const sql = await readModel(books, out, journalProjection)
  const end = await booksEnd(books, await books.store(), asOf)
  const reached = (await checkpointOf(sql, SERVING, journalProjection.name))?.position
  const queries = createQueries(sql)
  const found = balanceTable(await queries.trialBalance(end, account))
  // An owner that was mistyped must not look like one that has nothing.
  if (account && found.rows.length === 0 && (await queries.trialBalance({}, account)).length === 0)
    throw new CommandFailure(`nothing was ever booked for ${account}`)
  const holds = account !== undefined || found.holds
  const when = end.at ?? (asOf && 'position' in asOf ? `position ${asOf.position}` : `position ${reached}`)
  await out.tell(
    {
      asOf: end.at ?? null,
      position: asOf ? ('position' in asOf ? asOf.position : null) : reached,
      account: account ?? null,
      balanced: account === undefined ? found.holds : null,
      trialBalance: found.rows,
      sums: found.sums,
    },
    [
      `As of ${when}${account ? `, of ${account}` : ''} (${countText(found.rows.length, 'balance')})`,
      found.table(),
      ...(account ? [] : [found.verdict]),
    ].join('\n\n'),
  )
  return holds
}
