import test from 'ava'
import { paymentRequestEndpoints } from '../../adapters/http/agent/selling/payment-requests.ts'
import { mayUse } from '../../adapters/http/core/actor.ts'
import type { Actor, CloudCaller, Endpoint } from '../../adapters/http/core/endpoint.ts'
import { storeOf } from '../../adapters/http/core/stores.ts'
import { keyedBy } from '../../adapters/http/serving/idempotency.ts'
import type { TransferData } from '../../domain/selling/challenge-terms.ts'
import { onceOf } from '../../domain/use-cases/once.ts'
import { openChallenge } from '../../domain/use-cases/selling/challenges/open-challenge.ts'
import { openForRequest, openRequest } from '../../domain/use-cases/selling/challenges/open-request.ts'
import { saleElsewhere, saleOf } from '../../domain/use-cases/selling/challenges/sales.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { everything, newStore, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { codeOf, flow, sellerOn } from './flow-setup.ts'
import { ACCOUNT, created, PAY_TO, transferData } from './samples.ts'

/** Which of its seller's stores a sale belongs to, from what was priced to the transaction. */

const scoped = (...storeScope: number[]): Actor => ({
  accountId: ACCOUNT,
  kind: 'sub-key',
  keyId: '0123456789abcdef',
  testOnly: false,
  can: () => true,
  storeScope: storeScope.length > 0 ? storeScope : undefined,
})

test('J-AUTH-04 the payment of a resource, and of a request, belongs to the store that each was made for', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const own = flow(store, world)
  const ledger = await sellerOn(store)
  await ledger.resource.create('res_2', { ...created, storeId: 7, checkoutId: 'co_2' })
  const wish = { accountId: ACCOUNT, storeId: 7, amount: '3000000', currency: 'USD', asset: null, assetAmount: null }
  const text = { title: '', note: '', redirect: '', externalReference: '', expiry: '1h' as const }
  const once = onceOf(own, undefined)
  const { requestId } = await openRequest(own, once, { ...wish, ...text, webhookUrl: null, test: false })
  const sets = [
    await openChallenge(own, 'res_2', { anonymous: false }),
    await openForRequest(own, requestId, {}),
    await openChallenge(own, 'res_1', { anonymous: false }),
  ]
  for (const [n, { setId, entries }] of sets.entries())
    for (const index of ['a', 'b']) {
      const amount = entries[0]?.amount ?? ''
      const paid: TransferData = { ...transferData, tx: `0x${n}`, index, to: PAY_TO, amount }
      await settlePayment(own.ledger, `${setId}.eth`, paid)
    }
  await runPolicies(store, own.ledger, world)
  const events = await everything(store)
  for (const type of ['ChallengeOpened', 'ChallengeSettled', 'TransferSetAside', 'TransactionCompleted'])
    t.is(events.filter((event) => event.type === type).length, 3, type)
  for (const type of ['ChallengeOpened', 'ChallengeSettled', 'TransferSetAside', 'TransactionCreated']) {
    const stores = events.filter((event) => event.type === type).map(({ data }) => (data as Stored).storeId)
    t.deepEqual([...stores].sort(), [7, 7, undefined], type)
  }
})

test('J-AUTH-04 what is signed for belongs to the store of its resource, and elsewhere to that of the key', async (t) => {
  const store = newStore(t)
  const own = flow(store, fixedWorld())
  const ledger = await sellerOn(store)
  await ledger.resource.create('res_2', { ...created, storeId: 7, checkoutId: 'co_2' })
  t.is((await saleOf(own, 'res_2'))?.storeId, 7)
  t.false('storeId' in ((await saleOf(own, 'res_1')) ?? {}))
  t.is((await saleElsewhere(own, { accountId: ACCOUNT, storeId: 7 }, 'eth', '1000000000000000000'))?.storeId, 7)
  t.false(
    'storeId' in ((await saleElsewhere(own, { accountId: ACCOUNT, storeId: 1 }, 'eth', `1${'0'.repeat(18)}`)) ?? {}),
  )
})

