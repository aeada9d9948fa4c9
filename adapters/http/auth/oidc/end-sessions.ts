import { consentId } from '../../../../domain/signin/consent.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import type { SessionApp } from '../../../postgres/sign-in/session-apps.ts'

/**
 * Ends what a browser or an app is allowed: a session with all that was made from it, and an app's access. Every app
 * that a session was used for is told (A-OID-20, OpenID Connect Back-Channel Logout 1.0).
 */

/** What ending needs; a request has both. */
export type SessionContext = {
  readonly flow: Pick<UseCaseContext, 'ledger' | 'world'>
  readonly signIn: Pick<SignInRows, 'sessions' | 'sessionApps' | 'tokens'>
}

/** Notifications that were written down, to be waited for with `firstAttempts`. */
export type NotificationIds = readonly string[]

/** Ends one session, its codes and its tokens. It is no error when the session has ended already. */
export const endSession = async (ending: SessionContext, sid: string): Promise<NotificationIds> => {
  await ending.signIn.sessions.end(sid)
  return await ended(ending, [sid])
}

/** Ends all sessions of a user but one: after a new password, or because the user wants it. */
export const endAllSessions = async (ending: SessionContext, sub: string, except = ''): Promise<NotificationIds> =>
  await ended(ending, await ending.signIn.sessions.endAll(sub, except))

/** The app may do nothing any more for the user: its tokens are dead at once, and it has to ask again (A-OID-11). */
export const revokeApp = async ({ flow, signIn }: SessionContext, sub: string, clientId: string): Promise<void> => {
  await flow.ledger.consent.revoke(consentId(sub, clientId), { sub, clientId })
  await signIn.tokens.revokeOfApp(sub, clientId)
}

/** Milliseconds that a logout waits for the apps' first answers, and milliseconds between two looks. */
const WAIT_MS = 2_000
const LOOK_MS = 25

/**
 * Resolves once every notification was tried once, or the wait is up: a user who comes back to an app should find that
 * it knows.
 */
export const firstAttempts = async (
  { flow: { ledger, world } }: SessionContext,
  told: NotificationIds,
): Promise<void> => {
  let open = told
  for (let waited = 0; waited < WAIT_MS && open.length > 0; waited += LOOK_MS) {
    const states = await Promise.all(open.map((id) => ledger.notification.recent(id)))
    open = open.filter((_, i) => isUntried(states[i]))
    if (open.length > 0) await world.pause(LOOK_MS)
  }
}

const isUntried = (state: { status: string; attempts?: number } | undefined): boolean =>
  state?.status === 'pending' && state.attempts === 0

/** Sends the notifications that a crash has kept from being sent. */
export const tellLeft = async (ending: SessionContext): Promise<void> => {
  const apps = await ending.signIn.sessionApps.left()
  const sids = [...new Set(apps.map(({ sid }) => sid))]
  if (sids.length > 0) await ended(ending, sids)
}

const ended = async (ending: SessionContext, sids: readonly string[]): Promise<NotificationIds> => {
  const { tokens, sessionApps } = ending.signIn
  if (sids.length === 0) return []
  await tokens.revokeOfSessions(sids)
  const told: string[] = []
  for (const app of await sessionApps.of(sids)) told.push(...(await tell(ending, app)))
  await sessionApps.forget(sids)
  return told
}

/** One notification for each app of each session, however often it is ended. */
const tell = async (
  { flow: { ledger, world } }: SessionContext,
  { sid, sub, clientId }: SessionApp,
): Promise<NotificationIds> => {
  const id = world.digest(`logout|${sid}|${clientId}`).slice(0, 32)
  const app = await ledger.clientApp.recent(clientId)
  const url = app.status === 'active' ? app.backchannelUrl : null
  if (url === null) {
    await ledger.notification.skip(id, { clientId })
    return []
  }
  await ledger.notification.schedule(id, { clientId, url, kind: 'logout', sub, sid })
  return [id]
}
