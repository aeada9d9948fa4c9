import { drawStudioWorks } from './effects/draw-studio-works.ts'
import type { Effect } from './effects/effect.ts'
import { sendBudgetLetter } from './effects/send-budget-letter.ts'
import { sendClaimLetter } from './effects/send-claim-letter.ts'
import { sendDebitLetter } from './effects/send-debit-letter.ts'
import { sendDelivery } from './effects/send-delivery.ts'
import { sendLetter } from './effects/send-letter.ts'
import { sendNotice } from './effects/send-notice.ts'
import { sendNotifications } from './effects/send-notifications.ts'
import { sendReversalLetter } from './effects/send-reversal-letter.ts'

/** Everything that reaches outside by itself, on one page. */
export const effects: readonly Effect[] = [
  sendLetter,
  sendNotice,
  sendClaimLetter,
  sendReversalLetter,
  sendBudgetLetter,
  sendDebitLetter,
  sendDelivery,
  sendNotifications,
  drawStudioWorks,
]
