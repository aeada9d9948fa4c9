import { strict as assert } from 'node:assert'
import { soldInACart } from './cart-sale.ts'
import { createReceiver } from './reference-receiver.ts'
import { soldBySignature } from './signed-sale.ts'
import { deliveryOf, eventually, type Show, type Stage, WAIT_MS } from './stage.ts'

/**
 * One live sale from sign-up to replay, through the front door only. Every claim it makes is checked; the first that
 * fails throws.
 */

const PRICE_USD = 100

export const playSale = async (stage: Stage, show: Show): Promise<void> => {
  const key = await signUp(stage, show)
  const { resId, secret } = await setUp(stage, key, show)
  const offer = await ask(stage, resId, show)
  await pay(stage, offer, show)
  await settledEverywhere(stage, key, resId, offer, show)
  const transactionId = await delivered(stage, key, resId, secret, show)
  await exported(stage, key, transactionId, show)
  await soldBySignature(stage, key, show)
  const shopping = await soldInACart(stage, key, show)
  await replayed(stage, key, { resId, transactionId, shopping }, show)
}

type Offer = { challengeId: string; payTo: string; amount: string; amountAtomic: string; requiredConfirmations: number }

const signUp = async ({ client }: Stage, show: Show): Promise<string> => {
  const email = `seller-${Date.now()}@example.test`
  const signedUp = await client.json('POST', '/v1/signup', { body: { email, password: 'correct horse battery' } })
  assert.equal(signedUp.activated, false)
  const key = signedUp.api_key as string
  assert.equal((await client.call('GET', '/v1/me', { key })).status, 402)
  const link = await eventually(
    'the letter',
    async () => {
      const letters = await client.json('GET', '/dev/inbox.json')
      return (letters as { to: string; links: string[] }[]).find(({ to }) => to === email)?.links[0]
    },
    WAIT_MS,
  )
  assert.equal((await client.follow(link)).status, 200)
  const me = await client.json('GET', '/v1/me', { key })
  assert.deepEqual([me.activated, me.credit_balance], [true, 5])
  show(1, 'Sign up, follow the mailed link', [
    `account ${email}`,
    'not activated: 402',
    'link followed: active, $5.00 of credit',
  ])
  return key
}

const setUp = async ({ client, payTo, webhook }: Stage, key: string, show: Show) => {
  await client.json('POST', '/v1/wallets', { key, body: { asset: 'eth', address: payTo } })
  const { secret } = await client.json('POST', '/v1/webhook', { key, body: { url: webhook.url } })
  assert.match(secret, /^whsec_[0-9a-f]{64}$/)
  await client.json('POST', '/v1/agent', { key, body: { webhook_url: webhook.url } })
  const resource = await client.json('POST', '/v1/resources', { key, body: { amount: PRICE_USD, currency: 'USD' } })
  show(2, 'Set a wallet and a webhook, price a resource', [
    `eth to ${payTo}`,
    `webhook ${webhook.url}`,
    `${resource.res_id} at $${PRICE_USD}`,
  ])
  return { resId: resource.res_id as string, secret: secret as string }
}

const ask = async ({ client, payTo }: Stage, resId: string, show: Show): Promise<Offer> => {
  const door = await client.call('GET', `/r/${resId}`)
  assert.equal(door.status, 402)
  const accepts = door.json.accepts as (Offer & { asset: string })[]
  const offer = accepts.find(({ asset }) => asset === 'eth')
  assert.ok(offer)
  assert.equal(offer.payTo, payTo)
  assert.ok(BigInt(offer.amountAtomic) > 0n)
  show(3, 'A machine asks for it: 402', [
    `send ${offer.amount} ETH to ${offer.payTo}`,
    `challenge ${offer.challengeId}`,
  ])
  return offer
}

