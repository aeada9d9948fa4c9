import { idOf } from '../../kernel/decider.ts'
import type { RecordedEvent, SealedText } from '../../kernel/ports.ts'
import { sendNotification } from '../../use-cases/signin/send-notification.ts'
import type { Effect, EffectContext } from '../subscriber/effect.ts'
import { LETTERS_AT_ONCE_MAX, mailOnce } from '../subscriber/mailing.ts'

/** Tells a user what has happened to how they sign in, so that they notice when it was not they who did it. */
export const sendNotice: Effect = {
  name: 'send-notice',
  concurrency: LETTERS_AT_ONCE_MAX,
  on: {
    PasskeyAdded: (event, context) => notify(event, context, 'A passkey was added'),
    PasskeyRemoved: (event, context) => notify(event, context, 'A passkey was removed'),
    TotpEnrolled: (event, context) => notify(event, context, 'An authenticator app was added'),
    TotpRemoved: (event, context) => notify(event, context, 'The authenticator app was removed'),
    RecoveryCodeUsed: (event, context) => notify(event, context, 'A recovery code was used'),
    RecoveryCodesIssued: async (event, context) => {
      if (event.data.hashes.length > 0) await notify(event, context, 'New recovery codes were made')
    },
    UserPasswordSet: async (event, context) => {
      if (event.data.by !== 'rehash') await notify(event, context, 'Your password was changed')
    },
    UserEmailChanged: async (event, context) => {
      const { email, formerEmail } = event.data
      await notify(event, context, CHANGED, { to: email })
      await notify(event, context, CHANGED, { to: formerEmail, letterId: `${event.id}-former` })
    },
  },
}

const CHANGED = 'Your email address was changed'

const notify = async (
  { id, stream, at }: RecordedEvent<{ readonly type: string; readonly data: object }>,
  context: EffectContext,
  what: string,
  { to, letterId = id }: { to?: SealedText; letterId?: string } = {},
): Promise<void> => {
  const sub = idOf(stream)
  await mailOnce(context, letterId, sub, async () => {
    const address = await context.vault.open(to ?? (await addressOf(sub, context)))
    if (address === undefined) return undefined
    const text = [
      `${what}, on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC.`,
      '',
      'If this was you, there is nothing to do. If not, choose a new password now, which signs everybody else out:',
      '',
      `${context.origins.auth}/sign-in/forgot`,
    ].join('\n')
    return { to: address, subject: what, text }
  })
}

const addressOf = async (sub: string, { ledger }: EffectContext): Promise<SealedText> => {
  const user = await ledger.user.read(sub)
  return user.status === 'none' ? '' : user.email
}

const NOTIFICATIONS_AT_ONCE_MAX = 32

/** Makes the first attempt of every receipt and logout notification at once; later ones are made when they are due. */
export const sendNotifications: Effect = {
  name: 'send-notifications',
  concurrency: NOTIFICATIONS_AT_ONCE_MAX,
  on: {
    NotificationScheduled: ({ stream }, context) => sendNotification(context, idOf(stream)),
    NotificationReplayed: ({ stream }, context) => sendNotification(context, idOf(stream)),
  },
}
