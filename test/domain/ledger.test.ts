import test from 'ava'
import { createSnapshots } from '../../adapters/postgres/snapshots.ts'
import { creditAccount } from '../../domain/account/credit-account.ts'
import type { EventStore, NewEvent, Snapshots } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { around, ledgerOn, newStore, streamOf } from '../support/ledger.ts'
import { testDatabase } from '../support/postgres.ts'
import { fixedWorld } from '../support/world.ts'

const STREAM = 'creditAccount-acc_1'
const grant = (ledger: Ledger, n: number) =>
  ledger.creditAccount.grant('acc_1', {
    amount: '1',
    reason: 'email-verified',
    ref: `r${n}`,
    source: `s${n}`,
    position: '1',
  })

test('64 commands at once on one stream have 64 consequences, each once, in few appends', async (t) => {
  const store = newStore(t)
  let appends = 0
  const counted = around(store, (go) => (...call) => {
    appends++
    return go(...call)
  })
  const ledger = ledgerOn(counted)
  const done = await Promise.all(Array.from({ length: 64 }, (_, n) => grant(ledger, n)))
  const events = await streamOf(store, STREAM)
  t.is(events.length, 64)
  t.is(new Set(events.map(({ data }) => (data as { ref: string }).ref)).size, 64)
  t.is(new Set(events.map(({ id }) => id)).size, 64)
  t.true(appends <= 4, `${appends} appends`)
  const newest = events.at(-1)?.position ?? 0n
  for (const { position } of done) t.true(position >= 0n && position <= newest)
  t.is((await ledger.creditAccount.read('acc_1')).balance, 64n)
  const before = appends
  await Promise.all(Array.from({ length: 64 }, (_, n) => grant(ledger, 64 + n)))
  t.is(appends, before + 1, 'those of one moment, on a stream that is in memory')
  t.is((await ledger.creditAccount.read('acc_1')).balance, 128n)
})

test('two processes that race on one stream lose nothing and book nothing twice', async (t) => {
  const store = newStore(t)
  const ledgers = ['one', 'two'].map((seed) => ledgerOn(store, fixedWorld(seed)))
  const race = await Promise.allSettled(
    Array.from({ length: 128 }, (_, n) => grant(ledgers[n % 2] as Ledger, Math.floor(n / 4))),
  )
  for (const each of race) t.is(each.status, 'fulfilled', String((each as PromiseRejectedResult).reason))
  const refs = (await streamOf(store, STREAM)).map(({ data }) => (data as { ref: string }).ref)
  t.is(refs.length, 32, 'each of the 32 sources is booked once, though four commands named it')
  t.is(new Set(refs).size, 32)
  for (const ledger of ledgers) t.is((await ledger.creditAccount.read('acc_1')).balance, 32n)
})

test('a refusal is only given on the newest state, whoever wrote it', async (t) => {
  const store = newStore(t)
  const [here, there] = ['here', 'there'].map((seed) => ledgerOn(store, fixedWorld(seed))) as [Ledger, Ledger]
  await here.wallet.setAddress('acc_1', { asset: 'btc', addresses: ['x'] })
  await there.wallet.setAddress('acc_1', { asset: 'eth', addresses: ['y'] })
  // `here` remembers no eth, and would refuse.
  const { events } = await here.wallet.pause('acc_1', { asset: 'eth' })
  t.deepEqual(
    events.map(({ type }) => type),
    ['WalletPaused'],
  )
  const refusal = await t.throwsAsync(here.wallet.pause('acc_1', { asset: 'sol' }), { instanceOf: Refusal })
  t.is(refusal?.code, 'wallet-missing')
})

test('nothing to do is only answered on the newest state, whoever wrote it', async (t) => {
  const store = newStore(t)
  const [here, there] = ['here', 'there'].map((seed) => ledgerOn(store, fixedWorld(seed))) as [Ledger, Ledger]
  await here.wallet.setAddress('acc_1', { asset: 'eth', addresses: ['a'] })
  await there.wallet.setAddress('acc_1', { asset: 'eth', addresses: ['b'] })
  // `here` remembers a, and would find it already set.
  await here.wallet.setAddress('acc_1', { asset: 'eth', addresses: ['a'] })
  t.deepEqual((await there.wallet.read('acc_1')).eth?.addresses, ['a'])
})

