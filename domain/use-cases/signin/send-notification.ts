import type { PostResult, SealedText, World } from '../../kernel/ports.ts'
import type { Notification } from '../../signin/notification.ts'
import type { UseCaseContext } from '../context.ts'
import { signToken } from './signing-keys.ts'

export type NotificationContext = Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'outbound' | 'signer' | 'origins'>

/**
 * Share by which the delay before a retry is moved at most, so that attempts which failed together do not come back
 * together.
 */
const JITTER = 0.1
/** A logout token is checked as soon as it arrives (OpenID Connect Back-Channel Logout 1.0 §2.4). */
const LOGOUT_TOKEN_S = 120
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Makes the attempt that is due, if one is: posts the notification to the endpoint that its app has now, and writes
 * down what came of it. Each attempt is signed anew, with the secret that the app has now (A-RCP-01, A-RCP-04,
 * A-RCP-05).
 */
export const sendNotification = async (sending: NotificationContext, eventId: string): Promise<void> => {
  const { ledger, world, outbound } = sending
  const notification = await ledger.notification.read(eventId)
  if (notification.status !== 'pending') return
  const attemptedAt = world.now().toISOString()
  if (notification.nextAt !== null && notification.nextAt > attemptedAt) return
  const app = await ledger.clientApp.read(notification.clientId)
  const url = app.status === 'none' ? null : app.backchannelUrl
  const secret = app.status === 'none' ? null : app.signingSecret
  const { body, headers } = await message(sending, notification, secret)
  const answer = url === null ? NOWHERE : await outbound.post(url, body, headers)
  await ledger.notification.record(eventId, {
    attempt: notification.attempts + 1,
    url,
    status: answer.status ?? null,
    reason: answer.reason ?? null,
    bodyHead: answer.bodyHead,
    durationMs: answer.durationMs,
    attemptedAt,
    jitter: jitter(world),
  })
}

/**
 * The result when the app has taken its endpoint away since; an endpoint that it sets in time still gets the
 * notification.
 */
const NOWHERE: PostResult = { status: undefined, reason: 'no-endpoint', bodyHead: '', durationMs: 0 }

type Message = { body: string; headers: Readonly<Record<string, string>> }

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

const message = (
  sending: NotificationContext,
  notification: Notification,
  secret: SealedText | null,
): Promise<Message> =>
  notification.kind === 'receipt' ? receipt(sending, notification, secret) : logout(sending, notification)

/** The signature is over the text of the field as its reader gets it, not as it is encoded on the way. */
const receipt = async (
  { world, vault, outbound }: NotificationContext,
  { payload = '' }: Notification,
  secret: SealedText | null,
): Promise<Message> => {
  const key = secret === null ? undefined : await vault.open(secret)
  const signature = key && { 'X-Webhook-Signature': outbound.sign(key, world.now(), payload) }
  return { body: form({ payload }), headers: { ...FORM, ...signature } }
}

const logout = async (sending: NotificationContext, { clientId, sub, sid }: Notification): Promise<Message> => {
  const { world, origins } = sending
  const iat = Math.floor(world.now().getTime() / 1000)
  const times = { iat, exp: iat + LOGOUT_TOKEN_S, jti: world.secret(16) }
  const claims = { iss: origins.auth, aud: clientId, ...times, sub, sid, events: { [LOGOUT_EVENT]: {} } }
  return { body: form({ logout_token: await signToken(sending, 'logout+jwt', claims) }), headers: FORM }
}

const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString()

/** A random number between -JITTER and JITTER. */
const jitter = (world: World): number => (Number.parseInt(world.secret(2), 16) / 0xffff) * 2 * JITTER - JITTER
