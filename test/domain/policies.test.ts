import test, { type ExecutionContext } from 'ava'
import { type EventStore, type RecordedEvent, WrongRevision } from '../../domain/kernel/ports.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { around, dyingAt, everything, ledgerOn, newStore, react, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ACCOUNT, CHALLENGE_ID, created, entry, opened, RES_ID, SET_ID, transferData } from './samples.ts'

/**
 * From a transfer on the chain to the webhook: wherever a process dies, running everything again ends in the same
 * books.
 */

const TEST_SET = 'ch_tttttttttttttttttttttttttt'
const TEST_ID = `${TEST_SET}.eth`
const HOOK = 'https://shop.example/hook'

test('X-IDEM-04 a transfer that is seen ends in one settlement, one fee, one transaction, one delivery', async (t) => {
  const { store } = await seen(t)
  await sweep(store, 'first')
  t.deepEqual(await counts(store), ONE_OF_EACH)
})

test('every policy run again from the first event changes nothing', async (t) => {
  const { store } = await seen(t)
  await sweep(store, 'first')
  const before = await books(store)
  for (const policy of policies) {
    const world = fixedWorld(`again-${policy.name}`)
    await runPolicies(store, ledgerOn(store, world), world, [policy])
    t.deepEqual(await books(store), before, policy.name)
  }
  const world = fixedWorld('each-twice')
  const ledger = ledgerOn(store, world)
  for (const event of await everything(store))
    for (const policy of [...policies, ...policies].reverse()) await react(policy, event, ledger, world)
  t.deepEqual(await books(store), before)
})

test('a crash after any append, then everything again from the start, ends in the undisturbed books', async (t) => {
  const whole = await seen(t)
  let appends = 0
  const counted = around(whole.store, (go) => (...call) => {
    appends++
    return go(...call)
  })
  await sweep(counted, 'undisturbed')
  const expected = await books(whole.store)
  t.true(appends >= 5)
  for (let k = 1; k <= appends; k++)
    for (const landed of [true, false]) {
      const { store } = await seen(t)
      await t.throwsAsync(sweep(dyingAt(store, k, landed), 'dying'), { message: 'the process dies' })
      await sweep(store, 'next')
      t.deepEqual(await books(store), expected, `append ${k}, ${landed ? 'landed' : 'lost'}`)
      t.deepEqual(await counts(store), ONE_OF_EACH)
    }
})

test('a crash at every append, one after the other, still ends in the same books', async (t) => {
  const whole = await seen(t)
  await sweep(whole.store, 'undisturbed')
  const { store } = await seen(t)
  for (let n = 0; n < 20; n++) await sweep(dyingAt(store, 1, true), `try-${n}`).catch(() => {})
  await sweep(store, 'last')
  t.deepEqual(await books(store), await books(whole.store))
})

test('all policies at once, in two processes that each think they are alone, end in the same books', async (t) => {
  const whole = await seen(t)
  await sweep(whole.store, 'undisturbed')
  const { store } = await seen(t)
  for (let round = 0; round < 6; round++)
    await Promise.all(
      ['one', 'two'].flatMap((seed) => {
        const world = fixedWorld(`${seed}-${round}`)
        const ledger = ledgerOn(store, world)
        return policies.map((policy) => runPolicies(store, ledger, world, [policy]))
      }),
    )
  t.deepEqual(await books(store), await books(whole.store))
})

test('X-IDEM-04 the same transfer reported twice, and a second one for the same challenge, settle once', async (t) => {
  const { store, ledger } = await seen(t)
  await report(ledger, [transferData, { ...transferData, tx: `0x${'ef'.repeat(32)}` }], 120)
  await sweep(store, 'first')
  t.deepEqual(await counts(store), ODD_TOLD)
})

test('X-IDEM-04 the watch and twenty buyers and sellers who settle the same payment at once settle it once', async (t) => {
  const { store } = await seen(t)
  const asking = Array.from({ length: 20 }, (_, n) =>
    settlePayment(ledgerOn(store, fixedWorld(`p${n}`)), CHALLENGE_ID, transferData),
  )
  await Promise.all([...asking, sweep(store, 'watch')])
  await sweep(store, 'later')
  t.deepEqual(await counts(store), ONE_OF_EACH)
})

