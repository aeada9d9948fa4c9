import { html } from 'htm/preact'
import { assets } from '../../../../../domain/kernel/assets.ts'
import { toDecimal } from '../../../../../domain/kernel/money.ts'
import type { UnmatchedRow } from '../../../../../projections/selling/unmatched-queries.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { time } from '../parts/figures.ts'
import { type Filter, filterBar } from '../parts/filter-bar.ts'
import { LIVE_SCRIPT, live } from '../parts/live.ts'
import { chip, emptyState, notice, type Tone } from '../parts/notices.ts'
import { pager } from '../parts/pager.ts'
import { type Column, table } from '../parts/table.ts'
import { coins } from './figures.ts'
import { PAYMENTS, UNMATCHED, type UnmatchedParts, unmatchedAt, unmatchedListAt } from './paths.ts'

/** The list of money that settles nothing. */

export type UnmatchedListPage = {
  readonly member: PageMember
  readonly filters: UnmatchedParts
  /** What is wrong with a filter, by its name. */
  readonly errors: Readonly<Record<string, string>> | undefined
  readonly rows: readonly UnmatchedRow[]
  readonly isFirst: boolean
  /** Where the next page begins, where there is one. */
  readonly older: string | null
  readonly isMatched: boolean
}

export const unmatchedListPage = (page: UnmatchedListPage): Reply => {
  const { member, filters, errors, rows, isFirst, older, isMatched } = page
  const locale = localeFor(member)
  const { unmatched: words } = locale.words
  return dashboardPage({
    ...(errors && { status: 422 }),
    title: words.title,
    member,
    current: 'unmatched',
    scripts: [LIVE_SCRIPT],
    main: html`
      ${notice(isMatched ? words.matched : undefined)}
      <p>${words.about}</p>
      ${filterBar(locale, UNMATCHED, words.filters, filtersOf(locale, page))}
      ${member.actor.can('transactions.export') && html`<p class="ways"><a href=${unmatchedListAt(filters, `${UNMATCHED}.csv`)}>${words.csv}</a></p>`}
      ${
        errors === undefined &&
        live(
          { id: 'unmatched', kinds: ['transaction', 'challenge'] },
          rows.length === 0
            ? nothing(locale, filters, isFirst)
            : html`
              ${table(words.title, columnsOf(locale), rows, 'cards')}
              ${pager(locale, {
                newest: isFirst ? undefined : unmatchedListAt(filters),
                older: older === null ? undefined : unmatchedListAt({ ...filters, before: older }),
              })}
            `,
        )
      }
    `,
  })
}

const columnsOf = (locale: Locale): readonly Column<UnmatchedRow>[] => {
  const { unmatched: words } = locale.words
  return [
    {
      title: words.amount,
      cell: (row) => html`<a class="row-link" href=${unmatchedAt(row.transferId)}>${amountOf(locale, row)}</a>`,
    },
    { title: words.status, cell: (row) => statusChip(locale, row) },
    { title: words.sender, cell: ({ payer }) => html`<code class="long">${payer}</code>` },
    { title: words.when, cell: ({ at }) => time(locale, at) },
  ]
}

export const amountOf = (locale: Locale, { paid, decimals, asset }: UnmatchedRow) =>
  coins(locale, toDecimal(BigInt(paid), decimals), asset)

const TONES: Readonly<Record<UnmatchedRow['status'], Tone>> = {
  late: 'warn',
  doubled: 'warn',
  sold_out: 'warn',
  unmatched: 'warn',
  ignored: 'plain',
  returned: 'good',
}

export const statusChip = ({ words: { unmatched: words } }: Locale, { status }: Pick<UnmatchedRow, 'status'>) =>
  chip(words[status], TONES[status])

/** What to do where nothing needs a hand, or how to find more where the filters leave nothing. */
const nothing = ({ words: { unmatched: words } }: Locale, filters: UnmatchedParts, isFirst: boolean) => {
  if (!isFirst)
    return emptyState(words.noMore, words.noMoreText, { href: unmatchedListAt(filters), label: words.toNewest })
  return Object.values(filters).some(Boolean)
    ? emptyState(words.noMatch, words.noMatchText, { href: UNMATCHED, label: words.showOpen })
    : emptyState(words.none, words.noneText, { href: PAYMENTS, label: words.toPayments })
}

const filtersOf = (
  { words: { unmatched: words } }: Locale,
  { filters, errors = {} }: Pick<UnmatchedListPage, 'filters' | 'errors'>,
): readonly Filter[] => {
  const of = (name: keyof UnmatchedParts, label: string, more: Partial<Filter> = {}): Filter => ({
    name,
    label,
    value: filters[name],
    error: errors[name],
    ...more,
  })
  const { asset = '' } = filters
  const isOther = asset !== '' && !assets.some(({ code }) => code === asset)
  const coinOptions = assets.map(({ code, name }) => [code, name] as const)
  return [
    of('search', words.search, { type: 'search' }),
    of('state', words.state, {
      options: [
        ['', words.open],
        ['ignored', words.ignored],
        ['returned', words.returned],
        ['all', words.all],
      ],
    }),
    of('reason', words.reason, {
      options: [
        ['', words.all],
        ['late', words.late],
        ['doubled', words.doubled],
        ['sold_out', words.sold_out],
        ['unmatched', words.unmatched],
      ],
    }),
    of('asset', words.coin, {
      options: [['', words.all], ...coinOptions, ...(isOther ? [[asset, asset] as const] : [])],
    }),
    of('from', words.from, { type: 'date' }),
    of('to', words.to, { type: 'date' }),
  ]
}
