import type { MemberCaller, PersonCaller } from '../../core/caller.ts'
import type { Reply } from '../../core/endpoint.ts'
import { accountPage } from '../../pages/people/account-frame.ts'
import type { PeopleFrame } from '../../pages/people-page.ts'
import { ofPeople } from './of-people.ts'

/**
 * Where somebody changes how they sign in. Users do it in their account, members at the dashboard: the pages are the
 * same, at another path and in another frame.
 */
export type SecurityPlace = {
  readonly auth: 'person' | 'member'
  /** The page that shows how somebody signs in; the others are below it. */
  readonly path: string
  frame(actor: PersonCaller | MemberCaller, page: PeopleFrame): Reply
  /** How a time is written on these pages, where that is not in UTC. */
  time?(actor: PersonCaller | MemberCaller): (at: string) => unknown
}

export const accountPlace: SecurityPlace = {
  auth: 'person',
  path: '/account/security',
  frame: ({ csrf }, page) => accountPage({ ...page, csrf, at: '/account/security' }),
}

/** What the endpoints of such pages declare. */
export const ofPlace = ({ auth }: SecurityPlace) =>
  auth === 'member'
    ? // How members sign in is their own affair, whatever they may do in the account.
      ({ ...ofPeople, auth: 'member', reach: 'store', callers: { unenrolled: true } } as const)
    : ({ ...ofPeople, auth: 'person' } as const)
