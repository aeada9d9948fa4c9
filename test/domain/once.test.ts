import test from 'ava'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { transaction } from '../../domain/selling/transactions/transaction.ts'
import { type IdempotentRequest, onceOf } from '../../domain/use-cases/once.ts'
import { given } from '../support/given.ts'
import { ledgerOn, newStore, streamOf } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ACCOUNT, created, recordedTransaction } from './samples.ts'

/** An Idempotency-Key on a real log: the key makes the ids, and the creating event tells which request it was. */

const keyed: IdempotentRequest = {
  accountId: ACCOUNT,
  operation: 'make',
  key: 'k',
  body: { amount: 1, cap: { b: 2, a: [1] } },
}
const vault = { fingerprint: (purpose: string, value: string) => fixedWorld().digest(`${purpose}|${value}`) }
const once = (part?: Partial<IdempotentRequest>, seed = 'w') =>
  onceOf({ world: fixedWorld(seed), vault: vault as never }, part && { ...keyed, ...part })

test('M-TXN-02 a transaction is taken up again on the terms that it was asked for on, and on no others', (t) => {
  const asked = { ...recordedTransaction, challengeId: null, resId: null, requestId: 'pr_1', request: 'digest' }
  const made = { type: 'TransactionCreated', data: asked } as const
  given(t, transaction).when('create', asked).yields(made)
  given(t, transaction, made)
    .when('create', { ...asked, createdAt: '2026-03-02T10:09:00.000Z' })
    .yieldsNothing()
  given(t, transaction, made)
    .when('create', { ...asked, request: 'another' })
    .isRefused('idempotency-conflict')
  given(t, transaction, made)
    .when('create', { ...asked, requestId: 'pr_2' })
    .isRefused('id-taken')
})

test('X-IDEM-01 J-RES-02 a key makes the same id for the same tenant and operation, and no other', (t) => {
  const id = once({}).id('res')
  t.is(once({}, 'other').id('res'), id)
  t.is(once({ body: {} }).id('res'), id)
  const others = [{ accountId: 'acc_2' }, { operation: 'other' }, { key: 'K' }].map((each) => once(each).id('res'))
  t.is(new Set([id, ...others]).size, 4)
  t.not(once({}).id('co').slice(3), id.slice(4), 'one id does not tell another')
  t.not(once().id('res'), once(undefined, 'other').id('res'))
})

test('X-IDEM-01 J-RES-02 the same request again makes nothing and meets the first, another one is refused', async (t) => {
  const store = newStore(t)
  const ledger = ledgerOn(store)
  const make = async (given?: Partial<IdempotentRequest>, amount = '5') => {
    const one = once(given)
    const id = one.id('res')
    const create = async () => {
      await ledger.resource.create(id, { ...created, amount, ...one.mark })
      return { amount }
    }
    const made = await one.make<{ amount: string }>(() => ledger.resource.read(id), create)
    return { id, amount: made.amount, replayed: one.replayed() }
  }
  const first = await make({})
  t.deepEqual([first.amount, first.replayed], ['5', false])
  const spaced = { body: { cap: { a: [1], b: 2 }, amount: 1 } }
  t.deepEqual(await make(spaced, '9'), { ...first, replayed: true }, 'the order of keys is not another request')
  for (const body of [{ amount: 1 }, { amount: 1, cap: { b: 2, a: [2] } }, { amount: '1', cap: { b: 2, a: [1] } }])
    t.is((await t.throwsAsync(make({ body }), { instanceOf: Refusal }))?.code, 'idempotency-conflict')
  t.is((await streamOf(store, `resource-${first.id}`)).length, 1)
  t.true((await make({ key: 'other' })).id !== first.id)
  t.false((await make()).replayed)
})

test('X-IDEM-01 J-RES-02 of twenty at once, in two processes, one makes it and all answer the same', async (t) => {
  const store = newStore(t)
  const ledgers = ['one', 'two'].map((seed) => ledgerOn(store, fixedWorld(seed)))
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const ledger = ledgers[n % 2] as (typeof ledgers)[0]
      const one = once({})
      const id = one.id('res')
      const create = async () => {
        await ledger.resource.create(id, { ...created, amount: String(n + 1), ...one.mark })
        return { amount: String(n + 1) }
      }
      const { amount } = await one.make<{ amount: string }>(() => ledger.resource.read(id), create)
      return { id, amount, replayed: one.replayed() }
    }),
  )
  t.is(new Set(answers.map(({ id, amount }) => `${id} ${amount}`)).size, 1)
  t.is(answers.filter(({ replayed }) => !replayed).length, 1)
})

test('what a creation refuses is refused, with and without a key, and the key stays free', async (t) => {
  const refusing = () => Promise.reject(new Refusal('wallet-missing'))
  const nothing = async () => ({ status: 'none' as const })
  for (const one of [once(), once({})]) {
    t.is((await t.throwsAsync(one.make(nothing, refusing), { instanceOf: Refusal }))?.code, 'wallet-missing')
    t.is(await one.make<string>(nothing as never, async () => 'made'), 'made')
  }
  const taken = once({}).make(nothing, () => Promise.reject(new Refusal('id-taken')))
  t.is((await t.throwsAsync(taken, { instanceOf: Refusal }))?.code, 'id-taken')
})
