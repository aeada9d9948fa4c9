import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { hiddenFields, problem } from '../people/fields.ts'
import { peopleLocale, refusalIn } from '../people/messages/people-locale.ts'
import { PEOPLE_SHEET, type PeopleFrame } from '../people-page.ts'
import { dashboardPage, type PageMember } from './frame.ts'
import { localeFor } from './messages/locale.ts'

/** The pages of security are those that users have, in the frame of the dashboard. */
export const securityFrame = (member: PageMember, { main, title, ...page }: PeopleFrame): Reply =>
  dashboardPage({
    ...page,
    title,
    member,
    current: 'security',
    sheets: [PEOPLE_SHEET],
    ownHeading: true,
    main: html`<div class="people narrow"><h1>${title}</h1>${main}</div>`,
  })

type FreshPage = {
  readonly member: PageMember
  readonly next: string
  readonly fields: unknown
  readonly scripts: readonly string[]
  readonly error: string | undefined
}

/** Asks for the second factor, and leads on to what asked for it. */
export const freshPage = ({ member, next, fields, scripts, error }: FreshPage): Reply => {
  const { fresh } = localeFor(member).words
  return dashboardPage({
    ...(error !== undefined && { status: 422 }),
    title: fresh.title,
    member,
    current: 'security',
    scripts,
    sheets: [PEOPLE_SHEET],
    main: html`
      <p>${fresh.text}</p>
      <form method="post" action="/dashboard/confirm" class="people narrow">
        ${problem(refusalIn(peopleLocale(member.languages).words.sign, error))} ${hiddenFields({ csrf: member.csrf, next })}
        ${fields}
        <button type="submit">${fresh.button}</button>
      </form>
    `,
  })
}
