import { paymentHandlers, ucpOf } from '../../adapters/http/agent/commerce/ucp.ts'

/** Good answers of the commerce protocol, for tests to break. */

const totals = [
  { type: 'subtotal', display_text: 'Subtotal', amount: 5000 },
  { type: 'items_discount', display_text: 'Discount', amount: -500 },
  { type: 'tax', display_text: 'VAT 19% DE', amount: 855 },
  { type: 'total', amount: 5355, lines: [{ display_text: 'All', amount: 5355 }] },
]
const item = { id: 'res_a', title: 'Tea', price: 2500 }

/** A cart of one line that was paid. */
export const goodSession = {
  id: 'cs_a',
  status: 'completed',
  currency: 'USD',
  merchant: { id: 'https://shop.test', name: 'Tea', website: 'https://shop.test' },
  totals,
  ucp: ucpOf('checkout', paymentHandlers()),
  line_items: [{ id: 'li_1', item, quantity: 2, totals }],
  discounts: {
    codes: ['X'],
    applied: [{ title: 'X', amount: 500, allocations: [{ path: '$.line_items[0]', amount: 500 }] }],
  },
  messages: [{ type: 'warning', code: 'currency_converted', content: 'Converted.' }],
  links: [{ type: 'terms_of_service', url: 'https://shop.test/terms' }],
  expires_at: '2026-11-20T18:00:00Z',
  ap2: { merchant_authorization: 'a..b', nonce: 'n'.repeat(32), aud: 'https://shop.test' },
  order: { id: 'ord_a', permalink_url: 'https://shop.test/orders/ord_a' },
  payment_handlers: [{ id: 'onchain', handler: 'io.daybook.onchain', accepts: [] }],
}

/** Half of it was delivered. */
export const goodOrder = {
  id: 'ord_a',
  checkout_id: 'cs_a',
  permalink_url: 'https://shop.test/orders/ord_a',
  currency: 'USD',
  totals,
  ucp: ucpOf('order'),
  line_items: [{ id: 'li_1', item, quantity: { original: 2, total: 2, fulfilled: 1 }, totals, status: 'partial' }],
  fulfillment: {
    expectations: [{ id: 'exp_1', line_items: [{ id: 'li_1', quantity: 2 }], method_type: 'digital', destination: {} }],
    events: [
      { id: 'fe_1', occurred_at: '2026-11-20T18:00:00Z', type: 'delivered', line_items: [{ id: 'li_1', quantity: 1 }] },
    ],
  },
  adjustments: [
    {
      id: 'adj_1',
      type: 'refund',
      occurred_at: '2026-11-20T18:00:00Z',
      status: 'completed',
      line_items: [{ id: 'li_1', quantity: -1 }],
      totals: [{ type: 'total', amount: -2500 }],
    },
  ],
}
