import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import type { PersonCaller } from '../../core/caller.ts'
import { csrfOf, SESSION_COOKIE } from '../../core/callers.ts'
import { setCookie } from '../../core/cookies.ts'
import { endSession } from '../oidc/end-sessions.ts'
import { deviceName, markDevice } from './devices.ts'

/** A call of a browser, with what is needed to know it again. */
export type BrowserVisit = {
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
 * @returns the cookies to set
 */
export const signedIn = async (
  visit: BrowserVisit,
  sub: string,
  amr: readonly string[],
): Promise<readonly string[]> => {
  const { flow, signIn, actor, headers } = visit
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

/** The session's user has proved again who they are: its secret changes. Undefined when the session has ended. */
export const renewSession = async (
  { flow: { world, origins }, signIn, actor }: { flow: UseCaseContext; signIn: SignInRows; actor: PersonCaller },
  amr: readonly string[],
): Promise<{ cookie: string; csrf: string } | undefined> => {
  const secret = world.secret(32)
  const renewed = await signIn.sessions.renew(actor.sid, { secretHash: world.digest(secret), amr }, world.now())
  if (!renewed) return undefined
  return { cookie: setCookie(SESSION_COOKIE, secret, origins.auth, COOKIE_DAYS * 86_400), csrf: csrfOf(secret) }
}

/** Takes the session's cookie away. */
export const forgetSession = ({ origins }: Pick<UseCaseContext, 'origins'>): string =>
  setCookie(SESSION_COOKIE, '', origins.auth, 0)
