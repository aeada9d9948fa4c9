import type { ISql } from 'postgres'
import { UTC } from '../../domain/kernel/calendar.ts'
import { VIEW, type View } from '../../domain/reading/books/entry.ts'
import { zonedSql } from '../engine/zoned-sql.ts'
import { EARNED, RETAINED } from './book-queries.ts'
import { columnsOf, csvOf, entryRows, isMined, sourceOf, tablesOf, taggedRows } from './journal-columns.ts'
import type { JournalSelection } from './journal-tables.ts'

/**
 * The journal as Postgres writes it out, so that its size does not matter: postings of everybody or of one account
 * holder, by their own time. What came before stands in sums, the opening balances. Run all of them in one transaction
 * that sees one state of the tables.
 */

/** The text that opening balances have in place of an event's type. */
export const OPENING = 'opening balances'

/** An order that is the same in every database, whatever its collation. */
const NAMES = 'account collate "C", asset collate "C"'

const ACCOUNTS_OF: Readonly<Record<string, string>> = { acc: 'seller', usr: 'user', app: 'app' }

export const journalCopies = (tx: ISql, selection: JournalSelection) => {
  const { mine, before, within, until, from } = conditionsOf(selection)
  const { tags, tagged } = taggedRows(selection)
  const columns = columnsOf(selection)
  const postings = sourceOf(selection)
  const { sales, documents } = tablesOf(selection)
  const order = isMined(selection) ? 'at collate "C", position, line' : 'position, line'
  const copy = (select: string, how = "(null '')") => tx.unsafe(`copy (${select}) to stdout ${how}`).readable()
  const opening =
    before &&
    `select ${carried(selection)} as account, asset, sum(amount) as amount from ${postings} where ${mine} and ${before}
    group by 1, asset having sum(amount) <> 0`
  const carriedOver = before
    ? ` union all select ${carried(selection)}, asset, at from ${postings} where ${mine} and ${before}`
    : ''
  const named = `select account, asset, at from ${postings} where ${mine} and ${until}${carriedOver}`
  return {
    /** The last place in the ledger's own order that counts for what anybody's postings say; undefined without any. */
    async reached(): Promise<bigint | undefined> {
      const named = documents ? `, (select greatest(max(known_at), max(paid_at)) from ${documents})` : ''
      const [row] = await tx.unsafe<{ reached: string | null }[]>(
        `select greatest((select max(position) from ${postings}), (select max(known_at) from ${sales})${named}) as reached`,
      )
      return row?.reached ? BigInt(row.reached) : undefined
    },
    /** Number of lines and entries in all, with the opening balances. */
    async counts(): Promise<{ lines: bigint; entries: bigint }> {
      const [row] = await tx.unsafe<{ lines: string; entries: string }[]>(
        `select count(*) as lines, count(*) filter (where line = 0) as entries from ${postings} where ${mine} and ${within}`,
      )
      const [sums] = opening ? await tx.unsafe<{ lines: string }[]>(`select count(*) as lines from (${opening}) s`) : []
      const opened = BigInt(sums?.lines ?? 0)
      return {
        lines: BigInt(row?.lines ?? 0) + opened,
        entries: BigInt(row?.entries ?? 0) + (opened > 0n ? 1n : 0n),
      }
    },
    /** Every account and every asset with the time of its first posting: tab-separated, one of the two is empty. */
    names: () =>
      copy(`select coalesce(account, ''), coalesce(asset, ''), ${from ? `greatest(min(at), ${from})` : 'min(at)'}
        from (${named}) n group by grouping sets ((account), (asset)) order by ${NAMES}`),
    /** Tab-separated: account, asset, amount. Undefined when the selection begins with the journal. */
    opening: () => (opening ? copy(`select * from (${opening}) s order by ${NAMES}`) : undefined),
    /**
     * Tab-separated: position, account, asset, amount, the columns of a posting, at, type, event id, stream, and the
     * columns of its entry. What is the same in all postings of an entry stands in its first posting, and is empty in
     * the others.
     */
    postings: () => {
      const { place, tags, tagged } = entryRows(selection)
      return copy(
        `select ${[place, 'account', 'asset', 'amount', ...tags].join(', ')} from ${tagged}
         where ${mine} and ${within} order by ${order}`,
      )
    },
    /** The same as CSV with a header line; the file's parts in turn. */
    csv: () => {
      const openingCsv = `select null as position, row_number() over (order by ${NAMES}) - 1 as line, ${from} as at,
        '${OPENING}' as event_type, null as event_id, null as stream, account, asset, amount${columns.map(({ name }) => `, null as "${name}"`).join('')}
        from (${opening}) s order by 2`
      const main = `select position, line, at, event_type, event_id, stream, account, asset, amount${tags.map((tag) => `, ${tag}`).join('')}
        from ${tagged} where ${mine} and ${within} order by ${order}`
      const part = (rows: string, how: string) => async () =>
        copy(csvOf(rows, columns, await zonedTime(tx, selection)), how)
      if (!opening) return [part(main, '(format csv, header)')]
      return [part(openingCsv, '(format csv, header)'), part(main, '(format csv)')]
    },
  }
}
export type JournalCopies = ReturnType<typeof journalCopies>

