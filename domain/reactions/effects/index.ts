import type { Effect } from '../subscriber/effect.ts'
import { sendAccountLetter } from './account-letters.ts'
import { drawStudioWorks } from './draw-studio-works.ts'
import { sendBudgetLetter, sendClaimLetter, sendDebitLetter, sendLetter, sendReversalLetter } from './letters.ts'
import { sendNewsLetter } from './news-letters.ts'
import { sendOwnerKeyLetter } from './owner-key-letters.ts'
import { sendDelivery } from './send-delivery.ts'
import { sendNotice, sendNotifications } from './send-notice.ts'
import { sendSupportLetter } from './support-letters.ts'

/** Everything that reaches outside by itself, on one page. */
export const effects: readonly Effect[] = [
  sendLetter,
  sendNotice,
  sendClaimLetter,
  sendReversalLetter,
  sendNewsLetter,
  sendBudgetLetter,
  sendDebitLetter,
  sendOwnerKeyLetter,
  sendAccountLetter,
  sendSupportLetter,
  sendDelivery,
  sendNotifications,
  drawStudioWorks,
]
