import type { CardProcessor } from '../support/card/processor.ts'
import type { Thing } from '../support/card/state.ts'

/**
 * What a card processor tells of one payment, once as it is and once with each of its fields odd; and of things that
 * are none of ours.
 */

const ODD = ['\0', null, -1, 1e21, {}, 'x'.repeat(300), 'é', '', ['cp_'], 'cp_aaaaaaaaaaaaaaaaaaaaaaaaaa'] as const
const REFUNDED = 100

export const noticesOf = (processor: CardProcessor, session: Thing): readonly string[] => {
  const charge = processor.giveBack(String(session.payment_intent), REFUNDED)
  const refund = processor.failRefund(String(session.payment_intent))
  const dispute = processor.dispute(String(session.payment_intent))
  const told: readonly (readonly [type: string, thing: Thing])[] = [
    ['checkout.session.completed', session],
    ['checkout.session.expired', session],
    ['checkout.session.async_payment_failed', session],
    ['charge.refunded', charge],
    ['refund.failed', refund],
    ['charge.dispute.created', dispute],
    ['charge.dispute.closed', { ...dispute, status: 'lost' }],
    ['payout.paid', { id: 'po_1' }],
  ]
  const textOf = (type: string, thing: object) => JSON.stringify(processor.event(type, thing))
  return told.flatMap(([type, thing], nth) => [
    textOf(type, thing),
    ...Object.keys(thing).map((name, n) => textOf(type, { ...thing, [name]: ODD[(n + nth) % ODD.length] })),
  ])
}
