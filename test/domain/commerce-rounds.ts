import { mandate, ORDER_ID, sessionCreated, terms } from './commerce-samples.ts'
import { ACCOUNT } from './samples.ts'

/** Rounds of a checkout session: what may be repeated for ever is, and the most that a session can grow to. */

type Command = readonly [command: string, data: object]

const CHANGES = 90

const shipped = (occurredAt: string) => ({
  accountId: ACCOUNT,
  type: 'in_transit',
  lines: [{ id: 'li_1', quantity: 1 }],
  description: 'on its way',
  trackingUrl: null,
  occurredAt,
})

export const commerceRounds = {
  checkoutSession: (n: number, isLast: boolean): readonly Command[] => {
    if (n === 0) return [['create', sessionCreated]]
    if (n < CHANGES) return [['update', { ...terms, call: { id: `call_${n}`, request: 'r'.repeat(64) } }]]
    if (n === CHANGES) return [['ready', { terms: CHANGES - 1, requestId: 'pr_1', mandate }]]
    if (n < 2 * CHANGES)
      return [
        ['takePayment', { authorizationId: `a${n}`, over: null }],
        ['failPayment', { authorizationId: `a${n}` }],
      ]
    if (n === 2 * CHANGES) return [['complete', { orderId: ORDER_ID, transactionId: '1', challengeId: 'ch_1.eth' }]]
    if (n >= 360 && n < 380)
      return [['notePayment', { stands: n % 2 === 1, occurredAt: '2026-03-03T10:00:00.000Z', position: String(n) }]]
    if (isLast) return [['adjust', { type: 'refund', occurredAt: '2026-03-03T10:00:00.000Z' }]]
    return n < 390 || n > 400 ? [['fulfill', shipped('2026-03-03T10:00:00.000Z')]] : [['cancel', { reason: 'expired' }]]
  },
}
