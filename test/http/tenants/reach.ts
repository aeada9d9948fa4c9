/**
 * How far the keys of an account go: which calls one may make that is limited to stores, by what it has to be allowed.
 */

import type { ExecutionContext } from 'ava'
import type { Context } from 'koa'
import { admitCaller } from '../../../adapters/http/serving/admission.ts'
import { ownerKeyUseRows } from '../../../adapters/postgres/sign-in/owner-key-uses.ts'
import { ROLES, STORE_KEY_ROLE } from '../../../domain/account/roles.ts'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import type { OutsidePorts } from '../../../domain/use-cases/context.ts'
import { createQueries } from '../../../projections/index.ts'
import type { TestApp } from '../../support/app.ts'
import { connectBeside } from '../../support/kept-database.ts'
import { designed } from '../../support/role-design.ts'
import { freshAddress } from '../../support/sale.ts'
import { teamCalls } from '../../support/team.ts'
import { asking, type Refused } from '../strict.ts'
import { labelOf, type Operation, operations } from './declared.ts'

/**
 * Any key that is limited to stores may call these, by what else it needs. Written from the rules and not from the
 * declarations (rule 8 of J-AUTH-04).
 */
const OF_STORES: Readonly<Record<string, readonly string[]>> = {
  nothing: ['post /v1/verify', 'post /v1/simulate-payment', 'post /v1/x402/verify', 'get /v1/x402/supported'],
  'resources.view': ['get /v1/resources', 'get /v1/resources res_id=true', 'get /v1/resources res_id=true callers=1'],
  'resources.edit': [
    'post /v1/resources',
    'post /v1/resources res_id=true action=stock',
    'put /v1/resources',
    'delete /v1/resources',
  ],
  'payment-links.view': [
    'get /v1/payment-requests',
    'get /v1/payment-requests id=true',
    ...pay('payment-link', 'invoice', 'encryption'),
  ],
  'payment-links.create': [
    'post /v1/challenge',
    'post /v1/payment-requests',
    'delete /v1/payment-requests',
    'post /v1/x402/settle',
    ...pay('create-transaction'),
    'post /payment/api.php function=create-transaction',
  ],
  'transactions.view': [
    'get /v1/settlements',
    'get /v1/unmatched',
    'get /v1/unmatched transfer=true',
    'get /v1/reports/overview',
    'get /v1/reports/reconcile',
    'get /v1/orders',
    'get /v1/orders order_id=true',
    'get /v1/transactions',
    'get /v1/transactions transaction_id=true',
    'get /v1/transactions transaction_id=true webhook_log=1',
    ...pay('get-transaction', 'get-transactions', 'check-transaction', 'check-transactions'),
    ...pay('get-exchange-rates', 'get-usd-rates', 'get-fiat-value', 'get-cryptocurrency-codes'),
    ...pay('vat', 'vat-validation'),
    'post /payment/api.php function=get-transaction',
    'post /payment/api.php function=check-transaction',
  ],
  'transactions.edit': [
    'post /v1/orders order_id=true',
    'post /v1/transactions transaction_id=true action=resend-webhook',
    'post /v1/transactions transaction_id=true action=submit-hash',
    ...pay('update-transaction', 'delete-transaction', 'resend-webhook'),
  ],
  'transactions.refund': ['post /v1/transactions transaction_id=true action=refund', ...pay('refund')],
  'transactions.export': ['get /v1/transactions download=1', ...pay('download-transactions')],
  'checkouts.view': [
    'get /v1/custom-fields',
    'get /v1/discount-codes',
    'get /v1/checkouts',
    'get /v1/checkouts checkout_id=true',
    ...pay('get-checkouts'),
    'post /api.php checkout_id=true function=get-checkouts',
  ],
  'checkouts.edit': [
    'post /v1/checkouts',
    'post /v1/checkouts checkout_id=true action=stock',
    'put /v1/checkouts',
    'delete /v1/checkouts',
    'post /v1/products/import',
    ...pay('save-checkout', 'delete-checkout'),
    'post /api.php checkout_id=true function=save-checkout',
  ],
  'landers.view': ['get /v1/landers', 'get /v1/landers lander_id=true'],
  'landers.edit': ['post /v1/landers', 'put /v1/landers', 'delete /v1/landers'],
  'offers.manage': ['get /v1/landers offers=1', 'put /v1/landers offer_id=true'],
  'stores.view': ['get /v1/stores'],
  'stores.edit': ['put /v1/stores', 'post /v1/stores rotate=true', 'post /v1/stores action=test-webhook'],
  'settings.view': [...pay('get-cloud-token'), 'post /cloud/api.php function=get-cloud-token'],
  'settings.edit': ['get /api.php cron=true'],
  'audit.view': ['get /v1/audit', 'get /v1/audit/transactions/:transaction_id'],
}

