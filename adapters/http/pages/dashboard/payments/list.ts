import { html } from 'htm/preact'
import { assets } from '../../../../../domain/kernel/assets.ts'
import type { TransactionRow } from '../../../../../projections/selling/transactions/transaction-queries.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage, mayOpen, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { time } from '../parts/figures.ts'
import { type Filter, filterBar } from '../parts/filter-bar.ts'
import { LIVE_SCRIPT, live } from '../parts/live.ts'
import { emptyState } from '../parts/notices.ts'
import { pager } from '../parts/pager.ts'
import { type Column, table } from '../parts/table.ts'
import { coins, price, statusChips } from './figures.ts'
import { matchAt, PAYMENTS, type PaymentFilters, paymentAt, paymentsAt } from './paths.ts'

/** The list of payments. */

export type PaymentsPage = {
  readonly member: PageMember
  readonly filters: PaymentFilters
  /** What is wrong with a filter, by its name. */
  readonly errors: Readonly<Record<string, string>> | undefined
  readonly rows: readonly TransactionRow[]
  /** Those for which money came that may be meant for them. */
  readonly maybePaid: ReadonlySet<string>
  readonly isFirst: boolean
  /** The last row of this page, where there is one after it. */
  readonly older: string | undefined
  readonly stores: readonly (readonly [id: string, label: string])[]
}

export const paymentsPage = (page: PaymentsPage): Reply => {
  const { member, filters, errors, rows, isFirst, older, stores } = page
  const locale = localeFor(member)
  const words = locale.words.payments
  const isTest = filters.test === '1'
  const newest = isFirst ? undefined : paymentsAt(filters)
  return dashboardPage({
    ...(errors && { status: 422 }),
    title: words.title,
    member,
    current: 'payments',
    scripts: [LIVE_SCRIPT],
    main: html`
      ${filterBar(locale, PAYMENTS, words.filters, filtersOf(locale, { filters, errors, stores }))}
      <p class="ways">
        ${isTest ? words.testShown : words.liveShown}
        <a href=${isTest ? PAYMENTS : `${PAYMENTS}?test=1`}>${isTest ? words.showLive : words.showTest}</a>
        ${member.actor.can('transactions.export') && html` <a href=${paymentsAt(filters, `${PAYMENTS}.csv`)}>${words.csv}</a>`}
      </p>
      ${
        errors === undefined &&
        live(
          { id: 'payments', kinds: ['transaction'] },
          rows.length === 0
            ? nothing(locale, filters, isFirst, mayOpen(member, 'firstSteps'))
            : html`
              ${table(words.title, columnsOf(locale, page), rows, 'cards')}
              ${pager(locale, { newest, older: older && paymentsAt({ ...filters, before: older }) })}
            `,
        )
      }
    `,
  })
}

const columnsOf = (
  locale: Locale,
  { stores, maybePaid }: Pick<PaymentsPage, 'stores' | 'maybePaid'>,
): readonly Column<TransactionRow>[] => {
  const words = locale.words.payments
  const labels = new Map(stores)
  const store: Column<TransactionRow> = {
    title: words.store,
    cell: ({ storeId }) => labels.get(String(storeId)) ?? String(storeId),
  }
  return [
    {
      title: words.payment,
      cell: ({ id, title }) => html`<a class="row-link" href=${paymentAt(id)}>${title || id}</a>`,
    },
    {
      title: words.status,
      cell: ({ id, title, status, test, refundedAt }) => html`
        <span>
          ${statusChips(locale, { status, test, isRefunded: refundedAt !== null })}
          ${
            maybePaid.has(id) &&
            html` <small><a href=${matchAt(id)} aria-label=${`${words.mayBePaid}: ${title || id}`}>${words.mayBePaid}</a></small>`
          }
        </span>
      `,
    },
    {
      title: words.amount,
      number: true,
      cell: ({ amountFiat, currency }) => price(locale, amountFiat, currency),
    },
    {
      title: words.coin,
      number: true,
      cell: ({ amount, cryptocurrency }) => coins(locale, amount, cryptocurrency),
    },
    { title: words.when, cell: ({ createdAt }) => time(locale, createdAt) },
    ...(stores.length > 1 ? [store] : []),
  ]
}

/** What to do first where there is nothing yet, or how to find more where the filters leave nothing. */
const nothing = (
  { words: { payments: words } }: Locale,
  { test, ...filters }: PaymentFilters,
  isFirst: boolean,
  isLedOn: boolean,
) => {
  if (!isFirst)
    return emptyState(words.noMore, words.noMoreText, { href: paymentsAt({ test, ...filters }), label: words.toNewest })
  if (Object.values(filters).some(Boolean))
    return emptyState(words.noMatch, words.noMatchText, { href: paymentsAt({ test }), label: words.showAll })
  const way = isLedOn ? { href: '/dashboard/first-steps', label: words.firstSteps } : undefined
  return test === '1' ? emptyState(words.noTests, words.noTestsText, way) : emptyState(words.none, words.noneText, way)
}

const filtersOf = (
  { words: { payments: words } }: Locale,
  { filters, errors = {}, stores }: Pick<PaymentsPage, 'filters' | 'errors' | 'stores'>,
): readonly Filter[] => {
  const of = (name: keyof PaymentFilters, label: string, more: Partial<Filter> = {}): Filter => ({
    name,
    label,
    value: filters[name],
    error: errors[name],
    ...more,
  })
  const all = ['', words.all] as const
  const coinOptions = assets.map(({ code, name }) => [code, name] as const)
  const { asset = '' } = filters
  const isOther = asset !== '' && !assets.some(({ code }) => code === asset)
  return [
    of('search', words.search, { type: 'search' }),
    of('status', words.status, {
      options: [all, ['C', words.completed], ['P', words.pending], ['X', words.rejected]],
    }),
    of('asset', words.coin, { options: [all, ...coinOptions, ...(isOther ? [[asset, asset] as const] : [])] }),
    of('type', words.type, {
      options: [
        all,
        ['resource', words.resource],
        ['payment-request', words.request],
        ['x402', words.signed],
        ['payout', words.payout],
      ],
    }),
    ...(stores.length > 1 ? [of('store_id', words.store, { options: [all, ...stores] })] : []),
    of('amount_from', words.amountFrom),
    of('amount_to', words.amountTo),
    of('from', words.from, { type: 'date' }),
    of('to', words.to, { type: 'date' }),
    of('test', words.mode, {
      options: [
        ['', words.live],
        ['1', words.tests],
      ],
    }),
  ]
}
