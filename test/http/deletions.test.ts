import test from 'ava'
import type { Answer } from '../../src/demo/client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { activeSeller, freshAddress, ok } from '../support/seller.ts'
import { causedBy, strictly } from './strict.ts'
import { labelOf, allOperations as operations } from './tenants/declared.ts'

/** What is deleted is gone: whoever deletes it again is told that it is not there, wherever that is. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const NEVER = { res: `res_${'a'.repeat(26)}`, number: '4503599627370495' }

/** How each thing is made; answers its name. `never` is a name of the same form that nothing has. */
type Deletion = {
  readonly name: string
  readonly never: string
  make(key: string): Promise<string | number>
}

const DELETIONS: Readonly<Record<string, Deletion>> = {
  'delete /v1/stores': {
    name: 'store_id',
    never: '77',
    make: async (key) => (await made(key, '/v1/stores', {})).store.id,
  },
  'delete /v1/sandbox-keys': {
    name: 'key_id',
    never: '77',
    make: async (key) => (await made(key, '/v1/sandbox-keys', {})).id,
  },
  'delete /v1/subagents': {
    name: 'subagent_id',
    never: '77',
    make: async (key) => (await made(key, '/v1/subagents', { role: 'clerk' })).subagent.id,
  },
  'delete /v1/custom-tokens': { name: 'code', never: 'nope', make: (key) => token(key) },
  'delete /v1/resources': {
    name: 'res_id',
    never: NEVER.res,
    make: async (key) => (await made(key, '/v1/resources', { amount: 1 })).res_id,
  },
  'delete /v1/checkouts': { name: 'checkout_id', never: '77', make: (key) => checkout(key) },
  'post /api.php function=delete-checkout': { name: 'checkout_id', never: '77', make: (key) => checkout(key) },
  'delete /v1/landers': {
    name: 'lander_id',
    never: '77',
    make: async (key) => (await made(key, '/v1/landers', { checkout_id: await checkout(key) })).lander_id,
  },
  'delete /v1/discount-codes': {
    name: 'code',
    never: 'nope',
    make: async (key) => (await made(key, '/v1/discount-codes', { code: 'SPRING', multiplier: 0.8 })).added.code,
  },
  'delete /v1/custom-fields': {
    name: 'index',
    never: '77',
    make: async (key) => {
      await made(key, '/v1/custom-fields', { type: 'text', label: 'Size' })
      return 0
    },
  },
  'delete /v1/site resource=templates id': {
    name: 'id',
    never: '77',
    make: async (key) => {
      const body = { name: 'Spring', base_template: 'classic', base_theme: 'plain', chrome: {}, css: '' }
      return (await made(key, '/v1/site?resource=templates', body)).id
    },
  },
  'delete /v1/payment-requests': {
    name: 'id',
    never: `pr_${'a'.repeat(26)}`,
    make: async (key) => (await made(key, '/v1/payment-requests', { amount: 5 })).encrypted_id,
  },
  'post /api.php function=delete-transaction': {
    name: 'transaction_id',
    never: NEVER.number,
    make: async (key) => (await made(key, '/v1/payment-requests', { amount: 5 })).transaction_id,
  },
}

/** These name nothing that could be gone: each puts a setting back, and says how it is then (1:161, 168, 183). */
const CLEARED = ['delete /v1/webhook', 'delete /v1/card-processor', 'delete /v1/exact-relay']
/** The documents' own answer for a coin without a wallet: 400 as of the other calls about one (1:165). */
const WALLETS = 'delete /v1/wallets'

/** The JSON API deletes by its method, the console by its functions; each page of the console takes them all. */
const deletions = operations
  .filter(({ method, when }) => method === 'delete' || String(when?.function).startsWith('delete-'))
  .filter(({ path }) => !path.endsWith('.php') || path === '/api.php')
  .map((e) => labelOf(e).replace(' id=true', ' id'))

test('N-79 every deletion is known here', (t) => {
  t.deepEqual(deletions.toSorted(), [...Object.keys(DELETIONS), ...CLEARED, WALLETS].toSorted())
})

test('N-79 what is deleted already, or never was there, is not found, and deleting it again leaves no trace', async (t) => {
  const { key } = await activeSeller(app)
  await made(key, '/v1/wallets', { asset: 'eth', address: freshAddress() })
  for (const [label, deletion] of Object.entries(DELETIONS)) {
    const id = String(await deletion.make(key))
    const first = await deleted(label, deletion.name, key, id)
    t.is(first.status, 200, `${label}: ${first.text}`)
    for (const [what, named] of [
      ['again', id],
      ['never', deletion.never],
    ] as const) {
      const { status, json, text, requestId } = await deleted(label, deletion.name, key, named)
      t.deepEqual([status, json.error_code], [404, 'svc_not_found'], `${label} ${what}: ${text}`)
      t.deepEqual(await causedBy(app, requestId), [], `${label} ${what}`)
    }
  }
})

test('N-79 of several who delete the same at once, one has done it', async (t) => {
  const { key } = await activeSeller(app)
  await made(key, '/v1/wallets', { asset: 'eth', address: freshAddress() })
  for (const label of ['delete /v1/resources', 'delete /v1/sandbox-keys', 'delete /v1/subagents'] as const) {
    const { name, make } = DELETIONS[label] as Deletion
    const id = String(await make(key))
    const answers = await Promise.all([1, 2, 3].map(() => deleted(label, name, key, id)))
    t.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404], label)
  }
})

test('J-WAL-09 J-WHK-08 J-CARD-07 J-GAS-04 a setting that is cleared twice is clear, and a coin without a wallet is refused', async (t) => {
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  for (const label of CLEARED) {
    const path = label.split(' ')[1] as string
    await ok(call('DELETE', path, { key }))
    t.is((await call('DELETE', path, { key })).status, 200, label)
  }
  await made(key, '/v1/wallets', { asset: 'eth', address: freshAddress() })
  await ok(call('DELETE', '/v1/wallets?asset=eth', { key }))
  const again = await call('DELETE', '/v1/wallets?asset=eth', { key })
  t.deepEqual([again.status, again.json.error_code], [400, 'svc_invalid_request'])
})

let calls = 0
const deleted = async (
  label: string,
  name: string,
  key: string,
  id: string,
): Promise<Answer & { requestId: string }> => {
  const requestId = `deletion-${++calls}`
  const headers = { 'x-request-id': requestId }
  const [, path = '', ...picks] = label.split(' ')
  const [, consoleName] = /function=(\S+)/.exec(label) ?? []
  if (consoleName !== undefined) {
    const body = new URLSearchParams({ function: consoleName, [name]: id }).toString()
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    return { ...(await app.call('POST', path, { key, headers: form, body })), requestId }
  }
  const picked = picks.filter((pick) => pick.includes('=')).map((pick) => pick.split('=') as [string, string])
  const query = new URLSearchParams([...picked, [name, id]])
  return { ...(await app.call('DELETE', `${path}?${query}`, { key, headers })), requestId }
}

const made = async (key: string, path: string, body: object): Promise<Answer['json']> =>
  (await ok(app.call('POST', path, { key, body }))).json

const checkout = async (key: string): Promise<number> =>
  (await made(key, '/v1/checkouts', { title: 'Tea', price: 5 })).checkout.id

const token = async (key: string): Promise<string> => {
  const body = { type: 'erc-20', code: 'leaf', contract_address: freshAddress(), decimals: 6, name: 'Leaf', rate: '2' }
  return (await made(key, '/v1/custom-tokens', body)).code
}