function pay(...functions: string[]): string[] {
  return functions.map((name) => `post /api.php function=${name}`)
}

const NEEDS = new Map(Object.entries(OF_STORES).flatMap(([need, calls]) => calls.map((call) => [call, need] as const)))

/** Every call that takes a seller's key. */
export const keyed = operations.filter(({ auth }) => auth === 'key' || auth === 'offered')

export const isOfStores = (e: Operation): boolean => NEEDS.has(labelOf(e))

/** What is in the table and no call. */
export const unknownCalls = (): string[] => [...NEEDS.keys()].filter((call) => !keyed.some((e) => labelOf(e) === call))

/** A key of an account, and what it was designed to be allowed. */
type Keyed = { readonly what: string; readonly key: string; readonly isLimited: boolean; may(need: string): boolean }

/** One of each role, of the whole account and of one store alone, beside the owner's and the store's own. */
const keysOf = async (app: TestApp, { key, storeKey }: { key: string; storeKey: string }): Promise<Keyed[]> => {
  const { make } = teamCalls(() => app)
  const custom = ['transactions.view', 'wallets.edit', 'stores.edit', 'settings.edit']
  const roles = ROLES.flatMap((role) => [[], [2]].map((scope) => [role, scope] as const))
  const made: Keyed[] = []
  for (const [role, store_scope] of roles) {
    const allowed = role === 'custom' ? custom : designed(role)
    const body = { role, store_scope, ...(role === 'custom' && { permissions: custom }) }
    const { api_key } = await make(key, body)
    const may = (need: string) => allowed.includes(need)
    made.push({ what: `${role} of [${store_scope}]`, key: api_key, isLimited: store_scope.length > 0, may })
  }
  const ofStore = designed(STORE_KEY_ROLE)
  return [
    { what: 'owner', key, isLimited: false, may: () => true },
    { what: 'key of a store', key: storeKey, isLimited: true, may: (need) => ofStore.includes(need) },
    ...made,
  ]
}

/**
 * Walks every call with every key through the admission of the service; answers where it lets in or refuses otherwise
 * than was designed.
 */
