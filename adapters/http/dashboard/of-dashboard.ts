import { z } from 'zod'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { SignInRows } from '../../postgres/sign-in/rows.ts'
import { safeNext } from '../auth/people/next.ts'
import { aboutBrowser, ofRows } from '../auth/people/of-people.ts'
import type { GuestCaller, MemberCaller } from '../core/caller.ts'

/** What the pages of the dashboard have in common. */

/**
 * A page for a member who is signed in. A screen spreads this, and says its path, its `reach` where that is not the
 * whole account, and in `callers` the capability that it needs.
 */
export const ofMembers = { ...ofRows, auth: 'member', reach: 'account' } as const

/** A page that may be seen signed in or not, which shows no rows. */
export const ofGuests = { ...ofRows, auth: 'guest', waits: 'never', headers: aboutBrowser } as const

/** The token of the form; it was checked before the operation begins. */
export const csrf = z.string().max(100)

/** A call of a member to a screen. */
export type MemberRequest = {
  readonly flow: UseCaseContext
  readonly queries: Queries
  readonly signIn: SignInRows
  readonly actor: MemberCaller
}

/** A call of a browser in which nobody has to be signed in. */
export type GuestVisit = {
  readonly flow: UseCaseContext
  readonly signIn: SignInRows
  readonly actor: MemberCaller | GuestCaller
  readonly headers: { readonly cookie?: string | undefined; readonly 'user-agent'?: string | undefined }
  readonly ip: string
}

const HOME = '/dashboard'

/** Where the browser is led afterwards: a page of the dashboard, whatever was asked for. */
export const nextPage = ({ origins }: Pick<UseCaseContext, 'origins'>, wanted: string | undefined): string => {
  const next = safeNext(wanted, origins.base, HOME)
  return /^\/dashboard(?=$|[/?])/.test(next) ? next : HOME
}

/** The address of a page that comes back to `next` afterwards. */
export const leadingTo = (path: string, next: string): string =>
  next === HOME ? path : `${path}?next=${encodeURIComponent(next)}`

/** Cookies that a page for a guest has to set. */
export const cookiesOf = (actor: MemberCaller | GuestCaller): readonly string[] =>
  actor.kind === 'guest' ? actor.cookies : []
