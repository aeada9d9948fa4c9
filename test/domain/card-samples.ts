import { ACCOUNT } from './samples.ts'

/** What tests of cards begin with: a processor, and a payment of 48 euros for a request. */

export const CARD_ID = `cp_${'a'.repeat(26)}`
export const PAYMENT_ID = 'pi_3QJx7a'

export const connectedProcessor = {
  secrets: 'v1.s',
  fingerprint: 'f',
  secretKeyHint: 'sk_live_...1234',
  webhookSecretHint: 'whsec_...5678',
  productId: 'prod_1',
  publishableKey: null,
  mode: 'live' as const,
  hookId: `hook_${'a'.repeat(26)}`,
}

export const cardOpened = {
  accountId: ACCOUNT,
  resId: null,
  paymentRequest: { requestId: 'pr_1', transactionId: '4503599627370497' },
  amount: '48000000',
  currency: 'EUR',
  charged: '4800',
  usd: '52000000',
  attempt: 1,
  webhookUrl: null,
  test: false,
  expiresAt: '2026-03-02T11:00:00.000Z',
}
