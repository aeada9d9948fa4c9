/**
 * What sandbox keys may call (N-28, Q-24), written from the rules and not from the declarations: a test key does
 * everything on test records, and reads how its seller sells.
 */

const pay = (...names: readonly string[]) => names.map((name) => `post /api.php function=${name}`)

/** A publishable key stands in a page: it reads what is for sale, mints a challenge, and asks what a payment does. */
export const FROM_A_PAGE: readonly string[] = [
  'get /v1/resources',
  'get /v1/resources res_id=true',
  'get /v1/checkouts',
  'get /v1/checkouts checkout_id=true',
  'post /v1/challenge',
  'post /v1/verify',
  'get /v1/x402/supported',
]

export const WITH_A_SECRET_KEY: readonly string[] = [
  // Test records.
  'post /v1/resources',
  'post /v1/resources res_id=true action=stock',
  'put /v1/resources',
  'delete /v1/resources',
  'get /v1/resources res_id=true callers=1',
  'post /v1/checkouts',
  'post /v1/checkouts checkout_id=true action=stock',
  'put /v1/checkouts',
  'delete /v1/checkouts',
  'post /v1/products/import',
  'post /v1/payment-requests',
  'delete /v1/payment-requests',
  'get /v1/payment-requests',
  'get /v1/payment-requests id=true',
  'post /v1/simulate-payment',
  'get /v1/settlements',
  'get /v1/reports/overview',
  'get /v1/reports/reconcile',
  'get /v1/orders',
  'get /v1/orders order_id=true',
  'post /v1/orders order_id=true',
  'get /v1/transactions',
  'get /v1/transactions transaction_id=true',
  'get /v1/transactions transaction_id=true webhook_log=1',
  'get /v1/transactions download=1',
  'post /v1/transactions transaction_id=true action=refund',
  'post /v1/transactions transaction_id=true action=resend-webhook',
  'post /v1/transactions transaction_id=true action=submit-hash',
  'get /v1/audit/transactions/:transaction_id',
  ...pay('create-transaction', 'get-transaction', 'get-transactions', 'download-transactions'),
  ...pay('update-transaction', 'delete-transaction', 'refund', 'resend-webhook'),
  ...pay('check-transaction', 'check-transactions'),
  ...pay('invoice', 'payment-link', 'encryption', 'save-checkout', 'get-checkouts', 'delete-checkout'),
  'post /api.php checkout_id=true function=save-checkout',
  'post /api.php checkout_id=true function=get-checkouts',
  'post /payment/api.php function=create-transaction',
  'post /payment/api.php function=get-transaction',
  'post /payment/api.php function=check-transaction',
  // How the seller sells, which it only reads.
  'get /v1/agent',
  'get /v1/me',
  'get /v1/account',
  'get /v1/account-info',
  'get /v1/settings',
  'get /v1/stores',
  'get /v1/wallets',
  'get /v1/webhook/receiver',
  'get /v1/custom-tokens',
  'get /v1/custom-fields',
  'get /v1/discount-codes',
  'get /v1/commerce/keys',
  'get /v1/card-processor',
  'get /v1/site',
  'get /v1/site resource=templates',
  'get /v1/site resource=templates id=true',
  ...pay('get-settings', 'settings-get-address', 'get-cloud-token', 'get-custom-tokens', 'get-cryptocurrency-codes'),
  ...pay('get-exchange-rates', 'get-usd-rates', 'get-fiat-value', 'vat', 'vat-validation'),
  'post /cloud/api.php function=get-cloud-token',
]

/** Why the others are closed to sandbox keys. */
export const CLOSED: Readonly<Record<string, readonly RegExp[]>> = {
  'webhooks are for live keys alone': [
    / \/v1\/webhooks?$/,
    / \/v1\/webhook\/deliveries$/,
    /^post \/v1\/webhook\/receiver$/,
    /^post \/v1\/agent$/,
    /^(post|put|delete) \/v1\/stores/,
    /^put \/v1\/settings$/,
    /function=save-settings/,
  ],
  'it moves, or shows, money': [
    / \/v1\/(billing|top-up|payout-info|unmatched)/,
    /^(post|delete) \/v1\/(card-processor|exact-relay)$/,
    / \/v1\/x402\/(verify|settle)$/,
    /action=match|function=match-transfer|function=get-balances/,
  ],
  'where money is received, and how': [
    /^(post|put|delete) \/v1\/(wallets|custom-tokens)$/,
    /^get \/v1\/wallets proof=1$/,
    /^post \/v1\/commerce\/keys/,
  ],
  'credentials, and who may do what': [
    / \/v1\/(subagents|sandbox-keys|integrations|account-email|reset-password|resend-verification)/,
    / \/v1\/me action=(rotate-key|keys)$/,
    / \/v1\/request-log$/,
  ],
  'the public shop and its rules': [/ \/v1\/landers/, /^(post|put|delete) \/v1\/(site|custom-fields|discount-codes)/],
  'the books of live money, and the log': [
    /^get \/v1\/audit(\/(books|consistency|events|export|proof|seals)|$)/,
    /^get \/v1\/activity$/,
    /^get \/api.php cron/,
  ],
  'the game has no play records': [/ \/v1\/game\//],
}
