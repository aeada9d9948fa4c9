/**
 * What the back-channel endpoints of apps get: receipts and logout notifications, signed anew and sent again until they
 * are taken.
 */
import { createHmac } from 'node:crypto'
import test from 'ava'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { SIGNING_KEYS } from '../../../domain/signin/signing-keys.ts'
import { setBackchannel } from '../../../domain/use-cases/signin/change-app.ts'
import { type Post, startHook } from '../../../src/demo/hook.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { payIntent, standingOrder } from '../../support/balances.ts'
import { deepTest } from '../../support/deep-test.ts'
import { openOperator } from '../../support/operator.ts'

let app: TestApp
let op: Awaited<ReturnType<typeof openOperator>>
let aheadMs = 0

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + aheadMs) } })
  op = await openOperator(app)
})

test.after.always(async () => {
  await op?.stop()
  await app?.stop()
})

/** A user with 100 dollars and an app of theirs to pay at. */
const given = async (backchannelUrl: string | null = app.receiver.url) => {
  const [{ sub, email }, secrets] = await Promise.all([op.user(), op.app({ backchannelUrl })])
  const transfer = { transferId: `test:${sub}`, ledgerRef: `oidcgrant-${sub}`, kind: 'grant', clientId: null } as const
  await op.ledger.userBalance.receive(sub, {
    ...transfer,
    amount: '100000000',
    from: 'platform',
    description: null,
    source: 'test',
    position: '1',
  })
  return { sub, email, clientId: secrets.clientId, secret: secrets.webhookSecret ?? '' }
}

const field = ({ body }: Post, name: string): string => new URLSearchParams(body).get(name) ?? ''

/** Posts to an app, by the `client_id` in their payload. */
const receiptsOf = (clientId: string): Post[] =>
  app.receiver.posts.filter((post) => field(post, 'payload').includes(`"client_id":"${clientId}"`))

const receipt = (clientId: string, count = 1): Promise<Post> =>
  eventually(`receipt ${count} of ${clientId}`, () => receiptsOf(clientId)[count - 1])

/** The time in a signature that is right; undefined when it is wrong. */
const signedAt = (post: Post, secret: string): number | undefined => {
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(post.headers['x-webhook-signature'] ?? '') ?? []
  const expected = createHmac('sha256', secret)
    .update(`${t}.${field(post, 'payload')}`)
    .digest('hex')
  return v1 === expected ? Number(t) : undefined
}

const EVENT_ID = /^[0-9a-f]{32}$/

test.serial('A-RCP-01 A-RCP-02 A-RCP-04 a payment is told by one signed form field that holds JSON', async (t) => {
  const { sub, clientId, secret } = await given()
  const { intentId, ledgerRef } = await payIntent(op.flow, { sub, clientId, amount: 12_500_000n })
  const post = await receipt(clientId)
  t.regex(post.headers['content-type'] ?? '', /^application\/x-www-form-urlencoded\b/)
  t.deepEqual([...new URLSearchParams(post.body).keys()], ['payload'])
  const payload = JSON.parse(field(post, 'payload'))
  t.deepEqual(payload, {
    event: 'svc.balance.debit',
    event_id: payload.event_id,
    intent_id: intentId,
    client_id: clientId,
    amount: 12.5,
    currency: 'USD',
    ledger_ref: ledgerRef,
  })
  t.regex(payload.event_id, EVENT_ID)
  t.true(Math.abs((signedAt(post, secret) ?? 0) - Date.now() / 1000) < 10)
})

