import test from 'ava'
import { eventually } from '../../src/demo/stage.ts'
import { startWire, type Wire } from '../faults/proxy.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Balances, type Customer, openBalances, REDIRECT, type Shop, STATE } from '../support/balance-calls.ts'
import { HANG_MS } from '../support/depth.ts'
import { ok, signUp } from '../support/seller.ts'

/** What decides is away, or does not know: then nothing is let through, and nothing comes of it later. */

const clock = { shiftMs: 0 }
const wires = new Map<string, Wire>()
let app: TestApp
let b: Balances
let ada: Customer
let shop: Shop
let token: string
test.before(async () => {
  const via = async (what: string, port: number) => {
    const wire = await startWire({ port })
    wires.set(what, wire)
    return wire.port
  }
  app = await startApp({ via, world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  b = await openBalances(app, clock)
  ;[ada, shop] = [await b.customer(), await b.shop({ usd: 5 })]
  token = await b.token(ada, shop)
})
test.after.always(async () => {
  for (const wire of wires.values()) wire.restore()
  await b?.stop()
  await app?.stop()
  for (const wire of wires.values()) await wire.stop()
})

test.serial(
  'X-CLOSED-01 a revoked key is 401 with the next call, and no key at all is let in while nobody can tell',
  async (t) => {
    const { key } = await signUp(app)
    const made = async () => (await ok(app.call('POST', '/v1/sandbox-keys', { key, body: { kind: 'secret' } }))).json
    const [kept, revoked] = [(await made()).api_key, (await made()).api_key]
    const status = async (who: string) => (await app.call('GET', '/v1/resources', { key: who })).status
    t.deepEqual([await status(kept), await status(revoked)], [200, 200])
    await ok(app.call('DELETE', '/v1/sandbox-keys?key_id=2', { key }))
    t.is(await status(revoked), 401)
    await without('database', async () => {
      for (const who of [kept, revoked, key]) t.not(await status(who), 200)
    })
    await eventually('the key that was kept', async () => (await status(kept)) === 200)
    t.is(await status(revoked), 401)
  },
)

test.serial(
  'X-CLOSED-01 A-CRP-02 A-MAN-06 what passes a credit or a cap, or what nobody can decide on, moves nothing',
  async (t) => {
    const poor = await b.shop()
    const pushed = (from: Shop, by: string, amount: string, ref: string) =>
      b.ask('credit', 'push', { ...from.push, amount, description: 'Thanks', ref }, by)
    const wish = { mode: 'adhoc', per_debit_cap: '5', lifetime_cap: '8', cooldown: 'none', description: 'Tea club' }
    const { json } = await ok(b.ask('mandate', 'create', { ...wish, redirect_uri: REDIRECT, state: STATE }, token))
    t.is((await b.confirm(ada, json.confirm_url)).status, 303)
    const debited = (mandate_id: string, amount: string) =>
      b.ask('mandate', 'debit', { ...shop.named, mandate_id, amount, description: 'Tea', idempotency_key: amount })
    const tooMuch = async () => {
      const answers = [
        await pushed(poor, await b.token(ada, poor), '0.01', 'nothing there'),
        await pushed(shop, token, '5.01', 'more than there is'),
        await debited('so_aaaaaaaaaaaaaaaaaaaaaaaaaa', '1'),
        await debited(json.mandate_id, '5.01'),
      ]
      const codes = [
        'app-credit-insufficient',
        'app-credit-insufficient',
        'mandate_not_found',
        'per_debit_cap_exceeded',
      ]
      t.deepEqual(
        answers.map((answer) => answer.json.error),
        codes,
      )
    }
    await tooMuch()
    await without('store', async () => {
      const undecided = await Promise.all([pushed(shop, token, '1', 'undecided'), debited(json.mandate_id, '4')])
      for (const { status, headers } of undecided) t.deepEqual([status, headers.has('retry-after')], [503, true])
    })
    await eventually('the log', async () => (await app.call('GET', '/readyz')).status === 200)
    await tooMuch()
    t.is(await b.read(token), 100)
  },
)

test.serial(
  'X-CLOSED-01 X-ERR-01 while the database and the log hang, every surface says 503 in its own words and lets nobody in',
  async (t) => {
    t.timeout(HANG_MS)
    const { key } = await signUp(app)
    const held = [...wires.values()]
    for (const wire of held) wire.hold('up', 'down')
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const asked = await Promise.all([
      ada.browser.open('/account'),
      app.call('GET', '/v1/me', { key }),
      app.call('GET', '/v1/me', { key: key.replace(/.{4}$/, '0000') }),
      app.call('POST', '/api.php', { body: 'function=get-settings', headers: { ...form, 'x-api-key': key } }),
      b.ask('credit', 'push', { ...shop.push, amount: '1', description: 'Thanks', ref: 'held' }, token),
      app.call('GET', '/oauth2?op=balance', { headers: { authorization: `Bearer ${token}` } }),
    ]).finally(() => {
      for (const wire of held) wire.restore()
    })
    const [page, ...answers] = asked
    const codes = answers.map(({ status, json }) => [status, json.error_code ?? json.error])
    const [seller, people] = ['svc_unavailable', 'temporarily_unavailable'].map((code) => [503, code])
    t.deepEqual(codes, [seller, seller, seller, people, people])
    t.is(page.status, 503)
    // Ready alone says that this process can serve: while its rows are behind the log, a key made just now is unknown.
    await eventually('the service', async () => (await app.call('GET', '/readyz')).json.status === 'ok')
    t.is((await app.call('GET', '/v1/wallets', { key })).status, 200)
  },
)

const without = async (what: string, act: () => Promise<unknown>) => {
  wires.get(what)?.refuse()
  try {
    await act()
  } finally {
    wires.get(what)?.restore()
  }
}
