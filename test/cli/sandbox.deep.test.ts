/**
 * What somebody has who starts the service without any setting: chains of its own, on which a dollar is sold for a
 * signature too.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import { consoleOk } from '../support/console.ts'
import { freshAddress } from '../support/sale.ts'
import { activeSeller, ok } from '../support/seller.ts'
import { daybook, type Env, type Service, startService, tempDir } from './daybook.ts'

// The contexts of tests are copies, and a test that starts the service again must tell the next.
let env: Env & { DATA_DIR: string }
let service: Service
let key: string
const { call } = createClient(() => service.url)
const app = { call }
const seller = freshAddress()

test.before(async () => {
  env = { PORT: '0', METRICS_PORT: '0', DATA_DIR: join(await tempDir(), 'data'), LOG_LEVEL: 'silent' }
  service = await startService(env)
  key = (await activeSeller(app)).key
  await ok(call('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address: seller } }))
})

test.after.always(async () => {
  await service.stop()
  await rm(join(env.DATA_DIR, '..'), { recursive: true, force: true })
})

const priced = async (amount: number): Promise<string> => {
  const { json } = await ok(call('POST', '/v1/resources', { key, body: { amount } }))
  return `/r/${json.res_id}`
}

test.serial('both chains are named at the start', (t) => {
  for (const url of Object.values(service.ready.sandbox ?? {})) t.regex(url, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.deepEqual(Object.keys(service.ready.sandbox ?? {}), ['eth', 'base'])
})

test.serial(
  'J-GAS-01 I-FEE-04 a fresh service without settings sells for ten cents by a signature, and bills the gas',
  async (t) => {
    const path = await priced(0.1)
    const asked = await call('GET', path)
    t.is(asked.status, 402)
    t.like(asked.json.paymentRequirements[0], { network: 'base-sepolia', payTo: seller })
    const { code, stdout, stderr } = await daybook(env, 'sandbox', 'pay', '--sign', `${service.url}${path}`, '--json')
    t.is(code, 0, stderr)
    const { status, settlement, transaction } = JSON.parse(stdout)
    t.like(settlement, { success: true, network: 'base-sepolia', transaction })
    t.deepEqual([status, (await call('GET', path)).status], [200, 200])
    const settled = await eventually('the bill for gas', async () => {
      const { json } = await ok(call('GET', '/v1/settlements', { key }))
      return json.settlements[0]?.gas_fee > 0 && json.settlements[0]
    })
    t.like(settled, { hash: transaction, asset: 'usdc_base', fee: 0.0002 })
    t.true(settled.gas_fee < 0.1, `${settled.gas_fee}`)
    t.is((await ok(call('GET', '/readyz'))).json.checks.relayers.base.status, 'ok')
  },
)

test.serial('the dollar is sent as coins are', async (t) => {
  const entry = (await call('GET', await priced(3))).json.accepts[0]
  const args = ['--to', entry.address, '--amount', entry.amount, '--asset', 'usdc_base']
  const { code, stdout, stderr } = await daybook(env, 'sandbox', 'pay', ...args, '--json')
  t.is(code, 0, stderr)
  const { hash } = JSON.parse(stdout)
  const body = { challengeId: entry.challengeId, hash }
  await eventually('the settlement', async () => (await call('POST', '/v1/verify', { body })).json.settled, 20_000)
})

test.serial(
  'C-SES-06 C-SES-13 a buyer’s program completes a checkout session and pays it by a signature, and says why when it cannot',
  async (t) => {
    const { cloud_token: cloud } = await consoleOk(app, key, 'get-cloud-token')
    const body = { line_items: [{ item: { id: (await priced(2)).slice(3) }, quantity: 3 }] }
    const { json } = await ok(call('POST', `/checkout-sessions?cloud=${cloud}`, { body }))
    const url = `${service.url}/checkout-sessions/${json.id}?cloud=${cloud}`
    const paid = await daybook(env, 'sandbox', 'pay', '--session', url, '--json')
    t.is(paid.code, 0, paid.stderr)
    const { status, order } = JSON.parse(paid.stdout)
    t.deepEqual([status, order.id], ['completed', `ord_${json.id.slice(3)}`])
    t.is((await ok(call('GET', new URL(order.permalink_url).pathname))).json.line_items[0].status, 'fulfilled')
    const again = await daybook(env, 'sandbox', 'pay', '--session', url)
    t.deepEqual([again.code, again.stdout], [1, ''])
    t.regex(again.stderr, /answered 409: .*This checkout session is completed, and its order is placed/)
  },
)

test.serial('a page that asks for no signature is not paid', async (t) => {
  const { code, stdout, stderr } = await daybook(env, 'sandbox', 'pay', '--sign', `${service.url}/readyz`)
  t.deepEqual([code, stdout], [1, ''])
  t.regex(stderr, /answered 200 and asks for no signature/)
})

test.serial('what the chain holds is there after a restart, and it sells by a signature again', async (t) => {
  t.is((await service.stop()).code, 0)
  service = await startService(env)
  const path = await priced(1)
  const { code, stdout, stderr } = await daybook(env, 'sandbox', 'pay', '--sign', `${service.url}${path}`)
  t.is(code, 0, stderr)
  t.regex(stdout, /^status +200\nsettlement +\{.*\}\ntransaction +0x[0-9a-f]{64}\n$/)
})
