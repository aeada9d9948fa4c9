import type { z } from 'zod'
import { readySession } from '../../../../domain/flows/commerce/pay-session.ts'
import { isRepeat, type NamedSession, there } from '../../../../domain/flows/commerce/sessions.ts'
import type { Flow } from '../../../../domain/flows/flow.ts'
import type { Once } from '../../../../domain/flows/once.ts'
import { agreementOf } from './agreement.ts'
import { type Payment, paymentIn, paySigned } from './instrument.ts'
import { type PlatformSent, speaksUcp } from './platform.ts'
import { sessionRecord } from './session-record.ts'
import { waysNow, waysToPay } from './ways.ts'

type Completing = {
  readonly flow: Flow
  readonly once: Once
  readonly headers: PlatformSent
  readonly named: NamedSession
}

type Body = {
  readonly ap2?: { readonly checkout_mandate?: string | undefined } | undefined
  readonly payment?: z.output<typeof Payment> | undefined
}

/**
 * Completes a session: an agreement that was sent is checked first, then the terms are fixed and the challenges minted, then a payment that
 * was sent is taken. A repeat under the same Idempotency-Key is told how it stands now, which is how it went on.
 */
export const completeSession = async ({ flow, once, headers, named }: Completing, body: Body) => {
  const ucp = speaksUcp(headers)
  const payment = paymentIn(body.payment)
  const { sessionId } = named
  if (await isRepeat(once, named.session))
    return sessionRecord(flow, named, { ucp, ways: await waysNow(flow, named.session) })
  const mandate = await agreementOf(flow, headers, named, body.ap2?.checkout_mandate)
  const readied = await readySession(flow, once, named, mandate)
  const failed = payment && (await paySigned(flow, sessionId, readied, payment))
  const session = there(await flow.ledger.checkoutSession.read(sessionId))
  const ways = session.status === 'ready_for_complete' ? await waysToPay(flow, session, readied.minted) : undefined
  return sessionRecord(flow, { sessionId, session }, { ucp, ways, failed })
}
