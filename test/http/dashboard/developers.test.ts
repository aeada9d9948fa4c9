import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { enrolledMember, memberSignIn, PASSWORD, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { person } from '../../support/people.ts'
import { postFor, sell, shop } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { refused, strictly } from '../strict.ts'

/** The screens of developers, without a browser. */

let app: TestApp
const clock = { shiftMs: 0 }
const HOME = '/dashboard/developers'
const MINUTE_MS = 60_000

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
})
test.after.always(() => app?.stop())

const german = { 'accept-language': 'de' }
const statusOf = async (key: string, path = '/v1/me') => (await app.call('GET', path, { key })).status
const keyIn = (text: string, form: RegExp): string => form.exec(text)?.[0] ?? ''

test.serial(
  'N-101 J-AUTH-05 the owner key is replaced with the password, shown once, and signs everybody out',
  async (t) => {
    const { who, key, email } = await signedInMember(app)
    const first = await who.open(HOME)
    t.true(first.text.includes(`sk_live_…${key.slice(-4)}`))
    t.regex((await who.open(HOME, german)).text, /Ein anderer Inhaberschlüssel/)
    const wrong = await who.send(HOME, { act: 'rotate', password: 'not it', old_key: 'none' })
    t.is(wrong.status, 422)
    t.regex(wrong.text, /class="error">.*password/i)
    t.is(await statusOf(key), 200)
    const made = await who.send(HOME, { act: 'rotate', password: PASSWORD, old_key: 'none' })
    const fresh = keyIn(made.text, /sk_live_[0-9a-f]{16}_[0-9a-f]{64}/)
    t.deepEqual([await statusOf(key), await statusOf(fresh)], [401, 200])
    t.regex((await who.open(HOME)).location, /^\/dashboard\/sign-in/)
    const again = person(app)
    await memberSignIn(again, { email })
    const later = (await again.open(HOME)).text
    t.true(later.includes(`sk_live_…${fresh.slice(-4)}`) && !later.includes(fresh))
  },
)

test.serial(
  'N-101 whoever has a second factor shows it anew before the owner key or another key is made',
  async (t) => {
    const { who, key, code } = await enrolledMember(app, clock)
    clock.shiftMs += 6 * MINUTE_MS
    const rotate = { act: 'rotate', password: PASSWORD, old_key: 'hour' }
    t.regex((await who.send(HOME, rotate)).location, /^\/dashboard\/confirm/)
    t.is(await statusOf(key), 200)
    await who.send('/dashboard/confirm', { code: code() })
    const made = await who.send(HOME, rotate)
    t.is(made.status, 200)
    t.is(await statusOf(key), 200, 'the one before is good for an hour')
    clock.shiftMs += 61 * MINUTE_MS
    t.is(await statusOf(key), 401)
  },
)

deepTest.serial(
  'N-101 N-100 the request log shows calls, narrowed by the filters in the address, in pages',
  async (t) => {
    const { who, key } = await signedInMember(app)
    const path = `${HOME}/requests`
    t.regex((await who.open(path)).text, /No request/)
    for (let n = 0; n < 52; n++) await app.call('GET', '/v1/me', { key })
    await app.call('GET', '/v1/wallets?asset=<b>', { key, headers: { 'x-request-id': 'find-me-77' } })
    const rows = (text: string) => [...text.matchAll(/<code class="long">(GET [^<]*)<\/code>/g)].map(([, call]) => call)
    const first = await who.open(path)
    t.deepEqual([rows(first.text).length, rows(first.text)[0]], [50, 'GET /v1/wallets'])
    const older = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    t.deepEqual(rows((await who.open(older)).text), ['GET /v1/me', 'GET /v1/me', 'GET /v1/me'])
    t.deepEqual(rows((await who.open(`${path}?request_id=find-me-77&method=GET&status=&from=`)).text), [
      'GET /v1/wallets',
    ])
    t.is(rows((await who.open(`${path}?path=/v1/w&status=4xx`)).text).length, 1)
    t.is(rows((await who.open(`${path}?from=2999-01-01`)).text).length, 0)
    const wrong = await who.open(`${path}?path=v1`)
    t.is(wrong.status, 422)
    t.regex(wrong.text, /id="filter-path-error"/)
    t.regex((await who.open(path, german)).text, /Aufrufe/)
  },
)