test('one transfer that two challenges would take settles one of them', async (t) => {
  const { store, ledger } = await prepared(t)
  const other = `ch_${'b'.repeat(26)}`
  await ledger.challenge.open(other, opened)
  const race = await Promise.allSettled(
    [CHALLENGE_ID, `${other}.eth`].map((id, n) =>
      settlePayment(ledgerOn(store, fixedWorld(`p${n}`)), id, transferData),
    ),
  )
  t.deepEqual(race.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await sweep(store, 'later')
  t.deepEqual(await counts(store), ONE_OF_EACH)
})

test('a transfer that cannot settle does not hold up the next one in the same block', async (t) => {
  const { store, ledger } = await prepared(t)
  await report(ledger, [{ ...transferData, tx: `0x${'ef'.repeat(32)}`, height: 100 }, transferData], 115)
  await sweep(store, 'first')
  t.deepEqual(await counts(store), ODD_TOLD)
})

test('a settlement that finds its stream contended is tried again, not left out', async (t) => {
  const { store } = await seen(t)
  const contended = around(store, (go) => async (...call) => {
    if (call[0].startsWith('transfer-')) throw new WrongRevision(call[0])
    return go(...call)
  })
  await t.throwsAsync(sweep(contended, 'contended'), { message: /busy/ })
  await sweep(store, 'later')
  t.deepEqual(await counts(store), ONE_OF_EACH)
})

test('M-REC-03 a payment that settles as soon as it comes has its transaction written completed, by one append and no read', async (t) => {
  const atOnce = { appends: [['TransactionCreated', 'TransactionCompleted']], reads: 0 }
  const { store } = await seen(t)
  t.deepEqual(await transactionCalls(store), atOnce)
  const { store: simulated, ledger } = await prepared(t)
  const step = { challengeId: TEST_ID, asset: 'eth', tx: 'test_x' }
  await ledger.challenge.open(TEST_SET, { ...opened, test: true })
  await ledger.challenge.simulate(TEST_SET, { ...step, added: entry.confirmations - 1 })
  const meanwhile = await transactionCalls(simulated)
  t.deepEqual(meanwhile.appends, [['TransactionCreated']], 'one that waits is there meanwhile')
  await ledger.challenge.simulate(TEST_SET, { ...step, added: 1 })
  t.deepEqual((await transactionCalls(simulated)).appends, [['TransactionCompleted']])
  const { store: whole, ledger: second } = await prepared(t)
  await second.challenge.open(TEST_SET, { ...opened, test: true })
  await second.challenge.simulate(TEST_SET, { ...step, added: entry.confirmations })
  t.deepEqual(await transactionCalls(whole), atOnce)
})

test('no URL, no delivery; one that is set later is not called for it', async (t) => {
  const { store, ledger } = await seen(t)
  await ledger.webhook.clearUrl(ACCOUNT, { slot: 'account' })
  await sweep(store, 'first')
  await ledger.webhook.setUrl(ACCOUNT, { slot: 'account', url: HOOK, secret: 's', last4: 'last' })
  await sweep(store, 'second')
  t.deepEqual(await counts(store), { ...ONE_OF_EACH, DeliveryScheduled: 0, DeliverySkipped: 1 })
})

test('W-URL-02 the agent slot comes before the account, and the URL of the resource before both', async (t) => {
  for (const [own, agent, expected] of [
    [null, null, { url: HOOK, slot: 'account' }],
    [null, 'https://agent.example/', { url: 'https://agent.example/', slot: 'agent' }],
    ['https://own.example/', 'https://agent.example/', { url: 'https://own.example/', slot: 'transaction' }],
  ] as const) {
    const { store, ledger } = await seen(t, own)
    if (agent) await ledger.webhook.setUrl(ACCOUNT, { slot: 'agent', url: agent, secret: 's', last4: 'last' })
    await sweep(store, 'first')
    const scheduled = (await everything(store)).find(({ type }) => type === 'DeliveryScheduled')
    t.like(scheduled?.data, expected)
  }
})

const ONE_OF_EACH = {
  CreditGranted: 1,
  TransferClaimed: 1,
  ChallengeSettled: 1,
  CreditDebited: 1,
  TransactionCreated: 1,
  TransactionCompleted: 1,
  DeliveryScheduled: 1,
  DeliverySkipped: 0,
  NewsLetterScheduled: 1,
  NewsNoted: 0,
}

/** The seller is told of the other payment in a letter of its own. */
const ODD_TOLD = { ...ONE_OF_EACH, NewsLetterScheduled: 2 }

/** An activated seller with a resource, an account webhook and an open challenge. */
const prepared = async (t: ExecutionContext, webhookUrl: string | null = null) => {
  const store = newStore(t)
  const ledger = ledgerOn(store, fixedWorld('seller'))
  const person = { email: 'v1.a.b.c', emailFingerprint: 'f', passwordHash: 'p', primaryWallet: null }
  await ledger.account.signUp(ACCOUNT, {
    ...person,
    termsAgreed: 'explicit',
    key: { keyId: 'k', keyHash: 'h', hint: 'x', kind: 'owner' },
    cloudToken: { token: 'v1.t', tokenHash: 'th' },
    verification: { tokenHash: 'vh', expiresAt: '2026-03-03T10:00:00.000Z', letter: 'v1.l' },
  })
  await ledger.account.verifyEmail(ACCOUNT, { tokenHash: 'vh' })
  await ledger.webhook.setUrl(ACCOUNT, { slot: 'account', url: HOOK, secret: 's', last4: 'last' })
  await ledger.settings.change(ACCOUNT, { notifications: { email: true } })
  await ledger.resource.create(RES_ID, { ...created, webhookUrl })
  const [endsAt, heldUntil] = ['2026-03-02T11:00:00.000Z', '2026-03-02T13:00:00.000Z']
  const wish = { price: '40000000000000000', step: '10000000000', anonymous: false }
  const reservation = { challengeId: CHALLENGE_ID, accountId: ACCOUNT, ...wish, endsAt, heldUntil }
  await ledger.receiveAddress.reserve(`eth:eth:${transferData.to}`, reservation)
  await ledger.challenge.open(SET_ID, { ...opened, webhookUrl })
  return { store, ledger }
}

/** The same, and the chain watch has seen the payment. */
const seen = async (t: ExecutionContext, webhookUrl: string | null = null) => {
  const sale = await prepared(t, webhookUrl)
  await report(sale.ledger, [transferData], 110)
  return sale
}

const report = (ledger: Ledger, transfers: (typeof transferData)[], height: number) =>
  ledger.chainWatch.scanned('eth', { network: 'eth', height, hash: `0x${height}`, head: height, transfers })

/** A fresh process: all policies over the whole log. */
const sweep = (store: EventStore, seed: string) => {
  const world = fixedWorld(seed)
  return runPolicies(store, ledgerOn(store, world), world)
}

/** The types of the events that a fresh process appends to transactions, one list an append. */
const transactionCalls = async (store: EventStore) => {
  const appends: string[][] = []
  let reads = 0
  const noting = around(store, (go) => async (...call) => {
    const before = await store.head()
    const answer = await go(...call)
    // One that a process before has made is answered, and adds nothing.
    if (call[0].startsWith('transaction-') && (await store.head()) > before)
      appends.push(call[2].map(({ type }) => type))
    return answer
  })
  const read: EventStore['read'] = (stream, from) => {
    if (stream.startsWith('transaction-')) reads++
    return store.read(stream, from)
  }
  await sweep({ ...noting, read }, 'noting')
  return { appends, reads }
}

/** What happened, stream by stream: all but ids, places and times. */
const books = async (store: EventStore) => {
  const told = ({ type, data }: RecordedEvent) => ({ type, data: { ...data, position: undefined } })
  const streams = Map.groupBy(await everything(store), ({ stream }) => stream)
  return [...streams].map(([stream, events]) => ({ stream, events: events.map(told) })).sort(byStream)
}
const byStream = (a: { stream: string }, b: { stream: string }) => (a.stream < b.stream ? -1 : 1)

const counts = async (store: EventStore) => {
  const events = await everything(store)
  const count = (wanted: string) => events.filter(({ type }) => type === wanted).length
  return Object.fromEntries(Object.keys(ONE_OF_EACH).map((type) => [type, count(type)]))
}
