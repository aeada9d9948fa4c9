import test, { type ExecutionContext } from 'ava'
import type { Cause, EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import { createLedger, type Ledger } from '../../domain/write-side/ledger.ts'
import { timelineProjection } from '../../projections/audit/timeline.ts'
import { createQueries, type Queries } from '../../projections/index.ts'
import { CHALLENGE_ID, opened, recordedTransaction, SET_ID, transferData } from '../domain/samples.ts'
import { alone, everything, newStore, noSnapshots } from '../support/ledger.ts'
import { type FixedWorld, fixedWorld } from '../support/world.ts'
import { signedPayments, wholeHistory } from './history.ts'
import { applyAll, emptyReadModels } from './setup.ts'

test('the timeline has every event once, in the order of the ledger, and shows none of its data', async (t) => {
  const { queries, events, text } = await shown(t, async (store) => {
    await wholeHistory(store)
    await signedPayments(store)
  })
  const rows = await queries.timeline({}, { limit: 500, oldestFirst: true })
  t.deepEqual(
    rows.map(({ position, type, stream, eventId }) => [position, type, stream, eventId]),
    events.map(({ order, type, stream, id }) => [String(order), type, stream, id]),
  )
  t.notRegex(text, /v1\.acc_1\.iv|hook\.example|quoted/)
  const ownerless = rows.filter(({ accountId }) => accountId === null).map(({ type }) => type)
  t.deepEqual([...new Set(ownerless)].sort(), ['RelayTransactionMined', 'RelayTransactionSent'])
})

test('the timeline is narrowed to whatever is given of it, and leads on from page to page', async (t) => {
  const { queries, events } = await shown(t, wholeHistory)
  const all = [...(await queries.timeline({}, { limit: 500 }))]
  const found = async (filter: Parameters<Queries['timeline']>[0]) => [
    ...(await queries.timeline(filter, { limit: 500 })),
  ]
  const some = all[7]
  if (!some) return t.fail()
  const { account, ...ways } = {
    account: ({ accountId }: Row) => accountId === 'acc_1',
    type: ({ type }: Row) => type === some.type,
    typePrefix: ({ type }: Row) => type.startsWith('Wallet'),
    streamPrefix: ({ stream }: Row) => stream.startsWith('challenge-'),
    correlationId: ({ correlationId }: Row) => correlationId === 'test',
    from: ({ at }: Row) => at >= some.at,
    to: ({ at }: Row) => at <= some.at,
    after: ({ position }: Row) => BigInt(position) > BigInt(some.position),
    before: ({ position }: Row) => BigInt(position) < BigInt(some.position),
  }
  const given = {
    account: 'acc_1',
    type: some.type,
    typePrefix: 'Wallet',
    streamPrefix: 'challenge-',
    correlationId: 'test',
    from: some.at,
    to: some.at,
    after: BigInt(some.position),
    before: BigInt(some.position),
  }
  for (const [key, holds] of Object.entries({ account, ...ways })) {
    const rows = await found({ [key]: given[key as keyof typeof given] })
    t.deepEqual(rows, all.filter(holds), key)
    t.true(rows.length > 0, key)
  }
  t.deepEqual(await found({ account: 'acc_2' }), [])
  t.deepEqual(await found({ account: 'acc_1', typePrefix: 'Zz' }), [])
  const pages: Row[] = []
  for (let before: bigint | undefined; ; before = BigInt(pages.at(-1)?.position ?? 0)) {
    const page = await queries.timeline({ before }, { limit: 7 })
    pages.push(...page)
    if (page.length < 7) break
  }
  t.is(pages.length, events.length)
  t.deepEqual(await queries.timelineEvent(some.eventId), some)
})

test('a search that looks through few events at a time finds the same in the end, in the order of the log', async (t) => {
  const { queries } = await shown(t, wholeHistory)
  const all = await queries.timeline({ account: 'acc_1' }, { limit: 500 })
  const [newest, oldest] = [all[0], all.at(-1)]
  const search = async (wish: object, limit: number, most: number) => {
    const found: Row[] = []
    for (let next: string | null | undefined; next !== null; ) {
      const before = next === undefined ? {} : { before: BigInt(next) }
      const page = await queries.searchTimeline({ account: 'acc_1', ...wish, ...before }, limit, most)
      found.push(...page.rows)
      next = page.next
    }
    return found
  }
  t.deepEqual(await search({}, 2, 3), [...all])
  t.deepEqual(await search({ from: oldest?.at, to: newest?.at }, 500, 5), [...all])
  const wallets = all.filter(({ type, stream }) => /wallet/i.test(type + stream))
  t.true(wallets.length > 0 && wallets.length < all.length)
  for (const [limit, most] of [
    [500, 500],
    [1, 2],
    [2, 1],
  ] as const)
    t.deepEqual(await search({ text: 'WALLET' }, limit, most), wallets, `${limit} of ${most}`)
})

test('the life of a transaction goes from its challenge to its letters, with what brought each about, and has nothing of another', async (t) => {
  const other = { ...transferData, tx: `0x${'cd'.repeat(32)}`, amount: '40000030000000000' }
  const otherSet = `ch_${'q'.repeat(26)}`
  const { queries, events } = await shown(t, async (store, world) => {
    const opens = opener(store, world)
    const buyer = opens({ actor: 'buyer', correlationId: 'req_1' })
    await buyer.challenge.open(SET_ID, opened)
    const asked = opened.entries.map((entry) => ({ ...entry, amount: other.amount }))
    await buyer.challenge.open(otherSet, { ...opened, entries: asked })
    const chain = opens({ actor: 'watch', correlationId: 'watch' })
    const transfers = [transferData, other]
    await chain.chainWatch.scanned('eth', { network: 'eth', height: 7, hash: '0x7', head: 500, transfers })
    const seen = (await everything(store)).find(({ type }) => type === 'TransfersSeen')
    for (const transfer of transfers) {
      const setId = transfer === other ? otherSet : SET_ID
      const payment = { challengeId: `${setId}.eth`, asset: 'eth', transfer }
      await opens(answering(seen, 'attribute-transfers')).challenge.detect(setId, { ...payment, confirmations: 1 })
      await opens(answering(seen, 'attribute-transfers')).challenge.settle(setId, payment)
    }
    await reacting(store, world)
    for (const event of await everything(store))
      if (event.type === 'TransactionCompleted')
        await opens(answering(event, 'letters')).letter.sent(event.id, { accountId: 'acc_1', attempts: 1 })
  })
  const ids = events.flatMap(({ type, stream }) => (type === 'TransactionCreated' ? [stream.slice(12)] : []))
  t.is(ids.length, 2)
  const lives = await Promise.all(ids.map((id) => queries.lifeOf(id)))
  for (const life of lives) {
    t.deepEqual(life.map(({ type }) => type).sort(), LIFE)
    for (const { causationId } of life)
      t.true(causationId === null || life.some(({ eventId }) => eventId === causationId))
  }
  const both = lives.flat().map(({ position, type }) => `${position} ${type}`)
  const shared = both.filter((each, n) => both.indexOf(each) < n)
  t.deepEqual(
    shared.map((each) => each.split(' ')[1]),
    ['TransfersSeen'],
  )
  const [id = ''] = ids
  t.deepEqual(await queries.lifeOf(id, 'acc_1'), lives[0] ?? [])
  t.deepEqual(
    (await queries.lifeOf(id, 'acc_2')).map(({ type }) => type),
    ['TransfersSeen'],
  )
  const narrowed = await queries.timeline({ transaction: id }, { limit: 500, oldestFirst: true })
  t.true(narrowed.every(({ transactionId }) => transactionId === id))
  t.true(
    narrowed.some(({ type }) => type === 'CreditDebited') && narrowed.some(({ type }) => type === 'ChallengeOpened'),
  )
})

test('a signed payment is part of the life of what it paid, up to the transaction of the chain that carried it out', async (t) => {
  const { queries, events } = await shown(t, signedPayments)
  const created = events.find(({ type }) => type === 'TransactionCreated')
  const types = (await queries.lifeOf(created?.stream.slice(12) ?? '')).map(({ type }) => type)
  const wanted = [
    'ChallengeOpened',
    'ChallengeReserved',
    'AuthorizationAccepted',
    'RelayTransactionSent',
    'RelayTransactionMined',
  ]
  for (const type of [...wanted, 'AuthorizationSettled', 'ChallengeSettled', 'CreditDebited'])
    t.true(types.includes(type), type)
})

test('two coins of one set that were both paid are two lives', async (t) => {
  const { queries } = await shown(t, async (store, world) => {
    const ledger = opener(store, world)({ actor: 'tester', correlationId: 'test' })
    await ledger.challenge.open(SET_ID, opened)
    for (const [id, challengeId] of [
      ['1', CHALLENGE_ID],
      ['2', `${SET_ID}.btc`],
    ] as const) {
      await ledger.transaction.create(id, { ...recordedTransaction, challengeId })
      await ledger.delivery.skip(`d${id}`, { accountId: 'acc_1', transactionId: id })
    }
  })
  const types = async (id: string) =>
    (await queries.lifeOf(id)).map(({ type, stream }) => `${type} ${stream.split('-')[1]}`)
  t.deepEqual(await types('1'), [`ChallengeOpened ${SET_ID}`, 'TransactionCreated 1', 'DeliverySkipped d1'])
  t.deepEqual(await types('2'), [`ChallengeOpened ${SET_ID}`, 'TransactionCreated 2', 'DeliverySkipped d2'])
  t.deepEqual(await types('3'), [])
})

type Row = Awaited<ReturnType<Queries['timeline']>>[number]

const LIFE = [
  'CallerSpent',
  'ChallengeOpened',
  'ChallengeSettled',
  'CreditDebited',
  'DeliverySkipped',
  'LetterSent',
  'PaymentDetected',
  'TransactionCompleted',
  'TransactionCreated',
  'TransfersSeen',
]

const shown = async (t: ExecutionContext, happen: (store: EventStore, world: FixedWorld) => Promise<unknown>) => {
  const { sql } = await emptyReadModels(t, [timelineProjection])
  const store = newStore(t)
  await happen(store, fixedWorld('timeline'))
  const events = await everything(store)
  await applyAll(sql, timelineProjection, events)
  const text = JSON.stringify(await sql`select * from timeline`)
  return { queries: createQueries(sql), events, text }
}

const opener = (store: EventStore, world: FixedWorld) => {
  const { open } = createLedger(store, world, noSnapshots)
  return (cause: Cause): Ledger => open(cause).ledger
}

const answering = (event: RecordedEvent | undefined, actor: string): Cause => ({
  actor,
  correlationId: event?.cause.correlationId ?? '',
  ...(event && { causationId: event.id }),
})

/** Every policy answers every event, and says which. */
const reacting = async (store: EventStore, world: FixedWorld) => {
  const opens = opener(store, world)
  for (let at = -1n; ; ) {
    const events = await everything(store, at)
    if (events.length === 0) return
    for (const event of events)
      for (const policy of policies) {
        const { handles, react } = reactionsOf(policy, (of) => ({
          ledger: opens(answering(of, policy.name)),
          world,
          secondVoice: alone,
        }))
        if (handles(event.type)) await react(event)
      }
    at = events.at(-1)?.position ?? at
  }
}
