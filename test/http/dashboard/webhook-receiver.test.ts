import { createHmac, timingSafeEqual } from 'node:crypto'
import test from 'ava'
import { SIGNATURE_CHECK } from '../../../adapters/http/pages/dashboard/payments/webhook-receiver.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { DEEP } from '../../support/depth.ts'
import type { Person } from '../../support/people.ts'
import {
  assertReplayEqual,
  postFor,
  saidOf,
  sell,
  shop,
  transactionOf,
  transactionsOf,
  webhookLog,
} from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'

/** The receiver that Daybook has for test sales, at the dashboard and by key; and webhooks as they were sent. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const STEPS = '/dashboard/first-steps'
const RECEIVER = '/dashboard/webhook-receiver'
const API = '/v1/webhook/receiver'

/** A test sale that is begun and paid by buttons. @returns its challenge */
const testSale = async (who: Person): Promise<string> => {
  const { location } = await who.send(STEPS, { act: 'test-sale' })
  const challenge = new URLSearchParams(location.split('?')[1]).get('challenge') ?? ''
  await who.send('/dashboard/test-sale', { act: 'pay-exactly', challenge }, location)
  return challenge
}

const received = (key: string, count = 1) =>
  eventually('what the built-in receiver got', async () => {
    const { json } = await ok(app.call('GET', API, { key }))
    const { webhooks } = json as { webhooks: Record<string, never>[] }
    return webhooks.length >= count && webhooks.every(({ received_at }) => received_at !== null) && webhooks
  })

const isTicked = (text: string) => /id="step-webhook">\s*<h2>[^<]*<span class="chip good">/.test(text)

test('N-86 a seller takes the built-in receiver, which shows body, headers and a right signature of a test sale', async (t) => {
  const { who, key } = await signedInMember(app)
  t.is((await who.send(STEPS, { act: 'webhook-receiver', receiver: 'built-in' })).location, STEPS)
  t.true(isTicked((await who.open(STEPS)).text))
  const challenge = await testSale(who)
  const [webhook] = await received(key)
  t.like(webhook, { signature_verified: true, http_status: 200, request_body_is: 'same' })
  const { signature, request_headers, request_body } = webhook as unknown as Record<string, string>
  t.regex(signature ?? '', /^t=\d+,v1=[0-9a-f]{64}$/)
  const headers = request_headers as unknown as Record<string, string>
  const body = JSON.parse(request_body ?? '')
  t.is(body.test, true)
  t.true(body.transaction.external_reference.endsWith(challenge))
  t.deepEqual(headers, {
    'Content-Type': 'application/json',
    'User-Agent': 'Daybook-Webhook/1',
    'X-Webhook-Event-Id': body.event_id,
    'X-Webhook-Signature': signature,
  })
  const page = (await who.open(RECEIVER)).text
  t.regex(page, /class="chip good">Signature right/)
  t.true(page.includes(signature ?? ''))
  t.true(page.includes(String(body.event_id)))
  const [row] = await webhookLog(app, key, body.transaction.id)
  t.like(row, { state: 'accepted', http_status: 200, url: 'daybook:built-in-receiver' })
  if (DEEP) await assertReplayEqual(t, app)
})

test('N-86 a live payment is never told to the built-in receiver, and a test is told at a URL where there is one', async (t) => {
  const s = await shop(app, { webhook: false })
  await ok(app.call('POST', API, { key: s.key, body: { receiver: 'built-in' } }))
  const { offer } = await sell(app, s)
  const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
  const skipped = await eventually('the decision', async () => (await saidOf(app, 'DeliverySkipped', id))[0])
  t.is(skipped?.transactionId, id)
  t.deepEqual((await ok(app.call('GET', API, { key: s.key }))).json.webhooks, [])

  const { who, key } = await signedInMember(app)
  await ok(app.call('POST', API, { key, body: { receiver: 'built-in' } }))
  await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
  const challenge = await testSale(who)
  await postFor(app, challenge)
  t.deepEqual((await ok(app.call('GET', API, { key }))).json.webhooks, [])
})

