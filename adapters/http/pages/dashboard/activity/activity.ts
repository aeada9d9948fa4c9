import { html } from 'htm/preact'
import { ACT_KINDS, ACTOR_KINDS } from '../../../../../domain/reading/activity.ts'
import type { ShownAct } from '../../../../../projections/audit/activity.ts'
import type { Reply } from '../../../core/endpoint.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { type Locale, localeFor } from '../messages/locale.ts'
import { time } from '../parts/figures.ts'
import { type Filter, filterBar } from '../parts/filter-bar.ts'
import { emptyState } from '../parts/notices.ts'
import { pager } from '../parts/pager.ts'
import { type Column, table } from '../parts/table.ts'

/** The list of what people and keys did. */

export const ACTIVITY = '/dashboard/activity'

/** The filters as the address has them; the names are those of `GET /v1/activity`. */
export type ActivityParts = {
  readonly [name in 'search' | 'kind' | 'by' | 'actor' | 'subject' | 'from' | 'to']?: string | undefined
}

export type ActivityPage = {
  readonly member: PageMember
  readonly filters: ActivityParts
  /** What is wrong with a filter, by its name. */
  readonly errors: Readonly<Record<string, string>> | undefined
  readonly rows: readonly ShownAct[]
  /** The addresses of members, by their ids, as far as the one who looks may see them. */
  readonly people: ReadonlyMap<string, string>
  readonly isFirst: boolean
  /** Where the next page begins, where there is one. */
  readonly older: string | null
}

export const activityPage = (page: ActivityPage): Reply => {
  const { member, filters, errors, rows, isFirst, older } = page
  const locale = localeFor(member)
  const { activity: words } = locale.words
  return dashboardPage({
    ...(errors && { status: 422 }),
    title: words.title,
    member,
    current: 'activity',
    main: html`
      <p>${words.about}</p>
      ${filterBar(locale, ACTIVITY, words.filters, filtersOf(locale, page))}
      <p class="ways"><a href=${activityAt(filters, `${ACTIVITY}.csv`)}>${words.csv}</a></p>
      ${
        errors === undefined &&
        (rows.length === 0
          ? nothing(locale, filters, isFirst)
          : html`
            ${table(words.title, columnsOf(locale, page), rows, 'cards')}
            ${pager(locale, {
              newest: isFirst ? undefined : activityAt(filters),
              older: older === null ? undefined : activityAt({ ...filters, before: older }),
            })}
          `)
      }
    `,
  })
}

const activityAt = (filters: ActivityParts & { readonly before?: string }, path = ACTIVITY): string => {
  const given = Object.entries(filters).filter((each): each is [string, string] => Boolean(each[1]))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

const columnsOf = (locale: Locale, page: ActivityPage): readonly Column<ShownAct>[] => {
  const { activity: words, actWords } = locale.words
  return [
    { title: words.act, cell: ({ act }) => actWords[act] },
    { title: words.who, cell: (row) => who(locale, page, row) },
    { title: words.subject, cell: subject },
    { title: words.network, cell: ({ network }) => network ?? '' },
    { title: words.when, cell: ({ at }) => time(locale, at) },
  ]
}

/** Who did it, with a way to all that they did. */
const who = (locale: Locale, { member, people }: ActivityPage, { actorKind, actorId, actorName }: ShownAct) => {
  const { activity: words, actorKinds } = locale.words
  const isPerson = actorKind === 'member'
  const name = isPerson && actorId === member.actor.keyId ? words.you : actorName || people.get(actorId)
  const way = activityAt(actorId === '' ? { by: actorKind } : { actor: actorId })
  return html`<a href=${way}>${name || actorKinds[actorKind]}</a>${!name && actorId && !isPerson && html` <code class="long">${actorId}</code>`}`
}

const subject = ({ subject: text, transactionId }: ShownAct) =>
  transactionId === null
    ? html`<code class="long">${text}</code>`
    : html`<a href=${`/dashboard/payments/${transactionId}`}>${transactionId}</a>`

/** What shows here once something was done, or how to find more where the filters leave nothing. */
const nothing = ({ words: { activity: words } }: Locale, filters: ActivityParts, isFirst: boolean) => {
  if (!isFirst) return emptyState(words.noMore, words.noMoreText, { href: activityAt(filters), label: words.toNewest })
  return Object.values(filters).some(Boolean)
    ? emptyState(words.noMatch, words.noMatchText, { href: ACTIVITY, label: words.showAll })
    : emptyState(words.none, words.noneText, { href: '/dashboard/first-steps', label: words.firstSteps })
}

const filtersOf = (
  { words: { activity: words, actKinds, actorKinds } }: Locale,
  { filters, errors = {} }: Pick<ActivityPage, 'filters' | 'errors'>,
): readonly Filter[] => {
  const of = (name: keyof ActivityParts, label: string, more: Partial<Filter> = {}): Filter => ({
    name,
    label,
    value: filters[name],
    error: errors[name],
    ...more,
  })
  const all = ['', words.all] as const
  return [
    of('search', words.search, { type: 'search' }),
    of('kind', words.kind, { options: [all, ...ACT_KINDS.map((each) => [each, actKinds[each]] as const)] }),
    of('by', words.who, { options: [all, ...ACTOR_KINDS.map((each) => [each, actorKinds[each]] as const)] }),
    of('actor', words.actor),
    of('subject', words.subject),
    of('from', words.from, { type: 'date' }),
    of('to', words.to, { type: 'date' }),
  ]
}
