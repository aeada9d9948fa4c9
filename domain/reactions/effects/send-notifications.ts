import { idOf } from '../../kernel/stream-id.ts'
import { sendNotification } from '../../use-cases/signin/send-notification.ts'
import type { Effect } from '../subscriber/effect.ts'

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
