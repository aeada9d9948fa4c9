import type { Policy } from '../subscriber/policy.ts'

/** What was decided about a mandate in its user's stream is told in its own. */
export const followMandates: Policy = {
  name: 'follow-mandates',
  on: {
    StandingOrderActivated: ({ data: { mandateId, approvedAt, validUntil } }, { ledger }) =>
      ledger.mandate.approve(mandateId, { approvedAt, validUntil }),
    StandingOrderEnded: ({ data: { mandateId, by, endedAt } }, { ledger }) =>
      ledger.mandate.revoke(mandateId, { by, revokedAt: endedAt }),
    StandingOrderForbidden: ({ data: { mandateId, by, endedAt } }, { ledger }) =>
      by === 'user'
        ? ledger.mandate.decline(mandateId, {})
        : ledger.mandate.revoke(mandateId, { by, revokedAt: endedAt }),
  },
}
