import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { type Offer, offerOf, ok, pay, seller } from '../../support/seller.ts'
import { type Refused, refused, strictly } from '../strict.ts'

// One after the other: all pay from one address of the chain.
let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test.serial(
  'X-TEN-01 J-RES-13 E-404-03 what belongs to another tenant is not found, whatever the method, and stays as it was',
  async (t) => {
    const call = strictly(t, app)
    const [owner, stranger] = [await seller(app), await seller(app)]
    const { transactionId, externalReference } = await sold(owner)
    const look = async () =>
      Promise.all(views(owner.resId, transactionId).map((path) => call('GET', path, { key: owner.key })))
    const before = (await look()).map(({ status, text }) => [status, text])
    t.deepEqual(new Set(before.map(([status]) => status)), new Set([200]))
    await refused(t, app, intrusions(owner.resId, transactionId, externalReference, stranger.key))
    t.deepEqual(
      (await look()).map(({ status, text }) => [status, text]),
      before,
    )
  },
)

test.serial('X-TEN-01 another tenant and nobody at all get the same answer', async (t) => {
  const [owner, stranger] = [await seller(app), await seller(app)]
  const { transactionId } = await sold(owner)
  const nobody = { resId: `res_${'a'.repeat(26)}`, transactionId: '4503599627370495' }
  const call = strictly(t, app)
  for (const [i, path] of views(owner.resId, transactionId).entries()) {
    const ofNobody = views(nobody.resId, nobody.transactionId)[i] as string
    if (!path.includes('?') || path.includes('download')) continue
    const [theirs, none] = [
      await call('GET', path, { key: stranger.key }),
      await call('GET', ofNobody, { key: stranger.key }),
    ]
    t.deepEqual([theirs.status, theirs.text], [none.status, none.text], path)
  }
})

test.serial('X-TEN-01 lists hold what is one’s own alone', async (t) => {
  const call = strictly(t, app)
  const [owner, stranger] = [await seller(app, { amount: 33 }), await seller(app, { amount: 44 })]
  const { transactionId } = await sold(owner)
  const resources = await call('GET', '/v1/resources', { key: stranger.key })
  t.deepEqual(
    resources.json.resources.map(({ res_id }: { res_id: string }) => res_id),
    [stranger.resId],
  )
  const { json } = await call('GET', '/v1/transactions', { key: stranger.key })
  t.deepEqual(json, { transactions: [], pagination: { total: 0, limit: 50, offset: 0 } })
  const csv = await call('GET', '/v1/transactions?download=1', { key: stranger.key })
  t.false(csv.text.includes(transactionId))
  t.is((await call('GET', '/v1/me', { key: stranger.key })).json.settlements_count, 0)
  t.is((await call('GET', '/v1/me', { key: owner.key })).json.settlements_count, 1)
})

/** Sells once and answers what the sale is called. */
const sold = async ({ key, resId }: { key: string; resId: string }) => {
  const offer: Offer = await offerOf(app, key, resId)
  const hash = await pay(app, offer)
  await ok(app.call('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } }))
  const { json } = await ok(app.call('GET', '/v1/transactions', { key }))
  const { id: transactionId, external_reference: externalReference } = json.transactions[0]
  await eventually('the delivery', async () => {
    const log = await app.call('GET', `/v1/transactions?transaction_id=${transactionId}&webhook_log=1`, { key })
    return log.json?.webhook_log?.[0]?.state === 'accepted'
  })
  return { transactionId, externalReference }
}

const views = (resId: string, transactionId: string): string[] => [
  '/v1/resources',
  '/v1/transactions',
  '/v1/transactions?download=1',
  `/v1/resources?res_id=${resId}`,
  `/v1/transactions?transaction_id=${transactionId}`,
  `/v1/transactions?transaction_id=${transactionId}&webhook_log=1`,
]

/** Every call that names a record by its id, with ids of another tenant. */
const intrusions = (resId: string, transactionId: string, reference: string, key: string): Refused[] => {
  const notFound = { key, status: 404, code: 'svc_not_found' }
  const cap = { max_per_caller: { amount: 1, window_hours: 1 } }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const resource = `/v1/resources?res_id=${resId}`
  const transaction = (id: string) => `/v1/transactions?transaction_id=${encodeURIComponent(id)}`
  const calls = [
    { what: 'read', method: 'GET', path: resource },
    { what: 'cap', method: 'PUT', path: resource, body: cap },
    { what: 'uncap', method: 'PUT', path: resource, body: { max_per_caller: null } },
    { what: 'disable', method: 'DELETE', path: resource },
    { what: 'challenge', path: '/v1/challenge', body: { res_id: resId } },
    { what: 'transaction', method: 'GET', path: transaction(transactionId) },
    { what: 'transaction by reference', method: 'GET', path: transaction(reference) },
    { what: 'webhook log', method: 'GET', path: `${transaction(transactionId)}&webhook_log=1` },
    {
      what: 'console',
      path: '/api.php',
      body: `function=get-transaction&transaction_id=${transactionId}`,
      headers: form,
    },
  ]
  return calls.map((each) => ({ ...each, ...notFound }))
}
