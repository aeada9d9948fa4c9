import type { Context } from 'koa'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isEnrolled } from '../../../domain/signin/factors.ts'
import { type ActingMember, accountsOf, actingMember } from '../../../domain/use-cases/account/members.ts'
import { zoneOf } from '../../../domain/use-cases/account/time-zone.ts'
import type { OutsidePorts } from '../../../domain/use-cases/context.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import type { SignInRows } from '../../postgres/sign-in/rows.ts'
import { allow, limited } from './actor.ts'
import type { Actor, GuestCaller, MemberCaller } from './caller.ts'
import { cookieName, cookieOf, setCookie } from './cookies.ts'
import { csrfOf, GUEST_COOKIE, MEMBER_COOKIE, refuseForeign, refuseStale } from './csrf.ts'
import type { Endpoint } from './endpoint.ts'

/** Finds out who calls the dashboard: a member by the session of the browser, or a guest. */

type Known = {
  readonly outside: Pick<OutsidePorts, 'world' | 'origins'>
  readonly rows: Pick<SignInRows, 'memberSessions'>
  readonly ledger: Ledger
}

/** Minutes for which the proof of a second factor counts for what asks for a fresh one. */
const FRESH_MINUTES = 5
const LANGUAGES_MAX_CHARACTERS = 200

/**
 * The member who is signed in, and may do this. A session ends with what signed everybody out: a new password, another
 * owner key, a suspension, or losing the seat. Refuses `form-stale`, `forbidden`, `mfa-needed`, `mfa-missing`.
 */
export const memberOf = async (
  ctx: Context,
  e: Endpoint,
  body: object,
  { outside: { world, origins }, rows, ledger }: Known,
): Promise<MemberCaller | undefined> => {
  if (e.method === 'post') refuseForeign(ctx, origins.base)
  const secret = cookieOf(ctx.get('cookie'), cookieName(MEMBER_COOKIE, origins.base))
  const row = secret === undefined ? undefined : await rows.memberSessions.find(world.digest(secret), world.now())
  if (!row || secret === undefined) return undefined
  const acting = await actingMember({ ledger }, row.sub, row.accountId)
  if (acting?.generation !== row.generation) return undefined
  const csrf = csrfOf(secret)
  // The fields that come with a file are read once it is known who sends them, and their token is looked at then.
  if (e.method === 'post' && !e.takes?.upload) refuseStale(body, csrf)
  const { member, accountId } = acting
  const actor = actorOf(row.sub, acting)
  if (e.auth === 'member') {
    allow(actor, e)
    mustBeProven(e, acting, isFresh(row, world.now()))
  }
  return {
    ...row,
    kind: 'member',
    memberId: row.sub,
    accountId,
    ownAccount: member.accountId,
    accounts: accountsOf(member),
    csrf,
    actor,
    zone: await zoneOf({ ledger }, accountId),
    languages: languagesOf(ctx),
  }
}

/**
 * Refuses `mfa-missing` where a second factor has to be set up first, and `mfa-needed` where it has to be proved anew.
 */
const mustBeProven = (
  { callers = {} }: Endpoint,
  { member, factorRequired }: ActingMember,
  isFreshly: boolean,
): void => {
  const { fresh, unenrolled } = callers
  if (isEnrolled(member)) {
    if (fresh && !isFreshly) refuse('mfa-needed', 'Please confirm that it is you.')
  } else if ((factorRequired && !unenrolled) || fresh === 'enrolled') refuse('mfa-missing')
}

/** Somebody who is not signed in; the first page sets the cookie that every form of theirs needs. */
export const guestOf = (
  ctx: Context,
  e: Endpoint,
  body: object,
  { outside: { world, origins } }: Pick<Known, 'outside'>,
): GuestCaller => {
  const kept = cookieOf(ctx.get('cookie'), cookieName(GUEST_COOKIE, origins.base))
  const known = kept !== undefined && GUEST_SECRET.test(kept) ? kept : undefined
  const secret = known ?? world.secret(32)
  const csrf = csrfOf(secret)
  if (e.method === 'post') refuseStale(body, csrf)
  const cookies = known === undefined ? [setCookie(GUEST_COOKIE, secret, origins.base)] : []
  return { kind: 'guest', csrf, cookies, languages: languagesOf(ctx) }
}

const GUEST_SECRET = /^[0-9a-f]{64}$/

/** The owner of the account may do everything in it, a member with a seat what their role says (N-95). */
const actorOf = (memberId: string, { accountId, seat }: ActingMember): Actor => {
  const who = { accountId, keyId: memberId }
  return seat
    ? { ...who, ...limited('member', seat.role, seat.permissions, seat.storeScope) }
    : { ...who, kind: 'member', isOwner: true, testOnly: false, storeScope: undefined, can: () => true }
}

const isFresh = ({ amr, authTime }: { amr: readonly string[]; authTime: string }, now: Date): boolean =>
  amr.includes('mfa') && now.getTime() - Date.parse(authTime) <= FRESH_MINUTES * 60_000

/** What a browser says in `Accept-Language`, as far as it is read. */
export const languagesOf = (ctx: Context): string => ctx.get('accept-language').slice(0, LANGUAGES_MAX_CHARACTERS)
