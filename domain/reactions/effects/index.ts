import type { Effect } from '../subscriber/effect.ts'
import { drawStudioWorks } from './draw-studio-works.ts'
import { sendBudgetLetter } from './send-budget-letter.ts'
import { sendClaimLetter } from './send-claim-letter.ts'
import { sendDebitLetter } from './send-debit-letter.ts'
import { sendDelivery } from './send-delivery.ts'
import { sendLetter } from './send-letter.ts'
import { sendNotice, sendNotifications } from './send-notice.ts'
import { sendReversalLetter } from './send-reversal-letter.ts'

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