deepTest.serial(
  'A-RCP-02 A-MAN-08 a debit of a standing order is told with its mandate and no intent, mailed once and shown once',
  async (t) => {
    const { sub, clientId, email } = await given()
    const { mandateId, debit } = await standingOrder(op.flow, { sub, clientId })
    const { ledgerRef } = await debit(5_000_000n, 'week-1')
    const payload = JSON.parse(field(await receipt(clientId), 'payload'))
    t.deepEqual(payload, {
      event: 'svc.balance.debit',
      event_id: payload.event_id,
      intent_id: null,
      client_id: clientId,
      amount: 5,
      currency: 'USD',
      ledger_ref: ledgerRef,
      source: 'standing-order',
      mandate_id: mandateId,
    })
    t.true((await debit(5_000_000n, 'week-1')).duplicate)
    type Mailed = { to: string; subject: string; text: string }
    const letters = async (): Promise<Mailed[]> =>
      (await app.call('GET', '/dev/inbox.json')).json.filter(({ to }: Mailed) => to === email)
    const isDebit = ({ subject }: Mailed) => /has taken/.test(subject)
    const mailed = await eventually('the letter', async () => (await letters()).find(isDebit))
    t.is(mailed.subject, 'Shop has taken 5.00 USD')
    for (const fact of [
      'Tea of the week',
      '45.00 USD more',
      ledgerRef,
      `${app.served().origin}/account/standing-orders`,
    ])
      t.true(mailed.text.includes(fact), fact)
    t.is((await letters()).filter(isDebit).length, 1)
    const history = () => op.sql`
    select amount from daybook.balance_entries where account = ${`user:${sub}`} and mandate_id = ${mandateId}`
    const rows = await eventually('the row of the history', async () => (await history()).length > 0 && history())
    t.deepEqual([...rows], [{ amount: '-5000000' }])
  },
)

test.serial('A-RCP-03 a settled top-up is told once', async (t) => {
  const { sub, clientId } = await given()
  const topUpId = `tu_${clientId.slice(4)}`
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const ways = { redirectUri: 'https://app.test/cb', appState: 's', expiresAt }
  await op.ledger.topUp.start(topUpId, { clientId, amount: '20000000', ...ways })
  await op.ledger.topUp.accept(topUpId, { sub, requestId: 'pr_1', expiresAt })
  const settle = () =>
    op.ledger.topUp.settle(topUpId, {
      transferId: `topup:${topUpId}:c`,
      ledgerRef: `oidctop-${clientId.slice(4, 24)}`,
      kind: 'top-up',
      total: '20000000',
      legs: [{ to: `user:${sub}`, amount: '20000000' }],
      clientId,
      request: 'r',
      description: null,
      sub,
      topUpId,
      challengeId: 'c',
      short: false,
      source: 'test',
      position: '7',
    })
  await settle()
  await settle()
  const payload = JSON.parse(field(await receipt(clientId), 'payload'))
  t.deepEqual(payload, {
    event: 'svc.balance.topup',
    event_id: payload.event_id,
    topup_id: topUpId,
    client_id: clientId,
    amount: 20,
    currency: 'USD',
    ledger_ref: `oidctop-${clientId.slice(4, 24)}`,
    state: 'completed',
    completed_at: payload.completed_at,
  })
  t.false(Number.isNaN(Date.parse(payload.completed_at)))
  t.is(receiptsOf(clientId).length, 1)
})

test.serial('A-RCP-04 A-CLI-05 nothing is sent without an endpoint, nor signed without a secret', async (t) => {
  const [silent, unsigned] = await Promise.all([given(null), given()])
  await op.ledger.clientApp.setSigningSecret(unsigned.clientId, { secret: null })
  await payIntent(op.flow, { ...silent, amount: 1_000_000n })
  await setBackchannel(op.flow, silent.clientId, app.receiver.url)
  await payIntent(op.flow, { ...unsigned, amount: 1_000_000n })
  t.is((await receipt(unsigned.clientId)).headers['x-webhook-signature'], undefined)
  t.deepEqual(receiptsOf(silent.clientId), [])
  await payIntent(op.flow, { ...silent, amount: 2_000_000n })
  t.is(JSON.parse(field(await receipt(silent.clientId), 'payload')).amount, 2)
})

