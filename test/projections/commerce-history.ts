import type { EventStore } from '../../domain/kernel/ports.ts'
import { mandate, ORDER_ID, SESSION_ID, sessionCreated, terms } from '../domain/commerce-samples.ts'
import { ACCOUNT } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ODD_TEXT } from './history.ts'

/** A session that became an order, delivered in part and refunded, and one that was canceled. */
export const commerceHistory = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('commerce-history')
  const { checkoutSession, landers, offer } = ledgerOn(store, world)
  const other = `cs_${'c'.repeat(26)}`
  for (const id of [SESSION_ID, other]) await checkoutSession.create(id, sessionCreated)
  await checkoutSession.update(SESSION_ID, { ...terms, call: { id: 'call_1', request: 'r' } })
  await checkoutSession.ready(SESSION_ID, { terms: 1, requestId: 'pr_session', mandate })
  await checkoutSession.takePayment(SESSION_ID, { authorizationId: 'a1', over: null })
  await checkoutSession.complete(SESSION_ID, { orderId: ORDER_ID, transactionId: '7', challengeId: 'ch_1.eth' })
  await checkoutSession.fulfill(SESSION_ID, {
    accountId: ACCOUNT,
    type: 'delivered',
    lines: [{ id: 'li_1', quantity: 1 }],
    description: ODD_TEXT,
    trackingUrl: 'https://parcels.example/1',
    occurredAt: world.now().toISOString(),
  })
  await checkoutSession.adjust(SESSION_ID, { type: 'refund', occurredAt: world.now().toISOString() })
  await checkoutSession.cancel(other, { reason: 'asked' })
  await landers.create(ACCOUNT, { checkoutId: '1', tpl: 'spotlight', slots: 3 })
  await offer.make('1', {
    accountId: ACCOUNT,
    landerId: 1,
    checkoutId: '1',
    amount: '40000000',
    currency: 'USD',
    email: `v1.${ACCOUNT}.iv.e`,
    message: `v1.${ACCOUNT}.iv.${ODD_TEXT}`,
    origin: 'of_1',
  })
  await runPolicies(store, ledgerOn(store, world), world)
}
