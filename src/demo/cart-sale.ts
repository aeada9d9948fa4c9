import { strict as assert } from 'node:assert'
import { awaitBill, creditOf } from './signed-sale.ts'
import { deliveryOf, type Show, type Stage } from './stage.ts'

/**
 * A third sale, to a program that fills a cart at the store of the seller and pays all of it at once, by the commerce
 * protocol.
 */

const PRICE_USD = 0.5
const COUNT = 2
const CODE = { code: 'SPRING', multiplier: 0.8 }
/** The total of the cart, in cents. */
const TOTAL = 80

/** Plays the sale, and answers the paths of it that anybody can ask for. */
export const soldInACart = async (stage: Stage, key: string, show: Show): Promise<readonly string[]> => {
  const { client } = stage
  const product = { title: 'Postcard', price: PRICE_USD, currency: 'USD' }
  const { checkout } = await client.json('POST', '/v1/checkouts', { key, body: product })
  await client.json('POST', '/v1/discount-codes', { key, body: CODE })
  const store = `cloud=${await cloudToken(stage, key)}`
  const before = await creditOf(stage, key)
  const { products } = await client.json('POST', `/catalog/search?${store}`, { body: { query: 'postcard' } })
  assert.deepEqual(
    products.map(({ id }: { id: string }) => id),
    [checkout.slug],
  )
  const body = { line_items: [{ item: { id: checkout.slug }, quantity: COUNT }], discounts: { codes: ['spring'] } }
  const session = await client.json('POST', `/checkout-sessions?${store}`, { body })
  const total = session.totals.find(({ type }: { type: string }) => type === 'total').amount
  assert.deepEqual([session.status, total], ['incomplete', TOTAL])
  const path = `/checkout-sessions/${session.id}?${store}`
  const { status, order } = await stage.buyCart(path)
  assert.equal(status, 'completed')
  const placed = await client.json('GET', `/orders/${order?.id}`)
  assert.equal(placed.checkout_id, session.id)
  const { transactions } = await client.json('GET', '/v1/transactions', { key })
  const record = transactions.find((each: { external_reference: string }) => each.external_reference === placed.id)
  assert.equal(record?.status, 'C')
  await awaitBill(stage, key, before, record.hash)
  await deliveryOf(stage, key, record.id)
  show(9, "Sell a cart to a buyer's program", [
    `found in the catalog: ${checkout.slug}`,
    `session ${session.id}: ${COUNT} of it and a code of 20 % off, ${TOTAL} cents, signed by the seller`,
    `completed with a signed payment: ${order?.id}`,
  ])
  return [path, `/orders/${placed.id}`]
}

const cloudToken = async ({ client }: Stage, key: string): Promise<string> => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { response } = await client.json('POST', '/api.php', { key, headers, body: 'function=get-cloud-token' })
  return response.cloud_token
}
