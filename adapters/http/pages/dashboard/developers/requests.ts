import { html } from 'htm/preact'
import type { RequestRow } from '../../../../postgres/requests/request-rows.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { time } from '../parts/figures.ts'
import { type Filter, filterBar } from '../parts/filter-bar.ts'
import { chip, emptyState, type Tone } from '../parts/notices.ts'
import { pager } from '../parts/pager.ts'
import { type Column, table } from '../parts/table.ts'
import { DEVELOPERS, REQUESTS, type RequestFilters, requestsAt } from './paths.ts'

/** What the keys and the people of the account called lately. */

type RequestsPage = {
  readonly member: PageMember
  readonly filters: RequestFilters
  /** What is wrong with a filter, by its name. */
  readonly errors: Readonly<Record<string, string>> | undefined
  readonly rows: readonly RequestRow[]
  readonly isFirst: boolean
  readonly older: string | undefined
  readonly methods: readonly string[]
  readonly statuses: readonly string[]
}

export const requestsPage = (page: RequestsPage): Reply => {
  const { member, filters, errors, rows, isFirst, older } = page
  const locale = localeFor(member)
  const words = locale.words.developers
  return dashboardPage({
    ...(errors && { status: 422 }),
    title: words.requests,
    member,
    current: 'developers',
    main: html`
      <p>${words.requestsText}</p>
      ${filterBar(locale, REQUESTS, words.requestFilters, filtersOf(locale, page))}
      ${
        errors === undefined &&
        (rows.length === 0
          ? emptyState(words.noRequests, words.noRequestsText)
          : html`
            ${table(words.requests, columnsOf(locale), rows, 'cards')}
            ${pager(locale, { newest: isFirst ? undefined : requestsAt(filters), older: older && requestsAt({ ...filters, before: older }) })}
          `)
      }
      <p><a class="touch" href=${DEVELOPERS}>${words.back}</a></p>
    `,
  })
}

const filtersOf = (
  { words: { developers: words } }: Locale,
  { filters, errors = {}, methods, statuses }: RequestsPage,
): readonly Filter[] => {
  const one = (name: keyof RequestFilters, label: string, more: Partial<Filter> = {}): Filter => ({
    name,
    label,
    value: filters[name],
    error: errors[name],
    ...more,
  })
  const oneOf = (values: readonly string[]) => ({
    options: [['', words.all] as const, ...values.map((value) => [value, value] as const)],
  })
  return [
    one('method', words.method, oneOf(methods)),
    one('path', words.path),
    one('status', words.status, oneOf(statuses)),
    one('key_hint', words.key),
    one('request_id', words.requestId),
    one('from', words.from, { type: 'date' }),
    one('to', words.to, { type: 'date' }),
  ]
}

const columnsOf = (locale: Locale): readonly Column<RequestRow>[] => {
  const { developers: words } = locale.words
  return [
    { title: words.when, cell: ({ at }) => time(locale, at.toISOString()) },
    { title: words.call, cell: ({ method, path }) => html`<code class="long">${method} ${path}</code>` },
    { title: words.status, cell: ({ status }) => chip(String(status), toneOf(status)) },
    {
      title: words.caller,
      cell: ({ hint, kind }) => (hint === null ? locale.words.callers[kind] : html`<code>${hint}</code>`),
    },
    { title: words.duration, number: true, cell: ({ ms }) => `${locale.number(ms)} ms` },
    { title: words.requestId, cell: ({ requestId }) => html`<code class="long">${requestId}</code>` },
  ]
}

const toneOf = (status: number): Tone => {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
