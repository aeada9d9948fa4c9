import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { BROWSER } from '../../support/buyer.ts'
import { deepTest } from '../../support/deep-test.ts'
import { saidOf, shop } from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'
import { base64, signedBy, v2Payload } from '../../x402/payments.ts'

/** Who shares a set of challenges, and how many one network of callers may hold (N-21, Q-22). */

const HELD_MAX = 3

let app: TestApp
let plain: TestApp
test.before(async () => {
  app = await startApp({ env: { TRUST_PROXY: '1', UNPAID_PER_NETWORK: String(HELD_MAX) } })
  plain = await startApp({ env: { UNPAID_PER_NETWORK: String(HELD_MAX) } })
})
test.after.always(() => Promise.all([app?.stop(), plain?.stop()]))

type Headers = Readonly<Record<string, string>>

const door = (resId: string, ip: string, headers: Headers = {}, at = app) =>
  at.call('GET', `/r/${resId}`, { headers: { 'x-forwarded-for': ip, ...headers } })

const setOf = async (resId: string, ip: string, headers: Headers = {}, at = app): Promise<string> => {
  const { status, json } = await door(resId, ip, headers, at)
  if (status !== 402) throw new Error(`the door answered ${status}`)
  return json.accepts[0].challengeId
}

test.serial(
  'N-21 Q-22 callers of one network hold so many unpaid challenges; others, the seller and who has one already are served',
  async (t) => {
    const s = await shop(app)
    const ip = '203.0.113.7'
    const agents = Array.from({ length: HELD_MAX }, (_, n) => ({ 'user-agent': `robot ${n}` }))
    const sets = await Promise.all(agents.map((agent) => setOf(s.resId, ip, agent)))
    t.is(new Set(sets).size, HELD_MAX)
    for (const path of [`/r/${s.resId}`, `/r/${s.resId}?again`]) {
      const { status, headers, json } = await app.call('GET', path, {
        headers: { 'x-forwarded-for': ip, 'user-agent': 'one more' },
      })
      t.deepEqual([status, json.error], [429, 'svc_rate_limited'])
      const wait = Number(headers.get('retry-after'))
      t.true(wait > 3_000 && wait <= 3_600, `${wait} s`)
    }
    t.is(await setOf(s.resId, ip, { 'user-agent': 'robot 0' }), sets[0] ?? '')
    t.false(sets.includes(await setOf(s.resId, '203.0.113.8')))
    t.truthy((await offerOf(app, s.key, s.resId)).challengeId)
    // A request that the seller made is the seller's own, whoever looks at it.
    const request = await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 5 } }))
    const { pathname } = new URL(request.json.url)
    t.is((await app.call('GET', pathname, { headers: { 'x-forwarded-for': ip } })).status, 402)
  },
)

test.serial('N-21 carts and saved links that strangers open are held against their network too', async (t) => {
  const s = await shop(app)
  const ip = '203.0.113.9'
  const link = { title: 'Tea', price: 5, currency: 'USD' }
  const { json } = await ok(app.call('POST', '/v1/checkouts', { key: s.key, body: link }))
  const bought = async () => {
    const { headers } = await app.call('POST', `/buy/${json.checkout.slug}`, {
      headers: { 'x-forwarded-for': ip },
      body: {},
    })
    const { pathname } = new URL(headers.get('location') ?? '', 'http://any')
    return app.call('GET', pathname, { headers: { 'x-forwarded-for': ip } })
  }
  const statuses: number[] = []
  for (let n = 0; n <= HELD_MAX; n++) statuses.push((await bought()).status)
  t.deepEqual(statuses, [402, 402, 402, 429])
})

deepTest.serial('N-21 an IPv6 caller has all of its 56 bits, and an IPv4 one its address alone', async (t) => {
  const s = await shop(app)
  const first = await setOf(s.resId, '2001:db8:0:4200::1')
  t.is(await setOf(s.resId, '2001:db8:0:42ff:ffff::9'), first)
  t.not(await setOf(s.resId, '2001:db8:0:4300::1'), first)
  t.not(await setOf(s.resId, '198.51.100.1'), await setOf(s.resId, '198.51.100.2'))
})

test.serial(
  'Q-22 N-21 who names itself has a set of its own; who names nothing shares that of its network and program',
  async (t) => {
    const s = await shop(app)
    const ip = '203.0.113.20'
    const shared = await setOf(s.resId, ip)
    t.is(await setOf(s.resId, ip), shared)
    const named = await setOf(s.resId, ip, { 'idempotency-key': 'order-1' })
    t.not(named, shared)
    t.is(await setOf(s.resId, ip, { 'idempotency-key': 'order-1' }), named)
    t.not(await setOf(s.resId, ip, { 'idempotency-key': 'order-2' }), named)
  },
)

