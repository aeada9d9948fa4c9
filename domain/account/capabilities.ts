/**
 * What a key may be allowed to do. The documents name the first six slugs and that there are more (1:284); the rest are
 * ours. Each endpoint declares the one that it needs.
 */
export const CAPABILITIES = [
  'settings.edit',
  'payments.processors.edit',
  'design.edit',
  'transactions.view',
  'checkouts.edit',
  'payment-links.create',
  'transactions.export',
  'transactions.refund',
  'transactions.edit',
  'checkouts.view',
  'payment-links.view',
  'resources.view',
  'resources.edit',
  'wallets.view',
  'wallets.edit',
  'discounts.edit',
  'fields.edit',
  'landers.view',
  'landers.edit',
  'offers.manage',
  'stores.view',
  'stores.edit',
  'settings.view',
  'payments.processors.view',
  'billing.view',
  'billing.spend',
  'payouts.view',
  'payouts.request',
  'sandbox-keys.manage',
  'game.use',
  'audit.view',
] as const

export type Capability = (typeof CAPABILITIES)[number]