test.serial('N-101 N-99 keys are made with an end and networks, shown once, changed and ended', async (t) => {
  const { who, key } = await signedInMember(app)
  await ok(app.call('PUT', '/v1/settings', { key, body: { time_zone: 'Europe/Berlin' } }))
  const path = `${HOME}/keys`
  const limits = { ends_at: '2126-07-01T12:00', networks: '203.0.113.0/24, 127.0.0.1' }
  const sub = await who.send(path, { act: 'make-sub-key', name: 'Till', role: 'manager', stores: '1', ...limits })
  const subKey = keyIn(sub.text, /sa_[0-9a-f]{16}_[0-9a-f]{64}/)
  t.is(await statusOf(subKey, '/v1/resources'), 200)
  const [made] = (await ok(app.call('GET', '/v1/subagents', { key }))).json.subagents
  const kept = { ends_at: '2126-07-01T10:00:00.000Z', networks: ['127.0.0.1/32', '203.0.113.0/24'] }
  t.like(made, { role: 'manager', display_name: 'Till', store_scope: [1], ...kept })
  const again = (await who.open(path)).text
  t.true(again.includes('Till') && again.includes('value="2126-07-01T12:00"') && !again.includes(subKey))

  const wrong = await who.send(path, {
    act: 'change-sub-key',
    id: '1',
    ends_at: '2020-01-01T00:00',
    networks: 'office',
  })
  t.is(wrong.status, 422)
  t.regex(
    wrong.text,
    /<details class="dialog" open>.*id="row-sub-key-1-networks-error" class="error">.*Has to be a network/,
  )
  t.regex(wrong.text, /value="office"/)
  const past = await who.send(path, { act: 'change-sub-key', id: '1', ends_at: '2020-01-01T00:00', networks: '' })
  t.regex(past.text, /id="row-sub-key-1-ends_at-error" class="error">.*Has to be in the future/)
  await who.send(path, { act: 'change-sub-key', id: '1', ends_at: '', networks: '203.0.113.0/24' })
  t.is(await statusOf(subKey, '/v1/resources'), 403)
  await who.send(path, { act: 'change-sub-key', id: '1', ends_at: '', networks: '' })
  const rotated = keyIn((await who.send(path, { act: 'rotate-sub-key', id: '1' })).text, /sa_[0-9a-f]{16}_[0-9a-f]{64}/)
  t.deepEqual([await statusOf(subKey, '/v1/resources'), await statusOf(rotated, '/v1/resources')], [401, 200])
  await who.send(path, { act: 'remove-sub-key', id: '1' })
  t.is(await statusOf(rotated, '/v1/resources'), 401)

  const sandbox = await who.send(path, { act: 'make-sandbox', name: 'page', kind: 'publishable', ...limits })
  const sandboxKey = keyIn(sandbox.text, /pk_test_[0-9a-f]{16}_[0-9a-f]{64}/)
  t.is(await statusOf(sandboxKey, '/v1/resources'), 200)
  await who.send(path, { act: 'change-sandbox', id: '1', ends_at: '', networks: '203.0.113.0/24' })
  t.is(await statusOf(sandboxKey, '/v1/resources'), 403)
  await who.send(path, { act: 'remove-sandbox', id: '1' })
  t.is(await statusOf(sandboxKey, '/v1/resources'), 401)
  t.regex((await who.open(path, german)).text, /Unterschlüssel.*Widerrufen/s)
})

deepTest.serial('N-101 the webhook is set, tested, and chosen ones of what was sent are sent again', async (t) => {
  const s = await shop(app, { amount: 3 })
  const { key, email } = s
  const who = person(app)
  await memberSignIn(who, { email })
  const path = `${HOME}/webhooks`
  await ok(app.call('DELETE', '/v1/webhook', { key }))
  const wrong = await who.send(path, { act: 'url', url: 'http://10.0.0.1/' })
  t.is(wrong.status, 422)
  t.regex(wrong.text, /id="row-url-error"/)
  const { url } = app.receiver
  const set = await who.send(path, { act: 'url', url })
  const secret = keyIn(set.text, /whsec_[\w-]+|[0-9a-f]{64}/)
  t.true(secret.length > 30)
  const later = (await who.open(path)).text
  t.true(later.includes(url) && later.includes(secret.slice(-4)) && !later.includes(secret))
  t.regex((await who.send(path, { act: 'test' })).text, /The receiver answered 200/)
  const rotated = keyIn((await who.send(path, { act: 'secret' })).text, /whsec_[\w-]+|[0-9a-f]{64}/)
  t.true(rotated.length > 30 && rotated !== secret)

  const { offer } = await sell(app, s)
  await postFor(app, offer.challengeId)
  const list = async () => (await ok(app.call('GET', '/v1/webhook/deliveries', { key }))).json.deliveries
  const [sale] = (await list()).filter(({ transaction_id }: { transaction_id: string }) => transaction_id !== '')
  t.like(sale, { url, kind: 'first' })
  const page = (await who.open(path)).text
  t.true(page.includes(`name="e_${sale.event_id}"`))
  t.regex(page, /What was sent/)
  const sent = await who.send(path, { act: 'resend', [`e_${sale.event_id}`]: '1' }, path)
  t.regex(sent.text, /1 webhook is on its way again/)
  const resends = (await list()).filter(({ kind }: { kind: string }) => kind === 'resend')
  t.deepEqual(
    resends.map(({ transaction_id }: { transaction_id: string }) => transaction_id),
    [sale.transaction_id],
  )
  t.is((await who.send(path, { act: 'resend' })).status, 422)
  t.regex((await who.open(path, german)).text, /Gesendete Webhooks/)
})

test.serial(
  'N-101 X-TEN-01 many webhooks are sent again by one call, at most 20, and none of another account',
  async (t) => {
    const s = await shop(app, { amount: 3 })
    const stranger = await shop(app, { amount: 3 })
    const { offer } = await sell(app, s)
    await postFor(app, offer.challengeId)
    const path = '/v1/webhook/deliveries'
    const strict = strictly(t, app)
    const { json } = await strict('GET', `${path}?limit=1`, { key: s.key })
    const id = json.deliveries[0].event_id
    const again = await strict('POST', path, { key: s.key, body: { event_ids: [id, id] } })
    t.is(again.json.resent.length, 1, 'a payment is told once more, however often it is named')
    t.is(again.json.resent[0].refused, null)
    const many = Array.from({ length: 21 }, (_, n) => `x${n}`)
    const invalid = { status: 400, code: 'svc_invalid_request' }
    await refused(t, app, [
      { what: 'a stranger’s', path, key: stranger.key, body: { event_ids: [id] }, status: 404, code: 'svc_not_found' },
      { what: 'too many', path, key: s.key, body: { event_ids: many }, ...invalid },
      { what: 'none', path, key: s.key, body: { event_ids: [] }, ...invalid },
    ])
    t.deepEqual((await ok(app.call('GET', path, { key: stranger.key }))).json.deliveries, [])
  },
)