deepTest.serial('Q-22 N-21 a payment-identifier of x402 names its caller too', async (t) => {
  const s = await shop(app)
  const ip = '203.0.113.21'
  const signed = await signedBy()
  const withId = (id: string) => {
    const payload = { ...v2Payload(signed), extensions: { 'payment-identifier': { info: { required: false, id } } } }
    return { 'payment-signature': base64(payload) }
  }
  const [one, two] = ['pay_0123456789abcdef', 'pay_fedcba9876543210'].map(withId)
  const first = await setOf(s.resId, ip, one)
  t.is(await setOf(s.resId, ip, one), first)
  t.not(await setOf(s.resId, ip, two), first)
  t.not(await setOf(s.resId, ip), first)
})

deepTest.serial(
  'Q-22 N-21 the page leaves a cookie, so that two browsers behind one address pay two challenges, and each meets its own again',
  async (t) => {
    const s = await shop(app)
    const visitor = async (cookie?: string) => {
      const headers = { 'x-forwarded-for': '203.0.113.22', accept: BROWSER, ...(cookie && { cookie }) }
      const page = await app.call('GET', `/r/${s.resId}`, { headers })
      const left = page.headers.get('set-cookie')
      const link = /href="(\?[^"]*asset=eth[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
      const name = cookie ?? left?.split(';')[0] ?? ''
      const chosen = await app.call('GET', `/r/${s.resId}${link}`, { headers: { ...headers, cookie: name } })
      return { left, name, challenge: chosen.headers.get('location') }
    }
    const [one, two] = [await visitor(), await visitor()]
    t.regex(one.left ?? '', /^buyer=v_[a-z2-7]{26}; Path=\/; HttpOnly; SameSite=Lax$/)
    t.regex(one.challenge ?? '', /challenge=ch_/)
    t.not(one.challenge, two.challenge)
    const back = await visitor(one.name)
    t.deepEqual([back.left, back.challenge], [null, one.challenge])
  },
)

deepTest.serial(
  'N-21 without a free amount a coin is left out of accepts, and when none is left the answer is 503 svc_busy until one comes free',
  async (t) => {
    const s = await shop(app)
    await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
    // A cent of Ether is 400 places, which have 120 amounts, and callers without a name get three quarters of them;
    // USDC has thousands.
    const body = { amount: 0.40005, accepted_assets: ['eth', 'usdc'] }
    const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body }))
    const ask = (n: number) => door(json.res_id, `198.51.100.${100 + n}`)
    const coins = async (n: number): Promise<readonly string[]> =>
      (await ask(n)).json.accepts.map(({ asset }: { asset: string }) => asset).sort()
    let served = 0
    while ((await coins(served)).length === 2) served++
    t.is(served, 90)
    t.deepEqual(await coins(served), ['usdc'])
    await ok(app.call('PUT', '/v1/wallets?asset=usdc', { key: s.key, body: { active: false } }))
    const { status, headers, json: refusal } = await ask(served + 1)
    t.deepEqual([status, refusal.error, refusal.success], [503, 'svc_busy', false])
    const wait = Number(headers.get('retry-after'))
    t.true(wait > 10_000 && wait <= 10_800, `${wait} s`)
    const page = await app.call('GET', `/r/${json.res_id}?asset=eth`, {
      headers: { 'x-forwarded-for': '198.51.100.99', accept: BROWSER },
    })
    t.is(page.status, 503)
    // A quarter of them is left to the seller.
    t.regex((await offerOf(app, s.key, json.res_id)).challengeId, /\.eth$/)
  },
)

test.serial(
  'N-21 without TRUST_PROXY nobody is believed who calls for another address, and the operator is told by name',
  async (t) => {
    const s = await shop(plain)
    t.like((await plain.call('GET', '/readyz')).json.checks.proxy, { trusted: 0, warning: null })
    const first = await setOf(s.resId, '203.0.113.7', {}, plain)
    t.is(await setOf(s.resId, '203.0.113.8', {}, plain), first)
    for (let n = 1; n < HELD_MAX; n++) await setOf(s.resId, '203.0.113.9', { 'user-agent': `robot ${n}` }, plain)
    t.is((await door(s.resId, '203.0.113.10', { 'user-agent': 'one more' }, plain)).status, 429)
    const { trusted, warning } = (await plain.call('GET', '/readyz')).json.checks.proxy
    t.is(trusted, 0)
    t.regex(warning, /TRUST_PROXY/)
    t.like((await app.call('GET', '/readyz')).json.checks.proxy, { trusted: 1, warning: null })
  },
)

test.serial('N-21 the log tells networks apart and names none', async (t) => {
  const s = await shop(app)
  const set = await setOf(s.resId, '203.0.113.44')
  const [reserved] = await saidOf(app, 'AmountReserved', set)
  t.regex(String(reserved?.network), /^[0-9a-f]{16}$/)
  t.false(JSON.stringify(await saidOf(app, 'AmountReserved', '')).includes('203.0.113'))
})
