/** The people and programs of a month over HTTP: a seller who is paid, given back and taxed, and a user with an app. */
import { eventually } from '../../src/demo/stage.ts'
import type { TestApp } from '../support/app.ts'
import { type Balances, type Clock, REDIRECT, STATE } from '../support/balance-calls.ts'
import { choose, look, payPage, postHash } from '../support/buyer.ts'
import { takesCards } from '../support/card/paying.ts'
import type { CardProcessor } from '../support/card/processor.ts'
import { buyerOf, cart } from '../support/commerce.ts'
import { consoleOk } from '../support/console.ts'
import type { GaslessChain } from '../support/gasless.ts'
import { freshAddress, payInFull, saidOf, transactionOf } from '../support/sale.ts'
import { activeSeller, type Offer, offerOf, ok } from '../support/seller.ts'

export type Scene = {
  readonly app: TestApp
  readonly chain: GaslessChain
  readonly processor: CardProcessor
  readonly balances: Balances
  readonly clock: Clock
  readonly seller: Seller
  readonly people: People
}

type Seller = Awaited<ReturnType<typeof openSeller>>
type People = Awaited<ReturnType<typeof openPeople>>

/** What a sale moved that only the chain or the offer says, in smallest units: its coins, and the gas of a relayer. */
export type Amounts = Readonly<Record<string, bigint>>

/** A user with a hundred dollars, and an app that may debit it. */
export const openPeople = async (balances: Balances) => {
  const [ada, shop] = [await balances.customer({ usd: 100 }), await balances.shop()]
  return { ada, shop, token: await balances.token(ada, shop) }
}

/** Four dollars and a half to the app, and two of them back. */
export const standingOrder = async ({ balances: b, people: { ada, shop, token } }: Scene): Promise<Amounts> => {
  const wish = { mode: 'adhoc', per_debit_cap: '5', lifetime_cap: '50', cooldown: 'none' }
  const ways = { description: 'Tea club', redirect_uri: REDIRECT, state: STATE }
  const { json } = await ok(b.ask('mandate', 'create', { ...wish, ...ways }, token))
  await b.confirm(ada, json.confirm_url)
  const debit = {
    ...shop.named,
    mandate_id: json.mandate_id,
    amount: '4.5',
    description: 'Tea of the week',
    idempotency_key: 'may',
  }
  await ok(b.ask('mandate', 'debit', debit, token))
  await b.arrived('the app', () => b.credit(shop), 4.5)
  await ok(b.ask('credit', 'push', { ...shop.push, amount: '2', description: 'Reward', ref: 'r' }, token))
  await b.arrived('Ada', async () => b.credit(shop), 2.5)
  return {}
}

/** Three dollars a week to the app: the first at the approval, the second when the clock comes to it. */
export const automaticOrder = async ({ balances: b, clock, people: { ada, shop, token } }: Scene): Promise<Amounts> => {
  const wish = { mode: 'scheduled', sched_amount: '3', sched_interval: 'weekly', auto: 'true', lifetime_cap: '150' }
  const ways = { description: 'Tea by itself', redirect_uri: REDIRECT, state: STATE, per_debit_cap: '3' }
  const before = await b.credit(shop)
  const { json } = await ok(b.ask('mandate', 'create', { ...wish, ...ways }, token))
  await b.confirm(ada, json.confirm_url)
  await b.arrived('the first week', () => b.credit(shop), before + 3)
  clock.shiftMs += WEEK_MS
  await b.arrived('the second week', () => b.credit(shop), before + 6)
  return {}
}

const WEEK_MS = 7 * 24 * 60 * 60_000

/** Ten dollars of credit for the seller, paid in Ether. */
export const sellersCredit = async ({ app, seller: { key } }: Scene): Promise<Amounts> => {
  const { json } = await ok(app.call('POST', '/v1/top-up', { key, body: { amount: 10 } }))
  const path = new URL(json.url).pathname
  const [offer] = (await app.call('GET', `${path}?agent=1`)).json.accepts
  await payInFull(app, offer)
  await app.anvil.mine(12)
  await eventually('the credit', async () => {
    const granted = await saidOf(app, 'CreditGranted', path.slice('/id/'.length))
    return granted.length > 0
  })
  return { credit: BigInt(offer.amountAtomic) }
}

