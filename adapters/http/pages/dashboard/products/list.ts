import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import type { Messages } from '../messages/en.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { money, time } from '../parts/figures.ts'
import { type Filter, filterBar } from '../parts/filter-bar.ts'
import { chip, emptyState, notice, type Tone } from '../parts/notices.ts'
import { pager } from '../parts/pager.ts'
import { type Column, table } from '../parts/table.ts'
import { IMPORT, KINDS, type LinkFilters, type LinkKind, linkAt, linksAt, newAt } from './paths.ts'

/** The lists of what a seller's links sell: each of a kind, and all alike. */

export type LinkState = 'listed' | 'unlisted' | 'open' | 'paid' | 'expired'

/** A line of a list. */
export type LinkLine = {
  readonly id: string
  readonly title: string
  /** Millionths of the currency; undefined where the payer chooses, or the price is in a coin. */
  readonly price: { readonly units: bigint; readonly currency: string } | undefined
  /** "0.5 ETH", where the price is in a coin. */
  readonly coinPrice?: string | undefined
  readonly state: LinkState
  readonly createdAt?: string | undefined
  readonly storeId?: number | undefined
  /** Pieces that are there, 0 where none can be sold now; undefined where nobody counts them. */
  readonly pieces?: number | undefined
}

export type LinksPage = {
  readonly member: PageMember
  readonly kind: LinkKind
  readonly filters: LinkFilters
  /** What is wrong with a filter, by its name. */
  readonly errors: Readonly<Record<string, string>> | undefined
  readonly rows: readonly LinkLine[]
  readonly isFirst: boolean
  /** The last line of this page, where there is one after it. */
  readonly older: string | undefined
  readonly stores: readonly (readonly [id: string, label: string])[]
  readonly done?: keyof Messages['linksDone'] | undefined
}

export const linksPage = (page: LinksPage): Reply => {
  const { member, kind, filters, errors, rows, isFirst, older, done } = page
  const locale = localeFor(member)
  const { links: words, linksDone } = locale.words
  const isTest = filters.test === '1'
  return dashboardPage({
    ...(errors && { status: 422 }),
    title: words.title,
    member,
    current: 'products',
    main: html`
      ${notice(done && linksDone[done])} ${kindTabs(locale, member, kind)}
      <p>${words.about[kind]}</p>
      ${filterBar(locale, KINDS[kind].path, words.filters, filtersOf(locale, page))}
      <p class="ways">
        ${isTest ? words.testShown : words.liveShown}
        <a href=${linksAt(kind, isTest ? {} : { test: '1' })}>${isTest ? words.showLive : words.showTest}</a>${' '}
        <a href=${linksAt(kind, filters, '.csv')}>${words.csv}</a>
      </p>
      ${rows.length > 0 && !isTest && makeWays(locale, member, kind)}
      ${
        errors === undefined &&
        (rows.length === 0
          ? nothing(locale, page)
          : html`
              ${table(words.kinds[kind], columnsOf(locale, page), rows, 'cards')}
              ${pager(locale, {
                newest: isFirst ? undefined : linksAt(kind, filters),
                older: older && linksAt(kind, { ...filters, before: older }),
              })}
            `)
      }
    `,
  })
}

/** The three lists, as far as the member may see them. */
const kindTabs = ({ words: { links: words } }: Locale, { actor }: PageMember, current: LinkKind) => html`
  <nav class="periods" aria-label=${words.kindsLabel}>
    ${(Object.keys(KINDS) as LinkKind[])
      .filter((kind) => actor.can(KINDS[kind].view))
      .map(
        (kind) =>
          html`<a href=${KINDS[kind].path} aria-current=${kind === current ? 'page' : undefined}>${words.kinds[kind]}</a>`,
      )}
  </nav>
`

const makeWays = ({ words: { links: words } }: Locale, { actor }: PageMember, kind: LinkKind) =>
  actor.can(KINDS[kind].make) &&
  html`
    <p class="acts">
      <a class="button" href=${newAt(kind)}>${words.make[kind]}</a>
      ${kind === 'products' && html`<a class="touch" href=${IMPORT}>${words.importWay}</a>`}
    </p>
  `

const TONES: Readonly<Record<LinkState, Tone>> = {
  listed: 'good',
  unlisted: 'plain',
  open: 'warn',
  paid: 'good',
  expired: 'bad',
}

export const stateChip = ({ words: { links: words } }: Locale, state: LinkState) =>
  chip(words.states[state], TONES[state])

/** What it costs, in money or in a coin, or that the payer chooses. */
export const priceOf = (locale: Locale, { price, coinPrice }: Pick<LinkLine, 'price' | 'coinPrice'>) =>
  price ? money(locale, price.units, price.currency) : (coinPrice ?? locale.words.links.chosen)

const columnsOf = (locale: Locale, { kind, stores }: LinksPage): readonly Column<LinkLine>[] => {
  const { links: words } = locale.words
  const labels = new Map(stores)
  return [
    {
      title: words.name,
      cell: ({ id, title }) => html`<a class="row-link" href=${linkAt(kind, id)}>${title || id}</a>`,
    },
    { title: words.state, cell: ({ state }) => stateChip(locale, state) },
    { title: words.price, number: true, cell: (line) => priceOf(locale, line) },
    ...(kind === 'requests'
      ? []
      : [
          {
            title: locale.words.pieces.title,
            number: true as const,
            cell: ({ pieces }: LinkLine) => piecesWords(locale, pieces),
          },
        ]),
    ...(kind === 'resources'
      ? []
      : [{ title: words.made, cell: ({ createdAt }: LinkLine) => createdAt && time(locale, createdAt) }]),
    ...(stores.length > 1 && kind === 'products'
      ? [{ title: words.store, cell: ({ storeId }: LinkLine) => labels.get(String(storeId)) ?? String(storeId) }]
      : []),
  ]
}

const piecesWords = (locale: Locale, pieces: number | undefined) =>
  pieces === 0 ? locale.words.pieces.soldOut : pieces !== undefined && locale.number(pieces)

/** What to do first where there is nothing yet, or how to find more where the filters leave nothing. */
const nothing = (locale: Locale, { member, kind, filters: { test, ...filters }, isFirst }: LinksPage) => {
  const { links: words } = locale.words
  const all = { href: linksAt(kind, { test }), label: words.showAll }
  if (!isFirst || Object.values(filters).some(Boolean)) return emptyState(words.noMatch, words.noMatchText, all)
  if (test === '1') return emptyState(words.noTests, words.noTestsText)
  return html`
    ${emptyState(words.none[kind], words.noneText[kind])} ${makeWays(locale, member, kind)}
  `
}

const filtersOf = (
  { words: { links: words } }: Locale,
  { kind, filters, errors = {}, stores }: LinksPage,
): readonly Filter[] => {
  const of = (name: keyof LinkFilters, label: string, more: Partial<Filter> = {}): Filter => ({
    name,
    label,
    value: filters[name],
    error: errors[name],
    ...more,
  })
  const { states } = words
  const all = ['', words.all] as const
  const state =
    kind === 'requests'
      ? of('status', words.state, {
          options: [all, ['open', states.open], ['paid', states.paid], ['expired', states.expired]],
        })
      : of('listed', words.state, { options: [all, ['1', states.listed], ['0', states.unlisted]] })
  return [
    of('search', words.search, { type: 'search' }),
    state,
    ...(stores.length > 1 ? [of('store_id', words.store, { options: [all, ...stores] })] : []),
    of('test', words.mode, {
      options: [
        ['', words.live],
        ['1', words.tests],
      ],
    }),
  ]
}
