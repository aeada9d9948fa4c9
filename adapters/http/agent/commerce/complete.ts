import type { z } from 'zod'
import { orderIdOf } from '../../../../domain/commerce/ids.ts'
import type { MandateEvidence } from '../../../../domain/commerce/session-events.ts'
import { existingSession } from '../../../../domain/commerce/session-rules.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import {
  type ChallengesOf,
  isPaid,
  readySession,
  statusNow,
} from '../../../../domain/use-cases/commerce/pay-session.ts'
import { isRepeat, type NamedSession } from '../../../../domain/use-cases/commerce/sessions.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Once } from '../../../../domain/use-cases/once.ts'
import { checkAgreement } from '../../../ap2/check-agreement.ts'
import { type Payment, paymentIn, paySigned } from './instrument.ts'
import { type PlatformSent, speaksUcp } from './platform.ts'
import { audienceOf, sessionRecord } from './session-record.ts'
import { UCP_VERSION } from './ucp.ts'
import { isPaidByCard, waysToPay } from './ways.ts'

type CompletionRequest = {
  readonly flow: UseCaseContext
  readonly once: Once
  readonly headers: PlatformSent
  readonly named: NamedSession
  readonly challengesOf: ChallengesOf
  /** A keyed hash of the network that the caller comes from. */
  readonly network: string
}

type Body = {
  readonly ap2?: { readonly checkout_mandate?: string | undefined } | undefined
  readonly payment?: z.output<typeof Payment> | undefined
}

/**
 * Completes a session: an agreement that was sent is checked first, then the terms are fixed and the challenges minted,
 * then a payment that was sent is taken. A repeat under the same Idempotency-Key goes on where the first call broke
 * off, without checking the agreement again, and is told how the session stands now.
 */
export const completeSession = async (
  { flow, once, headers, named, challengesOf, network }: CompletionRequest,
  body: Body,
) => {
  const told = { ucp: speaksUcp(headers), challengesOf }
  const takesCards = await isPaidByCard(flow, named.session)
  const payment = paymentIn(body.payment, takesCards)
  const { sessionId } = named
  const isRepeated = await isRepeat(once, named.session)
  const isOver = async () =>
    (await statusNow(flow, named.session, challengesOf)) !== 'ready_for_complete' || isPaid(flow, named.session)
  if (isRepeated && (await isOver())) return sessionRecord(flow, named, told)
  const mandate = isRepeated ? null : await agreementOf(flow, headers, named, body.ap2?.checkout_mandate)
  const readied = await readySession(flow, once, named, mandate, network)
  const failed = payment?.signed && (await paySigned(flow, once, { sessionId, readied }, payment.signed))
  const session = existingSession(await flow.ledger.checkoutSession.read(sessionId))
  if (session.status === 'canceled')
    return refuse('session-closed', 'This checkout session was canceled meanwhile. Make a new one.')
  const ways = session.status === 'ready_for_complete' ? await waysToPay(flow, session, readied.minted) : undefined
  return sessionRecord(
    flow,
    { sessionId, session },
    { ...told, ways, failed, byCard: payment !== undefined && !payment.signed },
  )
}

/** Options for the record that an agreement is checked against: what is agreed to is the same whoever asks. */
const NOT_TOLD = { ucp: false, challengesOf: async () => [] }

/**
 * What proves that the buyer agrees to the session as it is told now (C-SES-07); null without a mandate, which a seller
 * may require. Refuses as `checkAgreement` does.
 */
const agreementOf = async (
  flow: UseCaseContext,
  headers: PlatformSent,
  { sessionId, session }: NamedSession,
  token: string | undefined,
): Promise<MandateEvidence | null> => {
  // A caller who pays in a second call has agreed in the first.
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