/** The account in which a period opens: what was earned and spent before it is retained by whoever's books they are. */
const carried = ({ view }: JournalSelection): string =>
  view === undefined ? 'account' : `case when account ~ '${EARNED.source}' then '${RETAINED}' else account end`

const conditionsOf = ({ view, owner, from, to, reached }: JournalSelection) => {
  const since = from && instant(from)
  const until = to ? `at collate "C" <= ${instant(to)}` : 'true'
  return {
    mine: [
      view === undefined ? 'true' : `view = '${checkedView(view)}'`,
      ...(owner === undefined ? [] : [touching(owner, view)]),
      ...(reached === undefined ? [] : [`position <= ${reached}`]),
    ].join(' and '),
    from: since,
    before: since && `at collate "C" < ${since}`,
    within: since ? `at collate "C" >= ${since} and ${until}` : until,
    until,
  }
}

/** COPY takes no parameters, so that the form of the view is checked here. */
const checkedView = (view: View): View => {
  if (VIEW.test(view)) return view
  throw new Error(`not the name of anybody's books: ${view}`)
}

/** Whole events, as far as they stand in a view. */
const touching = (owner: string, view: View | undefined): string => {
  const whose = touches(owner)
  if (view === undefined) return `position in (select position from postings where ${whose})`
  if (view.endsWith(`:${owner}`)) return 'true'
  return `position in (select position from book_postings where view = '${checkedView(view)}' and right(account, ${owner.length + 1}) = ':${owner}')`
}

/** The condition for accounts of an owner. COPY takes no parameters, so that the form of the id is checked here. */
const touches = (owner: string): string => {
  const [, kind = ''] = /^(acc|usr|app)_[a-z0-9]+$/.exec(owner) ?? []
  const accounts = ACCOUNTS_OF[kind]
  if (accounts === undefined) throw new Error(`not the id of an account holder: ${owner}`)
  return `starts_with(account, '${accounts}:${owner}:')`
}

const instant = (time: Date): string => `'${time.toISOString()}'`

/** SQL of the time of a row as the clocks of the selection show it. */
const zonedTime = async (tx: ISql, selection: JournalSelection): Promise<string> => {
  const { clock, from } = selection
  if (!clock || clock.zone === UTC) return 'at'
  const [row] = await tx.unsafe<{ first: string | null; last: string | null }[]>(
    `select min(at collate "C") as first, max(at collate "C") as last from ${sourceOf(selection)}`,
  )
  const times = [row?.first, row?.last, from?.toISOString()].filter((each) => typeof each === 'string').toSorted()
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return 'at'
  return zonedSql(clock, first, last, { column: 'at', pattern: 'YYYY-MM-DD"T"HH24:MI:SS.MS' })
}