const pay = async (stage: Stage, offer: Offer, show: Show) => {
  const { client } = stage
  const before = await stage.received()
  const hash = await stage.pay(offer.payTo, BigInt(offer.amountAtomic))
  const verify = () => client.json('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } })
  const early = await verify()
  assert.equal(early.settled === true || early.status === 'pending', true)
  await stage.confirm(offer.requiredConfirmations)
  await eventually('the settlement', async () => (await verify()).settled === true, WAIT_MS)
  assert.deepEqual(await verify(), { settled: true })
  assert.equal((await stage.received()) - before, BigInt(offer.amountAtomic))
  show(4, 'Pay on the chain, post the hash', [
    `transaction ${hash}`,
    `${offer.requiredConfirmations} confirmations: settled`,
    'posted again: the same answer',
  ])
}

const settledEverywhere = async ({ client }: Stage, key: string, resId: string, offer: Offer, show: Show) => {
  assert.equal((await client.call('GET', `/r/${resId}`)).status, 200)
  const me = await client.json('GET', '/v1/me', { key })
  assert.deepEqual([me.credit_balance, me.settlements_count, me.total_earned], [4.8, 1, PRICE_USD])
  show(5, 'Settled', [
    'the door answers 200',
    'fee 0.2 % = $0.20 from credit: $4.80 left',
    `seller got ${offer.amount} ETH, all of it`,
  ])
}

const delivered = async (stage: Stage, key: string, resId: string, secret: string, show: Show) => {
  const { client, webhook } = stage
  const [record] = (await client.json('GET', '/v1/transactions', { key })).transactions
  assert.ok(record.external_reference.startsWith(resId))
  const log = await deliveryOf(stage, key, record.id)
  assert.equal(webhook.posts.length, 1)
  const { headers, body } = webhook.posts[0] as { headers: Record<string, string>; body: string }
  const order = await new Promise((resolve) => {
    assert.equal(createReceiver(secret, resolve).receive(body, headers), 200)
  })
  assert.equal(order, record.external_reference)
  assert.deepEqual(JSON.parse(body), { transaction: record, event_id: headers['x-webhook-event-id'], test: false })
  show(6, 'One signed webhook', [
    `event ${headers['x-webhook-event-id']}`,
    'signature verifies over the raw body',
    `logged with status ${log.http_status}`,
  ])
  return record.id as string
}

const exported = async ({ client }: Stage, key: string, transactionId: string, show: Show) => {
  const { text, headers } = await client.call('GET', '/v1/transactions?download=1', { key })
  assert.match(headers.get('content-type') ?? '', /^text\/csv/)
  const [head, line, ...rest] = text.trimEnd().split('\n')
  assert.ok(head?.startsWith('id,amount,amount_fiat,cryptocurrency,currency,status,hash,'))
  assert.ok(line?.startsWith(`${transactionId},`))
  assert.equal(rest.length, 0)
  show(7, 'Export the books as CSV', [head ?? '', line ?? ''])
}

type DemoSale = { readonly resId: string; readonly transactionId: string; readonly shopping: readonly string[] }

const replayed = async (stage: Stage, key: string, { resId, transactionId, shopping }: DemoSale, show: Show) => {
  const answers = async () => {
    const paths = [
      `/r/${resId}`,
      '/v1/me',
      '/v1/resources',
      '/v1/wallets',
      '/v1/webhook',
      '/v1/transactions',
      `/v1/transactions?transaction_id=${transactionId}`,
      `/v1/transactions?transaction_id=${transactionId}&webhook_log=1`,
      '/v1/transactions?download=1',
      // Letters outlive a restart, and a replay sends none.
      '/dev/inbox.json',
      ...shopping,
    ]
    const all = await Promise.all(
      paths.map(async (path) => [path, await stage.client.call('GET', path, { key })] as const),
    )
    return all.map(([path, { status, text }]) => `${path} ${status} ${text}`)
  }
  const before = await answers()
  const posts = stage.webhook.posts.length
  await stage.replay()
  assert.deepEqual(await answers(), before)
  assert.equal(stage.webhook.posts.length, posts)
  show(10, 'Stop, drop every read model, replay', [
    `${before.length} answers, byte for byte the same`,
    'no mail, no webhook, no chain call',
  ])
}