test.serial(
  'A-RCP-05 A-RCP-06 I-RCP-01 a receipt that is not taken is sent again, signed anew, as the same one',
  async (t) => {
    const { sub, clientId, secret } = await given()
    app.receiver.answer.status = 500
    await payIntent(op.flow, { sub, clientId, amount: 3_000_000n })
    const first = await receipt(clientId)
    const { event_id: eventId } = JSON.parse(field(first, 'payload'))
    await eventually('the failure is written down', async () => (await notification(eventId)).attempts === 1)
    app.receiver.answer.status = 200
    aheadMs += 6_000
    const second = await receipt(clientId, 2)
    await eventually('the success is written down', async () => (await notification(eventId)).status === 'accepted')
    t.is(field(second, 'payload'), field(first, 'payload'))
    t.true((signedAt(second, secret) ?? 0) >= (signedAt(first, secret) ?? Infinity) + 5)
    aheadMs += 86_400_000
    t.is(receiptsOf(clientId).length, 2)
    t.like(await notification(eventId), { status: 'accepted', attempts: 2 })
  },
)

deepTest.serial(
  'A-RCP-06 an endpoint that is gone is asked no more, and a new one gets what is replayed',
  async (t) => {
    const { sub, clientId, secret } = await given()
    app.receiver.answer.status = 410
    await payIntent(op.flow, { sub, clientId, amount: 3_000_000n })
    const { event_id: eventId } = JSON.parse(field(await receipt(clientId), 'payload'))
    await eventually('it is given up', async () => (await notification(eventId)).status === 'given-up')
    app.receiver.answer.status = 200
    const moved = await startHook()
    t.teardown(() => moved.stop())
    await op.ledger.clientApp.setBackchannel(clientId, { url: moved.url })
    await op.ledger.notification.replay(eventId, {})
    // Not on the list of private targets that may be called: the guard stands in front of every attempt.
    await eventually('it is refused', async () => (await notification(eventId)).attempts === 2)
    t.deepEqual(moved.posts, [])
    t.like(await notification(eventId), { status: 'pending', step: 1 })
    await op.ledger.clientApp.setBackchannel(clientId, { url: app.receiver.url })
    aheadMs += 6_000
    t.truthy(signedAt(await receipt(clientId, 2), secret))
  },
)

deepTest.serial('A-RCP-06 a logout is told by a token of two minutes, made anew for each attempt', async (t) => {
  const { sub, clientId } = await given()
  app.receiver.answer.status = 500
  const logouts = () => app.receiver.posts.filter((post) => field(post, 'logout_token') !== '')
  const eventId = 'a'.repeat(32)
  await op.ledger.notification.schedule(eventId, {
    clientId,
    url: app.receiver.url,
    kind: 'logout',
    sub,
    sid: 'ses_1',
  })
  await eventually('the first attempt', async () => (await notification(eventId)).attempts === 1)
  app.receiver.answer.status = 200
  aheadMs += 6_000
  await eventually('the second attempt', async () => (await notification(eventId)).status === 'accepted')
  const { keys } = await op.ledger.signingKeys.read(SIGNING_KEYS)
  const key = await importJWK({ ...keys[0]?.publicJwk, alg: 'RS256' }, 'RS256')
  const tokens = await Promise.all(
    logouts().map(async (post) => {
      t.deepEqual([...new URLSearchParams(post.body).keys()], ['logout_token'])
      t.is(post.headers['x-webhook-signature'], undefined)
      const token = field(post, 'logout_token')
      t.like(decodeProtectedHeader(token), { alg: 'RS256', typ: 'logout+jwt', kid: keys[0]?.kid })
      const now = new Date(Date.now() + aheadMs)
      const { payload } = await jwtVerify(token, key, { audience: clientId, currentDate: now })
      return payload
    }),
  )
  const [first, second] = tokens
  t.like(first, { iss: app.served().origin, sub, sid: 'ses_1' })
  t.deepEqual(first?.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
  t.is((first?.exp ?? 0) - (first?.iat ?? 0), 120)
  t.true((second?.iat ?? 0) >= (first?.iat ?? Infinity) + 5)
  t.not(second?.jti, first?.jti)
  t.false('nonce' in (first ?? {}))
})

const notification = async (eventId: string) =>
  (await op.ledger.notification.read(eventId)) as { status: string; attempts: number; step: number }