test('N-86 X-TEN-01 what the built-in receiver got is its own account’s alone', async (t) => {
  const [ours, theirs] = [await signedInMember(app), await signedInMember(app)]
  for (const { key } of [ours, theirs]) await ok(app.call('POST', API, { key, body: { receiver: 'built-in' } }))
  const challenge = await testSale(theirs.who)
  await received(theirs.key)
  t.deepEqual((await ok(app.call('GET', API, { key: ours.key }))).json.webhooks, [])
  t.false((await ours.who.open(RECEIVER)).text.includes(challenge))
})

deepTest('N-86 going without a webhook is a choice that ticks its step, and that may be changed', async (t) => {
  const { who, key } = await signedInMember(app)
  t.false(isTicked((await who.open(STEPS)).text))
  await who.send(STEPS, { act: 'webhook-receiver', receiver: 'none' })
  t.true(isTicked((await who.open(STEPS)).text))
  await testSale(who)
  t.is((await ok(app.call('GET', API, { key }))).json.receiver, 'none')
  const [{ id = '' } = {}] = await eventually('a test sale', async () => {
    const rows = await transactionsOf(app, key, '?is_test=1&status=C')
    return rows.length > 0 && rows
  })
  await eventually('the decision', async () => (await saidOf(app, 'DeliverySkipped', id))[0])
  const saved = await who.send(STEPS, { act: 'webhook', url: app.receiver.url })
  t.regex(saved.text, /whsec_\w+/)
  t.true(isTicked((await who.open(STEPS)).text))
  const wrong = await app.call('POST', API, { key, body: { receiver: 'https://127.0.0.1/' } })
  t.is(wrong.status, 400)
  t.regex(wrong.json.message, /^receiver: /)
})

test('N-86 J-WHK-07 a sandbox key sees what came, and chooses nothing', async (t) => {
  const { key } = await activeSeller(app)
  const made = await ok(app.call('POST', '/v1/sandbox-keys', { key, body: { kind: 'secret', label: 'trying' } }))
  const sandbox = made.json.key ?? made.json.api_key
  t.is((await app.call('POST', API, { key: sandbox, body: { receiver: 'built-in' } })).status, 403)
  t.is((await app.call('GET', API, { key: sandbox })).status, 200)
})

test('W-SIG-02 the five lines that the page shows take a delivery, and refuse another body, secret or time', async (t) => {
  const s = await shop(app)
  const { offer } = await sell(app, s)
  const { body, headers } = await postFor(app, offer.challengeId)
  const lines = new Function(
    'request',
    'response',
    'rawBody',
    'secret',
    'createHmac',
    'timingSafeEqual',
    'Date',
    `${SIGNATURE_CHECK}; return true`,
  )
  const checked = (raw = body, secret = s.secret, nowMs = Date.now(), sent: object = headers) => {
    const response = { writeHead: () => ({ end: () => false }) }
    return lines({ headers: sent }, response, raw, secret, createHmac, timingSafeEqual, { now: () => nowMs })
  }
  t.true(checked())
  t.false(checked(`${body} `))
  t.false(checked(body, 'whsec_other'))
  t.false(checked(body, s.secret, Date.now() + 400_000))
  t.false(checked(body, s.secret, Date.now(), {}))
})

deepTest(
  'N-86 W-LOG-01 a payment shows each webhook with its body, which is what the receiver got to the byte',
  async (t) => {
    const { who, key } = await signedInMember(app)
    await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
    const challenge = await testSale(who)
    const post = await postFor(app, challenge)
    const { id = '' } = await transactionOf(app, key, challenge, 'C')
    await webhookLog(app, key, id)
    const asked = `/v1/transactions?transaction_id=${id}&webhook_log=1`
    const { json } = await ok(app.call('GET', `${asked}&bodies=1`, { key }))
    t.is(json.webhook_log[0].request_body, post.body)
    t.is(json.webhook_log[0].request_body_is, 'same')
    t.regex(json.webhook_log[0].request_headers['X-Webhook-Signature'], /^t=\d+,v1=\(not kept\)$/)
    t.false('request_body' in (await ok(app.call('GET', asked, { key }))).json.webhook_log[0])
    const { text } = await who.open(`/dashboard/payments/${id}`)
    t.true(text.includes(JSON.parse(post.body).event_id))
    t.regex(text, /These are the very bytes that were sent/)
  },
)