export const wrongAdmissions = async (app: TestApp, seller: { key: string; storeKey: string }): Promise<string[]> => {
  const buckets = { take: () => undefined }
  const limits = {
    key: buckets,
    address: buckets,
    visitor: buckets,
    client: buckets,
    signIn: {} as never,
    strangerBytes: {} as never,
  }
  const sql = connectBeside(app.databaseUrl)
  try {
    const signIn = { ownerKeys: { ...ownerKeyUseRows(sql), noteUse: async () => {} } }
    const outside = { world: { now: () => new Date() }, vault: {} } as unknown as OutsidePorts
    const rows = { queries: createQueries(sql), limits, outside, signIn, current: async () => true }
    const wrong = async (e: Operation, each: Keyed) => {
      const ctx = { ip: '127.0.0.1', path: e.path, get: () => '', state: {} } as unknown as Context
      const came = await admitCaller(ctx, e, each.key, rows).then(() => 'let in', codeOf)
      const due = isDue(e, each) ? 'let in' : 'forbidden'
      return came === due ? [] : [`${labelOf(e)} as ${each.what}: ${came}, not ${due}`]
    }
    const keys = await keysOf(app, seller)
    return (await Promise.all(keys.flatMap((each) => keyed.map((e) => wrong(e, each))))).flat()
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const isDue = (e: Operation, { what, isLimited, may }: Keyed): boolean => {
  const { capability = 'nothing', ownerOnly } = e.callers ?? {}
  const need = isLimited ? NEEDS.get(labelOf(e)) : ownerOnly ? 'owner' : capability
  if (need === undefined) return false
  return need === 'nothing' || (need === 'owner' ? what === 'owner' : may(need))
}

const codeOf = (error: unknown): string => {
  if (isRefusal(error, 'forbidden')) return 'forbidden'
  throw error
}

const FORBIDDEN = { status: 403, code: 'svc_forbidden' }

/**
 * What rules the whole account, each with what would do it for the owner (A4). `token`: a custom token that there is.
 */
export const accountWide = (key: string, token: string, url: string): Refused[] => {
  const calls: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['POST', '/v1/wallets', { asset: 'eth', address: freshAddress() }],
    ['PUT', '/v1/wallets?asset=eth', { active: false }],
    ['DELETE', '/v1/wallets?asset=eth'],
    ['GET', '/v1/wallets'],
    ['POST', '/v1/webhook', { url }],
    ['POST', '/v1/webhook', { rotate_secret: true }],
    ['DELETE', '/v1/webhook'],
    ['POST', '/v1/agent', { webhook_url: url }],
    ['GET', '/v1/webhook/deliveries'],
    ['GET', '/v1/request-log'],
    ['GET', '/v1/integrations'],
    ['PUT', '/v1/integrations', { integrations: {} }],
    ['PUT', '/v1/settings', { payment: { accept_underpayments: 50 } }],
    ['PUT', '/v1/settings', { confirmations: { coins: { eth: 1 } } }],
    ['POST', '/v1/sandbox-keys', {}],
    ['POST', '/v1/sandbox-keys?key_id=3&rotate=key', {}],
    ['DELETE', '/v1/sandbox-keys?key_id=3'],
    ['DELETE', `/v1/custom-tokens?code=${token}`],
    ['POST', '/v1/billing', { action: 'buy-lander-pack' }],
    ['POST', '/v1/top-up', { amount: 5 }],
    ['POST', '/v1/exact-relay', { enabled: 0 }],
    ['POST', '/v1/stores', {}],
    ['PUT', '/v1/site', { chrome: {} }],
    ['PUT', '/v1/discount-codes', []],
    ['DELETE', '/v1/custom-fields?index=0'],
    ['POST', '/v1/payout-info', { payout_asset: 'EUR', details: 'to me', store_id: 2 }],
    ['GET', '/v1/audit/export?format=csv'],
    ['GET', '/v1/audit/export/head?format=csv'],
  ]
  return [
    ...calls.map(([method, path, body]) => ({ what: `${method} ${path}`, method, path, body, key, ...FORBIDDEN })),
    asking('save-settings', { settings: '{"payment":{"accept_underpayments":50}}' }, { key, ...FORBIDDEN }),
    asking('get-custom-tokens', {}, { key, ...FORBIDDEN }),
  ]
}

/** The same calls as the owner, so that nothing but the key was wrong with them. */
export const allPass = async (t: ExecutionContext, app: TestApp, calls: readonly Refused[], key: string) => {
  for (const { what, method = 'POST', path, ...options } of calls) {
    const answer = await app.call(method, path, { ...options, key })
    t.is(answer.status, 200, `${what} as the owner: ${answer.text}`)
  }
}
