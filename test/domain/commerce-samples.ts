import type { MandateEvidence, SessionTerms } from '../../domain/commerce/session-events.ts'
import type { SessionCommands } from '../../domain/commerce/session-state.ts'
import { ACCOUNT } from './samples.ts'

/** One cart in its parts: two of a product of $25, and a resource of €10 at $1.10. */

export const SESSION_ID = `cs_${'b'.repeat(26)}`
export const ORDER_ID = `ord_${'b'.repeat(26)}`
export const SESSION_EXPIRES = '2026-03-02T16:00:00.000Z'

const zero = { discount: '0', tax: '0' }

export const terms: SessionTerms = {
  currency: 'USD',
  digits: 2,
  lines: [
    {
      id: 'li_1',
      kind: 'checkout',
      itemId: 'widget-1',
      checkoutId: '1',
      title: 'Widget',
      price: '25000000',
      priceCurrency: 'USD',
      unit: '2500',
      exact: true,
      quantity: 2,
      subtotal: '5000',
      ...zero,
      total: '5000',
    },
    {
      id: 'li_2',
      kind: 'resource',
      itemId: 'res_1',
      title: 'Resource res_1',
      price: '10000000',
      priceCurrency: 'EUR',
      unit: '1100',
      exact: true,
      quantity: 1,
      subtotal: '1100',
      ...zero,
      total: '1100',
    },
  ],
  rates: { USD: '1', EUR: '1.1' },
  codes: [],
  unknownCodes: [],
  tax: null,
  subtotal: '6100',
  discount: '0',
  taxAmount: '0',
  total: '6100',
  assets: ['eth'],
  person: null,
}

export const sessionCreated: SessionCommands['create'] = {
  ...terms,
  accountId: ACCOUNT,
  storeId: 1,
  test: false,
  nonce: '0'.repeat(48),
  platform: null,
  expiresAt: SESSION_EXPIRES,
}

export const mandate: MandateEvidence = {
  token: 'v1.acc_1.t',
  tier: 'self',
  issuer: null,
  keyThumbprint: 'k',
  checkoutHash: 'h',
  receipt: 'r.r.r',
}
