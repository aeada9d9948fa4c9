import { orderIdOf } from '../../../../domain/commerce/ids.ts'
import type { MandateEvidence } from '../../../../domain/commerce/session-events.ts'
import type { NamedSession } from '../../../../domain/use-cases/commerce/sessions.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { checkAgreement } from '../../../ap2/check-agreement.ts'
import type { PlatformSent } from './platform.ts'
import { audienceOf, sessionRecord } from './session-record.ts'
import { UCP_VERSION } from './ucp.ts'

/** Only what is agreed to is looked at, and that is the same whoever asks. */
const NOT_TOLD = { ucp: false, challengesOf: async () => [] }

/**
 * What proves that the buyer agrees to the session as it is told now (C-SES-07); null without a mandate, which a seller
 * may require. Refuses as `checkAgreement` does.
 */
export const agreementOf = async (
  flow: UseCaseContext,
  headers: PlatformSent,
  { sessionId, session }: NamedSession,
  token: string | undefined,
): Promise<MandateEvidence | null> => {
  // Who pays in a second call has agreed in the first.
  if (token === undefined && session.mandate !== null) return null
  const { id, currency, line_items, totals } = await sessionRecord(flow, { sessionId, session }, NOT_TOLD)
  return checkAgreement(flow, {
    accountId: session.accountId,
    token,
    nonce: session.nonce,
    aud: audienceOf(flow, session),
    session: { id, currency, lineItems: line_items, totals },
    ucpAgent: headers['ucp-agent'],
    ucpVersion: UCP_VERSION,
    orderId: orderIdOf(sessionId),
  })
}
