/** A seller with everything that can be made through the APIs, in words and amounts of its own. */

import type { TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { consoleOk } from '../../support/console.ts'
import { freshAddress, sell, shop, transactionsOf } from '../../support/sale.ts'
import { SIMULATE } from '../../support/sandbox.ts'
import { ok } from '../../support/seller.ts'
import { ownerOf } from '../../support/stores.ts'

/** Texts that name things, by the parameters that take them. */
export type Ids = Readonly<Record<string, readonly string[]>>

export type Tenant = Awaited<ReturnType<typeof openTenant>>

/** `tag` stands in all its words; `amount` is a price that nobody else asks for. */
export const openTenant = async (app: TestApp, tag: string, amount: number) => {
  const s = await shop(app, { amount })
  const { accountId } = await ownerOf(app, s)
  const call = async (method: string, path: string, body: object, key = s.key) =>
    (await ok(app.call(method, path, { key, body }))).json
  await byLog(app, ({ creditAccount }) =>
    creditAccount.grant(accountId, {
      amount: '900000000',
      reason: 'top-up',
      ref: tag,
      source: 'tester',
      position: '1',
    }),
  )
  await configure(call, app, tag)
  const stores = []
  for (const name of ['north', 'south', 'west'])
    stores.push(
      await call('POST', '/v1/stores', { label: `${tag} ${name}`, webhook_url: `${app.receiver.url}/${name}-${tag}` }),
    )
  const keys = await keysOf(call, tag)
  const sold = [await things(app, tag, s.key, s.resId, amount)]
  const { api_key: second } = stores[0]
  const { res_id } = await call('POST', '/v1/resources', { amount: plus(amount, 1.11), currency: 'USD' }, second)
  sold.push(await things(app, `${tag}-two`, second, res_id, plus(amount, 2.22)))
  const cloud = (await consoleOk(app, s.key, 'get-cloud-token')).cloud_token as string
  const played = await call('POST', '/v1/resources', { amount: plus(amount, 3.33), test: true })
  const { accepts } = await call('POST', '/v1/challenge', { res_id: played.res_id })
  await call('POST', SIMULATE, { challengeId: accepts[0].challengeId })
  const { events } = (await ok(app.call('GET', '/v1/audit/events?limit=3', { key: s.key }))).json
  const position = (events as { position: string }[]).map((event) => event.position)
  const payouts = [await notePayout(call, `${tag} bank`, 1), await notePayout(call, `${tag}-two bank`, 2)]
  const secrets = [s.key, s.secret, cloud, accountId, ...Object.values(keys), ...stores.flatMap(secretsOf)]
  return {
    ...s,
    accountId,
    keys,
    cloud,
    storeKey: second,
    storeCloud: stores[0].cloud_token as string,
    secrets,
    stores: [shared(tag, sold[0], payouts[0], position), shared(tag, sold[1], payouts[1], position)] as const,
  }
}

type Call = (method: string, path: string, body: object, key?: string) => Promise<Record<string, never>>
type Sold = Awaited<ReturnType<typeof things>>

const configure = async (call: Call, app: TestApp, tag: string) => {
  const url = `https://${tag}.example`
  await call('PUT', '/v1/settings', {
    branding: { brand_name: `${tag} brand`, logo_url: `${url}/logo.png`, color_1: `#${colourOf(tag)}` },
    payment: { refunds: true, redirect: `${url}/back` },
    web3_names: { ens: `${tag}.eth` },
    webhook: { url: `${app.receiver.url}/${tag}` },
  })
  await call('PUT', '/v1/integrations', { integrations: { [`${tag}-service`]: `${tag}-credential` } })
  const token = {
    type: 'erc-20',
    code: `${tag}coin`,
    contract_address: freshAddress(),
    decimals: 6,
    name: `${tag} coin`,
    rate: '2',
  }
  await call('POST', '/v1/custom-tokens', token)
  await call('POST', '/v1/discount-codes', { code: `${tag}coin`, multiplier: 0.75 })
  await call('POST', '/v1/custom-fields', { type: 'text', label: `${tag} question` })
  await call('POST', '/v1/billing', { action: 'buy-lander-pack' })
  await call('POST', '/v1/wallets', { asset: `${tag}coin`, address: freshAddress() })
}

/** Those that call, and of each kind one more that is there to be rotated and deleted. */
const keysOf = async (call: Call, tag: string) => {
  const agent = async (name: string, body: object): Promise<string> =>
    (await call('POST', '/v1/subagents', { role_name: `${tag} ${name}`, display_name: `${tag} ${name}`, ...body }))
      .api_key as never
  const sandbox = async (kind: string): Promise<string> =>
    (await call('POST', '/v1/sandbox-keys', { kind, label: `${tag} ${kind}` })).api_key as never
  return {
    admin: await agent('admin', { role: 'master-admin' }),
    first: await agent('first', { role: 'master-admin', store_scope: [1] }),
    second: await agent('second', { role: 'master-admin', store_scope: [2] }),
    spare: await agent('spare', { role: 'clerk' }),
    secret: await sandbox('secret'),
    publishable: await sandbox('publishable'),
    spareSecret: await sandbox('secret'),
  }
}

/** A sale that settled, and what is for sale, in the store of a key. */
const things = async (app: TestApp, tag: string, key: string, resId: string, amount: number) => {
  const { offer, hash } = await sell(app, { key, resId })
  const [settled] = await transactionsOf(app, key)
  const words = { title: `${tag} title`, note: `${tag} note`, redirect: `https://${tag}.example/thanks` }
  const asked = { amount: plus(amount, 0.01), ...words, external_reference: `${tag}-order-1` }
  const request = (await ok(app.call('POST', '/v1/payment-requests', { key, body: asked, headers: ONCE }))).json
  const fields = {
    amount: String(plus(amount, 0.02)),
    currency_code: 'USD',
    title: `${tag} invoice`,
    description: `${tag} words`,
  }
  const made = await consoleOk(app, key, 'create-transaction', { ...fields, external_reference: `${tag}-order-2` })
  const saved = { title: `${tag} tea`, description: `${tag} leaves`, price: plus(amount, 0.03) }
  const { checkout } = (await ok(app.call('POST', '/v1/checkouts', { key, body: saved }))).json
  const landed = await offeredAt(app, tag, key, checkout)
  const values = {
    title: `${tag} edited`,
    to_name: `${tag} name`,
    billing: `${tag} street`,
    customer_id: `${tag}-customer`,
  }
  await consoleOk(app, key, 'update-transaction', {
    transaction_id: made.transaction_id,
    values: JSON.stringify(values),
  })
  return {
    res_id: [resId],
    transaction_id: [settled?.id ?? '', request.transaction_id as string, made.transaction_id as string],
    checkout_id: [String(checkout.id), checkout.slug as string],
    ...landed,
    id: [request.encrypted_id as string, made.encrypted_id as string],
    challengeId: [offer.challengeId],
    hash: [hash],
    external_reference: [`${tag}-order-1`, `${tag}-order-2`],
  }
}

/** A lander for what is for sale, and what a visitor offers there. */
const offeredAt = async (app: TestApp, tag: string, key: string, { id, slug }: { id: number; slug: string }) => {
  const { lander_id } = (await ok(app.call('POST', '/v1/landers', { key, body: { checkout_id: id } }))).json
  const edit = { headline: `${tag} headline`, body: `<p>${tag} story</p>`, accepts_offers: true }
  await ok(app.call('PUT', `/v1/landers?lander_id=${lander_id}`, { key, body: edit }))
  const offer = { amount: 7, email: `visitor@${tag}.example`, message: `${tag} wish` }
  const { offer_id } = (await ok(app.call('POST', `/l/${slug}/offers`, { body: offer }))).json
  return { lander_id: [String(lander_id)], offer_id: [String(offer_id)] }
}

/** A payout in a store; answers its transaction. */
const notePayout = async (call: Call, details: string, store_id: number): Promise<string> =>
  (await call('POST', '/v1/payout-info', { payout_asset: 'EUR', details, store_id })).transaction_id as never

const ONCE = { 'idempotency-key': 'the same everywhere' }

/** With what belongs to no store. Numbers below 4 are those of callers, which have to go on. */
const shared = (tag: string, sold: Sold | undefined, payout = '', position: readonly string[]): Ids => {
  const { res_id = [], transaction_id: sales = [], ...rest } = sold ?? {}
  const transaction_id = [...sales, payout]
  return {
    ...rest,
    res_id,
    transaction_id,
    transaction: transaction_id,
    store_id: ['1', '4'],
    subagent_id: ['4'],
    key_id: ['3'],
    code: [`${tag}coin`],
    asset: [`${tag}coin`],
    cryptocurrency_code: [`${tag}coin`],
    position,
  }
}

const secretsOf = ({ api_key, cloud_token, webhook_secret }: Record<string, string>) =>
  [api_key, cloud_token, webhook_secret].flatMap((secret) => secret ?? [])

const colourOf = (tag: string): string => Buffer.from(tag).toString('hex').slice(0, 6)

const plus = (amount: number, more: number): number => Number((amount + more).toFixed(2))
