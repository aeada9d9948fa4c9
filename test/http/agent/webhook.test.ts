import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { connect } from '../../../adapters/postgres/connect.ts'
import { RECORD_KEYS } from '../../../domain/selling/transactions/transaction-record.ts'
import type { Post } from '../../../src/demo/hook.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  freshAddress,
  postFor,
  postsFor,
  saidOf,
  sell,
  shop,
  transactionOf,
  verify,
  webhookLog,
} from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'

/** The settlement webhook: where it goes, what is in it, how it is signed and what is kept of the answer. */

const FRESH_S = 300
/** Long enough for a second attempt that ought not to be there. */
const QUIET_MS = 1_500

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('W-DEL-01 W-DEL-02 W-DEL-03 W-DEL-04 W-SIG-01 X-SIGN-01 J-AUTH-09 M-REC-01 one signed delivery with the full record', async (t) => {
  const s = await shop(app)
  const { offer, hash } = await sell(app, s)
  const post = await postFor(app, offer.challengeId)
  const body = JSON.parse(post.body)
  t.deepEqual(Object.keys(body).sort(), ['event_id', 'test', 'transaction'])
  t.is(body.test, false)
  for (const key of RECORD_KEYS) t.is(typeof body.transaction[key], 'string', key)
  t.like(body.transaction, {
    status: 'C',
    hash,
    amount: offer.amount,
    amount_fiat: '100',
    currency: 'USD',
    cryptocurrency: 'eth',
  })
  t.deepEqual(body.transaction, await transactionOf(app, s.key, offer.challengeId))
  t.is(post.headers['content-type'], 'application/json')
  t.is(post.headers['user-agent'], 'Daybook-Webhook/1')
  t.regex(body.event_id, /^[0-9a-f]{32}$/)
  t.is(post.headers['x-webhook-event-id'], body.event_id)
  assertSigned(t, post, s.secret)
  await ok(verify(app, offer.challengeId, hash))
  t.is(postsFor(app, s.resId).length, 1)
})

deepTest('W-DEL-04 two deliveries have two event ids', async (t) => {
  const s = await shop(app)
  const ids = []
  for (let n = 0; n < 2; n++)
    ids.push((await postFor(app, (await sell(app, s)).offer.challengeId)).headers['x-webhook-event-id'])
  t.is(new Set(ids).size, 2)
})

test.serial(
  'W-LOG-01 W-LOG-02 J-TXN-04 L-MER-03 an answer of 2,000 characters is logged with its status and its first 1,000',
  async (t) => {
    const answer = 'é'.repeat(1_500) + 'x'.repeat(500)
    const { log } = await answered(t, { status: 202, body: answer })
    t.is(log.length, 1)
    t.like(log[0], { state: 'accepted', http_status: 202, response_body: answer.slice(0, 1_000), test: false })
    t.is(String(log[0]?.response_body).length, 1_000)
  },
)

deepTest.serial(
  'W-RTY-01 W-LOG-01 an answer of 500 is logged and not tried again, not even after a restart',
  async (t) => {
    const { log, posts, s, id } = await answered(t, { status: 500, body: 'no' })
    t.like(log[0], { state: 'failed', http_status: 500, response_body: 'no' })
    const letters = (await app.call('GET', '/dev/inbox.json')).json
    t.true(letters.length > 0)
    await app.restart()
    t.deepEqual((await app.call('GET', '/dev/inbox.json')).json, letters, 'nor are letters lost by it')
    await pause(QUIET_MS)
    t.is(posts().length, 1)
    t.is((await webhookLog(app, s.key, id)).length, 1)
  },
)

deepTest('Q-01 J-RES-14 the own URL of a resource comes first, then the agent slot, then the account', async (t) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address } }))
  const at = (slot: string) => `${app.receiver.url}?to=${slot}-${address}`
  const { secret } = (await ok(app.call('POST', '/v1/webhook', { key, body: { url: at('account') } }))).json
  const priced = async (body: object) =>
    (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 1, ...body } }))).json.res_id
  const [plain, own] = [await priced({}), await priced({ webhook_url: at('own') })]
  t.is(await wentTo(key, plain), at('account'))
  await ok(app.call('POST', '/v1/agent', { key, body: { webhook_url: at('agent') } }))
  t.is(await wentTo(key, plain), at('agent'))
  t.is(await wentTo(key, own), at('own'))
  for (const { body, headers, at: when } of postsFor(app, plain)) assertSigned(t, { body, headers, at: when }, secret)
  for (const post of postsFor(app, own)) assertSigned(t, post, secret)
  const scheduled = await saidOf(app, 'DeliveryScheduled', address)
  t.deepEqual(
    scheduled.map(({ slot }) => slot),
    ['account', 'agent', 'transaction'],
  )
})

deepTest('Q-02 Q-20 the agent URL set first shows the secret, and that one signs', async (t) => {
  const { key, resId } = await shop(app, { webhook: false })
  const { secret } = (await ok(app.call('POST', '/v1/agent', { key, body: { webhook_url: app.receiver.url } }))).json
  const first = await sell(app, { key, resId })
  assertSigned(t, await postFor(app, first.offer.challengeId), secret)
  t.deepEqual((await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))).json, {
    url: app.receiver.url,
  })
  const { offer } = await sell(app, { key, resId })
  assertSigned(t, await postFor(app, offer.challengeId), secret)
})

