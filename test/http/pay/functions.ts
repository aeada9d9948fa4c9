import { z } from 'zod'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { surfaces } from '../../../src/runtime/openapi.ts'
import type { TestApp } from '../../support/app.ts'
import { consoleOk, type Fields } from '../../support/console.ts'
import { sell, shop, transactionsOf } from '../../support/sale.ts'
import { sandboxKey } from '../../support/sandbox.ts'
import { ok } from '../../support/seller.ts'
import { FORM } from './garbage.ts'

/** The functions of document 3 (3:62-78, 3:110), as it lists them, and how each is called so that it succeeds. */
export const FUNCTIONS = [
  'create-transaction',
  'invoice',
  'payment-link',
  'get-transaction',
  'get-transactions',
  'download-transactions',
  'check-transaction',
  'check-transactions',
  'update-transaction',
  'delete-transaction',
  'save-checkout',
  'get-checkouts',
  'delete-checkout',
  'get-fiat-value',
  'get-exchange-rates',
  'get-usd-rates',
  'vat',
  'vat-validation',
  'get-cryptocurrency-codes',
  'get-custom-tokens',
  'get-settings',
  'save-settings',
  'get-balances',
  'encryption',
  'settings-get-address',
  'get-cloud-token',
  'refund',
  'test-connection',
  'resend-webhook',
] as const

/** What the other two APIs answer (N-61). */
export const PAYMENT_API = ['check-transaction', 'create-transaction', 'get-transaction']
export const CLOUD_API = ['get-cloud-token', 'test-connection']

export type Declared = Endpoint & { readonly name: string }

/** The operations of the console that a form picks, on all of its pages. */
export const declared: readonly Declared[] = (surfaces().find(({ name }) => name === 'pay')?.endpoints ?? []).flatMap(
  // What is ours beyond document 3 is tried where it belongs.
  (e) =>
    typeof e.when?.function === 'string' && e.when.function !== 'match-transfer'
      ? [{ ...e, name: e.when.function }]
      : [],
)
export const keyed = declared.filter(({ auth }) => auth === 'key')
export const shops = declared.filter(({ auth }) => auth === 'cloud')

/** `name` on `path`, and what else picks it. */
export const called = ({ name, path, when = {} }: Declared): string =>
  [path, name, ...Object.keys(when).filter((each) => each !== 'function')].join(' ')

/** A call of a function with no field but its name. */
export const form = (path: string, name: string) => ({ path, headers: FORM, body: `function=${name}` })

/** A key of the same id with another secret. */
export const wrong = (key: string): string => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

/** The names of the fields that an operation reads, but for those that pick it. */
export const namesOf = ({ body, auth }: Declared): string[] => {
  const { properties = {} } = z.toJSONSchema(body ?? z.object({}), { io: 'input', unrepresentable: 'any' })
  return [...Object.keys(properties), ...(auth === 'cloud' ? ['cloud'] : [])]
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** A seller with one of everything that a function can be called with. */
export const openScene = async (app: TestApp) => {
  const s = await shop(app)
  const { key } = s
  await ok(app.call('PUT', '/v1/settings', { key, body: { payment: { refunds: true } } }))
  const { offer } = await sell(app, s)
  const [settled] = await transactionsOf(app, key)
  const body = { role: 'custom', permissions: ['game.use'] }
  const subKey: string = (await ok(app.call('POST', '/v1/subagents', { key, body }))).json.api_key
  const sandbox = {
    secret: await sandboxKey(app, key, 'secret'),
    publishable: await sandboxKey(app, key, 'publishable'),
  }
  const { cloud_token: cloud }: { cloud_token: string } = await consoleOk(app, key, 'get-cloud-token')
  return { ...s, offer, settled: settled?.id ?? '', subKey, sandbox, cloud }
}

/** The fewest fields with which an operation succeeds. What it may use up is made for it. */
export const fieldsOf = async (app: TestApp, s: Scene, e: Declared): Promise<Fields> => {
  const fields = { ...goodFields(e, s) }
  if (fields.transaction_id !== undefined && !COMPLETED_ONLY.has(e.name))
    fields.transaction_id = (await consoleOk(app, s.key, 'create-transaction', ASKED)).transaction_id
  if (fields.checkout_id !== undefined)
    fields.checkout_id = String((await consoleOk(app, s.key, 'save-checkout', SAVED)).checkout.id)
  return fields
}

/** The functions of a payment that has come. */
const COMPLETED_ONLY = new Set(['refund', 'resend-webhook'])

/** The same with what there is already, for calls that are refused. */
export const goodFields = (
  { name, path, when = {} }: Declared,
  { settled, cloud }: Pick<Scene, 'settled' | 'cloud'>,
): Record<string, string> => {
  const one = { transaction_id: settled }
  const table: Record<string, Record<string, string>> = {
    'create-transaction': ASKED,
    'save-checkout': SAVED,
    'delete-checkout': { checkout_id: '1' },
    invoice: one,
    'payment-link': one,
    encryption: one,
    refund: one,
    'resend-webhook': one,
    'get-transaction': one,
    'check-transaction': one,
    'delete-transaction': one,
    'update-transaction': { ...one, values: '{"title":"Two pounds"}' },
    'get-fiat-value': { amount: '1', cryptocurrency_code: 'eth', currency_code: 'USD' },
    vat: { amount: '100' },
    'vat-validation': { vat_number: 'DE136695976' },
    'save-settings': { settings: '{"currency":"USD"}' },
    'settings-get-address': { cryptocurrency_code: 'eth' },
    'test-connection': { cloud },
  }
  const buyer = path === '/payment/ajax.php' ? { amount: '1', currency_code: 'USD', cloud } : undefined
  return { ...(buyer ?? table[name]), ...(when.checkout_id !== undefined && { checkout_id: '1' }) }
}

const ASKED = { amount: '0.5', cryptocurrency_code: 'eth' }
const SAVED = { checkout: '{"title":"Tea","price":4.5}' }