test('J-AUTH-04 X-TEN-01 a resource of another store is not found by a key that is limited to some', async (t) => {
  const ledger = await sellerOn(newStore(t))
  await ledger.resource.create('res_2', { ...created, storeId: 7, checkoutId: 'co_2' })
  const cap = { amount: '1000000', windowHours: 24 }
  const byStores = (resId: string, stores: number[]) =>
    codeOf(ledger.resource.capSpend(resId, { accountId: ACCOUNT, stores, maxPerCaller: cap }))
  t.is(await byStores('res_2', [1, 8]), 'resource-not-found')
  t.is(await byStores('res_1', [7]), 'resource-not-found')
  t.is(await codeOf(ledger.resource.disable('res_2', { accountId: ACCOUNT, stores: [1] })), 'resource-not-found')
  t.is(await byStores('res_2', [7]), 'done')
  t.is(await byStores('res_1', [1]), 'done')
})

test('J-AUTH-04 a key that is limited to stores sees only theirs, and other keys see all', (t) => {
  const of = (storeId: number) => ({ accountId: ACCOUNT, storeId, test: false })
  t.true(mayUse(scoped(2, 3), of(3)))
  t.false(mayUse(scoped(2, 3), of(1)))
  t.true(mayUse(scoped(), of(1)))
  t.true(mayUse(scoped(), of(3)))
  t.false(mayUse(scoped(), { ...of(1), accountId: 'acc_2' }))
})

test('J-AUTH-04 what a key makes belongs to the store it names, else to the first that it is limited to', async (t) => {
  const own = flow(newStore(t), fixedWorld())
  t.is(await storeOf(own, scoped(), undefined), 1)
  t.is(await storeOf(own, scoped(), 1), 1)
  t.is(await storeOf(own, scoped(1, 5), undefined), 1)
  t.is(await codeOf(storeOf(own, scoped(2), 1)), 'forbidden')
  t.is(await codeOf(storeOf(own, scoped(), 9)), 'store-not-found')
})

test('J-AUTH-04 X-IDEM-01 an Idempotency-Key of a key for some stores is not that of a key for others', (t) => {
  const [create] = paymentRequestEndpoints
  const operation = (...stores: number[]) =>
    create && keyedBy({ headers: { 'idempotency-key': 'same' }, params: {} }, scoped(...stores), create, {})?.operation
  t.not(operation(2), operation(3))
  t.not(operation(2), operation())
  t.is(operation(2), operation(2))
})

test('X-IDEM-01 X-SBX-01 J-AUTH-04 one Idempotency-Key is another for a sandbox key, for another thing, operation or store', (t) => {
  const [create] = paymentRequestEndpoints
  if (!create) return t.fail()
  const sent = { headers: { 'idempotency-key': 'same' } }
  const of = (caller: Actor | CloudCaller, params = {}, endpoint: Endpoint = create) =>
    keyedBy({ ...sent, params }, caller, endpoint, {})?.operation
  const cloud = (storeId: number) => ({ accountId: ACCOUNT, storeId })
  const all = [
    of(scoped()),
    of({ ...scoped(), testOnly: true }),
    of(scoped(1)),
    of(scoped(1, 2)),
    of(cloud(3)),
    of(cloud(4)),
    of(scoped(), { id: '1' }),
    of(scoped(), { id: '2' }),
    of(scoped(), {}, { ...create, when: { op: 'push' } }),
    of(scoped(), {}, { ...create, method: 'put' }),
    of(scoped(), {}, { ...create, path: '/v1/other' }),
  ]
  t.is(new Set(all).size, all.length)
  t.is(of({ ...scoped(), keyId: 'fedcba9876543210', kind: 'owner' }), all[0], 'keys of one kind share it')
  const whole = keyedBy(sent, scoped(), create, { amount: '1' })
  t.like(whole, { accountId: ACCOUNT, key: 'same', body: { amount: '1' }, operation: all[0] ?? '' })
  t.is(keyedBy({ headers: {} }, scoped(), create, {}), undefined)
})

type Stored = { storeId?: number }