test('a stream that others never stop writing to can still be read and refused', async (t) => {
  const store = around(newStore(t), (go) => async (...call) => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    return go(...call)
  })
  const slow: EventStore = { ...store, read: (stream, from) => slowly(store.read(stream, from)) }
  const ledger = ledgerOn(slow)
  let stopping = false
  let written = 0
  let starve = () => {}
  const starved = new Promise<string>((resolve) => (starve = () => resolve('starved')))
  const writers = Array.from({ length: 64 }, async (_, w) => {
    for (let n = 0; !stopping; n++) {
      await grant(ledger, w * 100_000 + n)
      if (++written >= STARVED_AFTER) starve()
    }
  })
  try {
    const reading = ledger.creditAccount.read('acc_1').then(() => 'read')
    t.is(await Promise.race([reading, starved]), 'read')
    const refusing = ledger.creditAccount
      .grant('acc_1', { amount: '0', reason: 'email-verified', ref: 'r', source: 'zero', position: '1' })
      .catch((error: Refusal) => error.code)
    t.is(await Promise.race([refusing, starved]), 'amount-not-positive')
  } finally {
    stopping = true
    await Promise.all(writers)
  }
})

/** Writes of others during which a reader or a refusal has to have come through. */
const STARVED_AFTER = 20_000

test('a long stream is folded from its snapshot, and not from one of another version of the state', async (t) => {
  const store = newStore(t)
  const { sql } = await testDatabase(t)
  const kept = await createSnapshots(sql)
  const saves: { revision: bigint; done: Promise<void> }[] = []
  const snapshots: Snapshots = {
    ...kept,
    save: (...call) => {
      const done = kept.save(...call)
      saves.push({ revision: call[2], done })
      return done
    },
  }
  const ledger = ledgerOn(store, fixedWorld(), snapshots)
  for (let n = 0; n < 12; n++)
    await Promise.all(Array.from({ length: 100 }, (_, i) => grant(ledger, (n * 100 + i) % 10 === 0 ? 5 : n * 100 + i)))
  const revision = BigInt((await streamOf(store, STREAM)).length - 1)
  // A save that is begun while another is under way may end before it; the row keeps the newest all the same.
  await Promise.all(saves.map(({ done }) => done))
  t.true(saves.length >= 2, `${saves.length} snapshots`)
  const newest = saves.reduce((most, save) => (save.revision > most ? save.revision : most), -1n)
  t.true(newest <= revision)
  t.is((await kept.load(STREAM, creditAccount.stateVersion))?.revision, newest)

  const { counted, reads } = countingReads(store)
  const expected = await ledgerOn(store).creditAccount.read('acc_1')
  t.deepEqual(await ledgerOn(counted, fixedWorld(), kept).creditAccount.read('acc_1'), expected)
  t.true(reads() < Number(revision), `${reads()} events read of ${revision}`)

  await sql`update daybook_run.snapshots set state_version = 99, state = '{"balance":"#7","owed":"#0","seen":{}}'`
  t.deepEqual(await ledgerOn(store, fixedWorld(), kept).creditAccount.read('acc_1'), expected)
})

test('20,001 streams in one process evict the oldest from memory, and nothing under way is lost', async (t) => {
  const store = newStore(t)
  const ledger = ledgerOn(store)
  const writing = Array.from({ length: 200 }, (_, n) => grant(ledger, n))
  for (let n = 0; n < 20_050; n++) void (await ledger.letter.read(`l${n}`))
  await Promise.all([...writing, ...Array.from({ length: 50 }, (_, n) => grant(ledger, 1_000 + n))])
  t.is((await streamOf(store, STREAM)).length, 250)
  t.is((await ledger.creditAccount.read('acc_1')).balance, 250n)
})

test('every event has an id of its own, and a command decided again has new ones', async (t) => {
  const store = newStore(t)
  const sent: NewEvent[][] = []
  let failed = false
  const watched = around(store, (go) => async (stream, expected, events) => {
    sent.push([...events])
    if (!failed) {
      failed = true
      await ledgerOn(store, fixedWorld('foreign')).wallet.setAddress('acc_1', { asset: 'btc', addresses: ['z'] })
    }
    return go(stream, expected, events)
  })
  await ledgerOn(watched).wallet.setAddress('acc_1', { asset: 'eth', addresses: ['a'] })
  t.is(sent.length, 2)
  t.not(sent[0]?.[0]?.id, sent[1]?.[0]?.id)
  t.is((await streamOf(store, 'wallet-acc_1')).length, 2)
})

async function* slowly<T>(pages: AsyncIterable<T>) {
  await new Promise((resolve) => setTimeout(resolve, 2))
  yield* pages
}

const countingReads = (store: EventStore) => {
  let events = 0
  const counted: EventStore = {
    ...store,
    async *read(stream, from) {
      for await (const page of store.read(stream, from)) {
        events += page.length
        yield page
      }
    },
  }
  return { counted, reads: () => events }
}
