import type { MandateTerms } from '../../../domain/balance/standing-order.ts'
import type { Received, Sent } from '../../../domain/balance/transfer-terms.ts'

/** A user, an app, and money between them. Amounts are millionths of a US dollar. */

export const SUB = 'usr_1'
export const CLIENT = 'app_1'
export const MANDATE = 'so_1'

export const received = (amount: string, position = '10', source = 'carry-transfers'): Received => ({
  ...{ transferId: `grant:${position}`, ledgerRef: `oidcgrant-${position}`, kind: 'grant', amount, from: 'platform' },
  ...{ clientId: null, description: null, source, position },
})

export const sent = (total: string, transferId = 'intent:pi_1'): Sent => ({
  ...{
    transferId,
    ledgerRef: `ref-${transferId}`,
    kind: 'intent',
    total,
    legs: [{ to: `app:${CLIENT}`, amount: total }],
  },
  ...{ clientId: CLIENT, request: `request of ${total}`, description: null },
})

export const APPROVED = '2026-01-31T12:00:00.000Z'

export const terms: MandateTerms = {
  ...{ mandateId: MANDATE, clientId: CLIENT, mode: 'adhoc', perDebitCap: '5', lifetimeCap: '10', cooldown: 'none' },
  ...{ schedAmount: null, schedInterval: null, approvedAt: APPROVED, validUntil: '2027-01-31T12:00:00.000Z' },
}

export const schedule: MandateTerms = { ...terms, mode: 'scheduled', schedAmount: '3', schedInterval: 'monthly' }
