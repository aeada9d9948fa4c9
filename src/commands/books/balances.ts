import { UTC_CLOCK, type ZoneClock } from '../../../domain/kernel/calendar.ts'
import { checkpointOf, SERVING } from '../../../projections/engine/schema.ts'
import { createQueries } from '../../../projections/index.ts'
import { journalProjection } from '../../../projections/money/journal.ts'
import type { Holdings, StatementLine, StatementWish } from '../../../projections/money/journal-statement.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { countText } from '../../books/replaying.ts'
import type { AsOf } from '../../console/arguments.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import { booksEnd, isToCome } from './places.ts'
import { balanceTable, decimalOf, TO_COME } from './told.ts'

type StatementRequest = { account: string; asset?: string; clock?: ZoneClock; from?: Date; to?: Date }

/** Shows the lines of an account page by page, however many they are, between what it had and what it has. */
export const statement = async (books: Books, out: Output, asked: StatementRequest): Promise<void> => {
  const { account, asset, clock = UTC_CLOCK, from, to } = asked
  const wish: StatementWish = { account, asset, from: from?.toISOString(), to: to?.toISOString() }
  const shown = (time: string | undefined) => (time === undefined ? null : clock.text(time))
  const sql = await readModel(books, out, journalProjection)
  const [known] = await sql`select from journal_sums where account = ${wish.account} limit 1`
  if (!known) throw new CommandFailure(`the journal has no account ${wish.account}`)
  const queries = createQueries(sql)
  let page = await queries.accountStatement(wish)
  const opening = amountsOf(page.opening)
  await out.tell(
    { account: wish.account, from: shown(wish.from), to: shown(wish.to), zone: clock.zone, opening },
    `${wish.account}\n\nOpening balance  ${text(opening)}\n`,
  )
  for (let first = true; ; first = false) {
    await tellLines(
      out,
      page.lines.map((line) => ({ ...line, at: clock.text(line.at) })),
      first,
    )
    if (page.next === undefined) break
    page = await queries.accountStatement({ ...wish, after: page.next })
  }
  const closing = amountsOf(page.closing)
  await out.tell({ closing }, `\nClosing balance  ${text(closing)}`)
}

const tellLines = async (out: Output, lines: readonly StatementLine[], first: boolean): Promise<void> => {
  if (out.json)
    for (const { amount, balance, ...line } of lines)
      await out.tell(
        {
          ...line,
          amount: decimalOf(line.asset, amount),
          units: amount,
          balance: decimalOf(line.asset, balance),
          balanceUnits: balance,
        },
        '',
      )
  else if (lines.length > 0) {
    const table = columns([HEADINGS, ...lines.map(cells)], [0, 4, 5])
    await out.tell(undefined, first ? table : table.slice(table.indexOf('\n') + 1))
  }
}

const HEADINGS = ['Order', 'Time', 'Event', 'Asset', 'Amount', 'Balance', 'Against', 'Stream']

const cells = ({ order, at, type, asset, amount, balance, others, stream }: StatementLine): string[] => [
  order,
  at,
  type,
  asset,
  decimalOf(asset, amount),
  decimalOf(asset, balance),
  others.join(', '),
  stream,
]

const amountsOf = (held: Holdings) =>
  Object.entries(held).map(([asset, units]) => ({ asset, amount: decimalOf(asset, units), units }))

const text = (amounts: ReturnType<typeof amountsOf>): string =>
  amounts.map(({ asset, amount }) => `${amount} ${asset}`).join(', ') || '0'

/**
 * Shows what every account has, or had. Answers whether every asset sums to zero; the balances of one owner need not.
 */
export const trialBalance = async (
  books: Books,
  out: Output,
  { asOf, account, clock = UTC_CLOCK }: { asOf?: AsOf; account?: string; clock?: ZoneClock },
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
  const at = end.at === undefined ? undefined : clock.text(end.at)
  const when = at ?? (asOf && 'position' in asOf ? `position ${asOf.position}` : `position ${reached}`)
  const isLater = asOf !== undefined && isToCome(asOf, reached)
  await out.tell(
    {
      asOf: at ?? null,
      zone: clock.zone,
      isLater,
      position: asOf ? ('position' in asOf ? asOf.position : null) : reached,
      account: account ?? null,
      balanced: account === undefined ? found.holds : null,
      trialBalance: found.rows,
      sums: found.sums,
    },
    [
      `As of ${when}${isLater ? `, ${TO_COME}` : ''}${account ? `, of ${account}` : ''} (${countText(found.rows.length, 'balance')})`,
      found.table(),
      ...(account ? [] : [found.verdict]),
    ].join('\n\n'),
  )
  return holds
}