/** Twenty dollars for the user's balance, paid in Ether. */
export const topUp = async ({ app, balances: b, people: { ada, shop } }: Scene): Promise<Amounts> => {
  const wish = { ...shop.named, amount: '20', redirect_uri: REDIRECT, state: STATE }
  const { topup_id, topup_url } = (await ok(b.ask('topup', 'start', wish))).json
  const taken = await ada.browser.send(`${new URL(topup_url).pathname}/confirm`)
  const page = await choose(app, new URL(taken.location, 'http://any').pathname, 'eth')
  const hash = await payPage(app, page)
  await app.anvil.mine(12)
  await postHash(app, page, hash)
  await eventually('the top-up', async () => {
    const { json } = await b.ask('topup', 'status', { ...shop.named, topup_id })
    return json.state === 'completed'
  })
  await look(app, page)
  const paid = await saidOf(app, 'ChallengeSettled', hash)
  return { topUp: BigInt(paid[0]?.transfer.amount ?? 0) }
}

/** A seller who counts in euros, is paid in Ether, dollars and by card, gives back, and is taxed in Germany. */
export const openSeller = async (app: TestApp, processor: CardProcessor) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  for (const asset of ['eth', 'usdc_base']) await ok(app.call('POST', '/v1/wallets', { key, body: { asset, address } }))
  await ok(app.call('PUT', '/v1/settings', { key, body: { currency: 'EUR', payment: { refunds: true } } }))
  const vat = { enabled: true, country: 'DE', inclusive: false }
  await consoleOk(app, key, 'save-settings', { settings: JSON.stringify({ vat }) })
  const { json } = await ok(app.call('POST', '/v1/resources', { key, body: { amount: 100, currency: 'USD' } }))
  const { cloud_token: cloud } = await consoleOk(app, key, 'get-cloud-token')
  return {
    key,
    address,
    resId: json.res_id as string,
    cloud: cloud as string,
    rail: await takesCards(app, processor, key),
  }
}

/** A sale of the resource that is complete, of what was asked and so much more. */
export const sale = async (scene: Scene, more = 0n) => {
  const { app, seller } = scene
  const offer = await offerOf(app, seller.key, seller.resId)
  const paid = BigInt(offer.amountAtomic) + more
  await pay(scene, offer, paid)
  const { id = '' } = await transactionOf(app, seller.key, offer.challengeId, 'C')
  return { id, paid }
}

/** The key says what an amount pays that nobody was asked for. */
export const pay = async ({ app, seller: { key } }: Scene, offer: Offer, wei: bigint) => {
  const hash = await payInFull(app, offer, wei)
  return ok(app.call('POST', '/v1/verify', { key, body: { challengeId: offer.challengeId, hash } }))
}

export const refund = ({ app, seller: { key } }: Scene, id: string, body: object) =>
  app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key, body })

/** A buyer's cart of so many of a new product, for somebody in a country. */
export const filledCart = async (
  { app, seller }: Pick<Scene, 'app' | 'seller'>,
  { price, currency }: { readonly price: number; readonly currency: string },
  country: string,
  quantity = 1,
) => {
  const body = { title: 'Widget', price, currency }
  const { slug } = (await ok(app.call('POST', '/v1/checkouts', { key: seller.key, body }))).json.checkout
  const buyer = buyerOf(app, seller)
  const { id } = await buyer.create({ ...cart([slug, quantity]), currency, context: { address_country: country } })
  return { id, buyer }
}

/** The gas of a signed payment once it is billed, in millionths of a dollar. */
export const gasOf = async ({ app }: Pick<Scene, 'app'>, payer: string): Promise<bigint> => {
  const challengeId = await eventually('the settlement', async () => {
    const settled = await saidOf(app, 'ChallengeSettled', payer)
    return settled[0]?.challengeId
  })
  await eventually('the bill', async () => (await saidOf(app, 'CreditDebited', challengeId)).length > 1)
  const spent = await saidOf(app, 'AuthorizationGasSpent', challengeId)
  return BigInt(spent[0]?.gasUsd ?? 0)
}
