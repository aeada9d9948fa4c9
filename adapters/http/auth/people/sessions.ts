import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { mustSignIn } from '../../../../domain/use-cases/suspended-user.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import type { MemberCaller, PersonCaller } from '../../core/caller.ts'
import { setCookie } from '../../core/cookies.ts'
import { csrfOf, MEMBER_COOKIE, SESSION_COOKIE } from '../../core/csrf.ts'
import { endSession } from '../oidc/end-sessions.ts'
import { deviceName, markDevice } from './devices.ts'

/** A call of a browser, with what is needed to know it again. */
export type BrowserVisit = {
  /** What the browser says in `Accept-Language`. */
  readonly languages: string
  readonly flow: UseCaseContext
  readonly signIn: SignInRows
  readonly actor: PersonCaller | undefined
  readonly headers: { readonly cookie?: string | undefined; readonly 'user-agent'?: string | undefined }
  readonly ip: string
}

/** Days that the cookie lives: as long as a session can live at all. */
const COOKIE_DAYS = 14

/**
 * Signs in a user who has proved who they are. A browser in which they are signed in keeps its session, with a new
 * secret and a new time; any other browser begins a session, and the one that it had ends, whoever's it was.
 * Refuses `account-suspended`.
 * @returns the cookies to set
 */
export const signedIn = async (
  visit: BrowserVisit,
  sub: string,
  amr: readonly string[],
): Promise<readonly string[]> => {
  const { flow, signIn, actor, headers } = visit
  await mustSignIn(flow, sub)
  const device = markDevice(flow, sub)
  if (actor?.sub === sub) {
    const renewed = await renewSession({ flow, signIn, actor }, amr)
    if (renewed !== undefined) return [renewed.cookie, device]
  } else if (actor) await endSession(visit, actor.sid)
  const { world, origins } = flow
  const secret = world.secret(32)
  const row = { sid: world.id('ses'), sub, amr, device: deviceName(headers['user-agent']) }
  await signIn.sessions.begin({ ...row, secretHash: world.digest(secret) }, world.now())
  return [setCookie(SESSION_COOKIE, secret, origins.auth, COOKIE_DAYS * 86_400), device]
}

/** Where the sessions of somebody are kept: the rows, and the cookie of which origin. */
const PLACES = {
  person: { rows: 'sessions', cookie: SESSION_COOKIE, origin: 'auth' },
  member: { rows: 'memberSessions', cookie: MEMBER_COOKIE, origin: 'base' },
} as const

type RenewedCall = {
  readonly flow: UseCaseContext
  readonly signIn: SignInRows
  readonly actor: Pick<PersonCaller | MemberCaller, 'kind' | 'sid'>
}

/** The session's owner has proved again who they are: its secret changes. Undefined when the session has ended. */
export const renewSession = async (
  { flow: { world, origins }, signIn, actor }: RenewedCall,
  amr: readonly string[],
): Promise<{ cookie: string; csrf: string } | undefined> => {
  const secret = world.secret(32)
  const { rows, cookie, origin } = PLACES[actor.kind]
  const renewed = await signIn[rows].renew(actor.sid, { secretHash: world.digest(secret), amr }, world.now())
  if (!renewed) return undefined
  return { cookie: setCookie(cookie, secret, origins[origin], COOKIE_DAYS * 86_400), csrf: csrfOf(secret) }
}

/**
 * Begins the session of a member in an account; `generation` is that of the account as it was when the password was
 * checked.
 */
export const beginMemberSession = async (
  { flow: { world, origins }, signIn, headers }: Pick<BrowserVisit, 'flow' | 'signIn' | 'headers'>,
  memberId: string,
  { amr, ...place }: { readonly amr: readonly string[] } & MemberPlace,
): Promise<string> => {
  const secret = world.secret(32)
  const device = deviceName(headers['user-agent'])
  const row = { sid: world.id('mse'), sub: memberId, amr, device, ...place }
  await signIn.memberSessions.begin({ ...row, secretHash: world.digest(secret) }, world.now())
  return setCookie(MEMBER_COOKIE, secret, origins.base, COOKIE_DAYS * 86_400)
}

/** The account in which a member acts, and how often they had been signed out of it by then. */
type MemberPlace = { readonly accountId: string; readonly generation: number }

/** Goes on with a member's session in another account. Undefined when the session has ended. */
export const sessionIn = async (
  { flow: { world, origins }, signIn, actor }: Omit<RenewedCall, 'actor'> & { readonly actor: MemberCaller },
  { accountId, generation }: MemberPlace,
): Promise<string | undefined> => {
  const secret = world.secret(32)
  const place = { secretHash: world.digest(secret), accountId, generation }
  const isChosen = await signIn.memberSessions.chooseAccount(actor.sid, place)
  return isChosen ? setCookie(MEMBER_COOKIE, secret, origins.base, COOKIE_DAYS * 86_400) : undefined
}

/** Takes the cookie of a member's session away. */
export const forgetMemberSession = ({ origins }: Pick<UseCaseContext, 'origins'>): string =>
  setCookie(MEMBER_COOKIE, '', origins.base, 0)

/** Takes the session's cookie away. */
export const forgetSession = ({ origins }: Pick<UseCaseContext, 'origins'>): string =>
  setCookie(SESSION_COOKIE, '', origins.auth, 0)