deepTest(
  'J-WHK-08 Q-52 W-DEL-03 a cleared secret signs nothing: the agent webhook is told without a signature, and signed again after a rotation',
  async (t) => {
    const { key, resId } = await shop(app, { webhook: false })
    const at = (slot: string) => `${app.receiver.url}?to=${slot}-${resId}`
    await ok(app.call('POST', '/v1/agent', { key, body: { webhook_url: at('agent') } }))
    await ok(app.call('POST', '/v1/webhook', { key, body: { url: at('account') } }))
    await ok(app.call('DELETE', '/v1/webhook', { key }))
    const first = await postFor(app, (await sell(app, { key, resId })).offer.challengeId)
    t.is(first.headers['x-webhook-signature'], undefined)
    const { secret } = (await ok(app.call('POST', '/v1/webhook', { key, body: { rotate_secret: true } }))).json
    assertSigned(t, await postFor(app, (await sell(app, { key, resId })).offer.challengeId), secret)
  },
)

deepTest('J-ACC-12 W-URL-02 once both webhooks are removed nothing is sent', async (t) => {
  const { key, resId } = await shop(app, { webhook: false })
  await ok(app.call('POST', '/v1/agent', { key, body: { webhook_url: app.receiver.url } }))
  await ok(app.call('POST', '/v1/webhook', { key, body: { url: app.receiver.url } }))
  await ok(app.call('POST', '/v1/agent', { key, body: { webhook_url: null } }))
  await ok(app.call('DELETE', '/v1/webhook', { key }))
  const { offer } = await sell(app, { key, resId })
  const { id } = await transactionOf(app, key, offer.challengeId)
  const resend = await app.call('POST', `/v1/transactions?transaction_id=${id}&action=resend-webhook`, { key })
  t.like(resend, { status: 400, json: { error_code: 'svc_invalid_request' } })
  t.deepEqual([(await saidOf(app, 'DeliveryScheduled', resId)).length, postsFor(app, resId).length], [0, 0])
})

test('W-SIG-01 J-WHK-05 a rotated secret signs from then on, and the old one does not', async (t) => {
  const s = await shop(app)
  const { secret } = (await ok(app.call('POST', '/v1/webhook', { key: s.key, body: { rotate_secret: true } }))).json
  const { offer } = await sell(app, s)
  const post = await postFor(app, offer.challengeId)
  assertSigned(t, post, secret)
  t.not(signatureOf(post, s.secret), post.headers['x-webhook-signature'])
})

deepTest('Q-20 W-SIG-01 a resource whose own URL is the only one is told under a signature too', async (t) => {
  const { key } = await shop(app, { webhook: false })
  const body = { amount: 1, webhook_url: app.receiver.url }
  const { res_id: resId } = (await ok(app.call('POST', '/v1/resources', { key, body }))).json
  const { offer } = await sell(app, { key, resId })
  t.truthy((await postFor(app, offer.challengeId)).headers['x-webhook-signature'])
})

deepTest.serial(
  'Q-01 no URL means no delivery, and one set later is not called for the old sale, though every policy runs again',
  async (t) => {
    const s = await shop(app, { webhook: false })
    const { offer } = await sell(app, s)
    const { id } = await transactionOf(app, s.key, offer.challengeId)
    await ok(app.call('POST', '/v1/webhook', { key: s.key, body: { url: app.receiver.url } }))
    await ok(app.call('POST', '/v1/agent', { key: s.key, body: { webhook_url: app.receiver.url } }))
    const before = app.receiver.posts.length
    await app.restart(dropRun)
    await pause(QUIET_MS)
    t.is(postsFor(app, s.resId).length, 0)
    t.is(app.receiver.posts.length, before, 'nothing at all is delivered again')
    t.is((await saidOf(app, 'DeliverySkipped', id as string)).length, 1)
    const { json } = await ok(app.call('GET', `/v1/transactions?transaction_id=${id}&webhook_log=1`, { key: s.key }))
    t.deepEqual(json, { webhook_log: [] })
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const signatureOf = (post: Post, secret: string) => {
  const at = /^t=(\d+),/.exec(post.headers['x-webhook-signature'] ?? '')?.[1]
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${post.body}`).digest('hex')}`
}

const assertSigned = (t: ExecutionContext, post: Post, secret: string) => {
  const header = post.headers['x-webhook-signature'] ?? ''
  t.regex(header, /^t=\d{10},v1=[0-9a-f]{64}$/)
  t.is(header, signatureOf(post, secret))
  t.true(Math.abs(Number(header.slice(2, 12)) - post.at / 1_000) < FRESH_S)
}

/**
 * A receiver of its own is not on the list of hosts that may be called, so the shared one answers as told while the
 * test runs alone.
 */
const answered = async (t: ExecutionContext, answer: { status: number; body: string }) => {
  const s = await shop(app)
  Object.assign(app.receiver.answer, answer)
  t.teardown(() => Object.assign(app.receiver.answer, { status: 200, body: 'thanks' }))
  const { offer } = await sell(app, s)
  const id = (await transactionOf(app, s.key, offer.challengeId)).id as string
  return { s, id, log: await webhookLog(app, s.key, id), posts: () => postsFor(app, offer.challengeId) }
}

/** Sells once; answers the URL that the delivery was scheduled to. */
const wentTo = async (key: string, resId: string): Promise<string> => {
  const { offer } = await sell(app, { key, resId })
  const { id, external_reference } = await transactionOf(app, key, offer.challengeId)
  if (!external_reference?.startsWith('res_')) throw new Error(`odd reference ${external_reference}`)
  const [row, ...rest] = await webhookLog(app, key, id as string)
  if (rest.length > 0) throw new Error('more than one delivery')
  return String(row?.url)
}

/** How far policies and effects have come is forgotten: at the next start they begin at the first event. */
const dropRun = async () => {
  const sql = connect(app.databaseUrl, { max: 1 })
  await sql`drop schema daybook_run cascade`
  await sql.end()
}
