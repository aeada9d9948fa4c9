import test from 'ava'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { deciderOf, type LedgerEvent } from '../../domain/write-side/deciders.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import {
  around,
  countingReads,
  everything,
  gate,
  ledgerOn,
  newStore,
  noSnapshots,
  streamOf,
  turns,
} from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { created } from './samples.ts'

/** What the doors know without asking the store. */

const cause = { actor: 'tester', correlationId: 'test' }

test('what another process wrote is in `read` at once, and in `recent` once it has arrived here', async (t) => {
  const store = newStore(t)
  const doors = (seed: string) => createLedger(store, fixedWorld(seed), noSnapshots)
  const mine = doors('mine')
  const here = mine.open(cause).ledger.wallet
  const there = doors('other').open(cause).ledger.wallet
  await here.setAddress('acc', { asset: 'eth', addresses: ['0x1'] })
  await there.setAddress('acc', { asset: 'eth', addresses: ['0x2'] })
  t.deepEqual((await here.recent('acc')).eth?.addresses, ['0x1'])
  mine.arrived(await everything(store))
  t.deepEqual((await here.recent('acc')).eth?.addresses, ['0x2'])
  await there.setAddress('acc', { asset: 'eth', addresses: ['0x3'] })
  t.deepEqual((await here.read('acc')).eth?.addresses, ['0x3'])
})

test('an event that arrives while its stream is read is not missed', async (t) => {
  const store = newStore(t)
  const other = ledgerOn(store, fixedWorld('other'))
  await other.wallet.setAddress('acc', { asset: 'eth', addresses: ['0x1'] })
  const slow = gate()
  let held = true
  const mine = createLedger(
    {
      ...store,
      async *read(...where: Parameters<EventStore['read']>) {
        const pages = await Array.fromAsync(store.read(...where))
        if (held) await slow.opened
        yield* pages
      },
    },
    fixedWorld('mine'),
    noSnapshots,
  )
  const reading = mine.open(cause).ledger.wallet.recent('acc')
  await turns()
  await other.wallet.setAddress('acc', { asset: 'eth', addresses: ['0x2'] })
  mine.arrived(await everything(store))
  held = false
  slow.open()
  t.deepEqual((await reading).eth?.addresses, ['0x2'])
})

test('a stream is begun without a look at the store, and one that exists already is refused all the same', async (t) => {
  const real = newStore(t)
  const { store, reads } = countingReads(real)
  const ledger = ledgerOn(store)
  await ledger.resource.create('res', created)
  t.is(reads(), 0)
  const again = ledgerOn(store, fixedWorld('again'))
  const refused = await t.throwsAsync(again.resource.create('res', created), { instanceOf: Refusal })
  t.is(refused?.code, 'id-taken')
  t.is((await streamOf(real, 'resource-res')).length, 1)
  t.is((await again.resource.recent('res')).status, 'active')
})

test('a stream that another process begins is known by the events that arrive, without a look at the store', async (t) => {
  const real = newStore(t)
  const { store, reads } = countingReads(real)
  const arriving = { wallet: true }
  const arrives = () => arriving.wallet
  const hearing = { isKept: () => false, changesRow: () => false, arrives, isFresh: arrives }
  const mine = createLedger(store, fixedWorld('mine'), noSnapshots, { hearing })
  const here = mine.open(cause).ledger.wallet
  const there = ledgerOn(real, fixedWorld('other')).wallet
  const set = (wallet: typeof here, id: string, to: string) => wallet.setAddress(id, { asset: 'eth', addresses: [to] })
  await set(there, 'acc', '0x1')
  await set(there, 'acc', '0x2')
  const [first, second] = await everything(real)
  mine.arrived([first as RecordedEvent])
  t.deepEqual((await here.recent('acc')).eth?.addresses, ['0x1'])
  mine.arrived([second as RecordedEvent])
  t.deepEqual((await here.recent('acc')).eth?.addresses, ['0x2'])
  await set(here, 'acc', '0x3')
  t.is(reads(), 0)
  t.deepEqual((await ledgerOn(real).wallet.read('acc')).eth?.addresses, ['0x3'])
  // Of a stream that was begun before, or whose events do not all arrive, or cannot be read, this says nothing.
  const rest = async (id: string) => (await everything(real)).filter(({ stream }) => stream === `wallet-${id}`)
  await set(there, 'older', '0x1')
  await set(there, 'older', '0x2')
  mine.arrived((await rest('older')).slice(1))
  t.deepEqual((await here.recent('older')).eth?.addresses, ['0x2'])
  t.is(reads(), 1)
  await set(there, 'odd', '0x1')
  mine.arrived((await rest('odd')).map((event) => ({ ...event, unreadable: 'of another release' })))
  t.deepEqual((await here.recent('odd')).eth?.addresses, ['0x1'])
  t.is(reads(), 2)
  arriving.wallet = false
  await set(there, 'passing', '0x1')
  mine.arrived(await rest('passing'))
  arriving.wallet = true
  t.deepEqual((await here.recent('passing')).eth?.addresses, ['0x1'])
  t.is(reads(), 3)
})

test('a stream of another program is nobody’s, also where its name begins as one of ours does', (t) => {
  t.is(deciderOf('wallet-acc')?.category, 'wallet')
  for (const name of ['wallets', 'wallet', 'walle-t', '-wallet', '']) t.is(deciderOf(name), undefined, name)
})

test('N-118 a stream whose events do not arrive is read each time that its recent state is asked for', async (t) => {
  const store = newStore(t)
  const arriving = { wallet: false }
  const arrives = () => arriving.wallet
  const hearing = { isKept: () => false, changesRow: () => false, arrives, isFresh: arrives }
  const mine = createLedger(store, fixedWorld('mine'), noSnapshots, { hearing })
  const here = mine.open(cause).ledger.wallet
  const there = ledgerOn(store, fixedWorld('other')).wallet
  const addresses = async () => (await here.recent('acc')).eth?.addresses
  await here.setAddress('acc', { asset: 'eth', addresses: ['0x1'] })
  await there.setAddress('acc', { asset: 'eth', addresses: ['0x2'] })
  t.deepEqual(await addresses(), ['0x2'])
  await there.setAddress('acc', { asset: 'eth', addresses: ['0x3'] })
  // From here on everything arrives again: what was kept from before is not trusted.
  arriving.wallet = true
  mine.missed()
  t.deepEqual(await addresses(), ['0x3'])
})

test('N-118 what is read while events begin to arrive again is read once more', async (t) => {
  const store = newStore(t)
  const other = ledgerOn(store, fixedWorld('other')).wallet
  await other.setAddress('acc', { asset: 'eth', addresses: ['0x1'] })
  const slow = gate()
  let held = true
  const holding = {
    ...store,
    async *read(...where: Parameters<EventStore['read']>) {
      const pages = await Array.fromAsync(store.read(...where))
      if (held) await slow.opened
      yield* pages
    },
  }
  const mine = createLedger(holding, fixedWorld('mine'), noSnapshots)
  const reading = mine.open(cause).ledger.wallet.recent('acc')
  await turns()
  // This one does not arrive.
  await other.setAddress('acc', { asset: 'eth', addresses: ['0x2'] })
  mine.missed()
  held = false
  slow.open()
  t.deepEqual((await reading).eth?.addresses, ['0x2'])
})

test('N-118 a state that is old because its events do not arrive is no lost race, and is read first from then on', async (t) => {
  const real = newStore(t)
  const counted = countingReads(real)
  let appends = 0
  const store = around(counted.store, (go) => (...given) => {
    appends++
    return go(...given)
  })
  const contended: string[] = []
  const homes = { handOver: () => undefined, contended: (stream: string) => void contended.push(stream) }
  const hearing = { isKept: () => false, changesRow: () => false, arrives: () => false, isFresh: () => false }
  const mine = createLedger(store, fixedWorld('mine'), noSnapshots, { homes, hearing })
  const here = mine.open(cause).ledger.wallet
  const there = ledgerOn(real, fixedWorld('other')).wallet
  const set = (wallet: typeof here, address: string) => wallet.setAddress('acc', { asset: 'eth', addresses: [address] })
  await set(here, '0x1')
  // A stream that nobody else writes to is not read again.
  await set(here, '0x2')
  t.deepEqual([counted.reads(), appends], [1, 2])
  await set(there, '0x3')
  await set(here, '0x4')
  t.deepEqual([counted.reads(), appends], [2, 4], 'one append on the old state, and one on the new')
  await set(there, '0x5')
  await set(here, '0x6')
  t.deepEqual([counted.reads(), appends], [3, 5], 'read first')
  t.deepEqual([mine.counts.lostRaces, contended], [0, []])
})

test('N-109 a session tells the newest event that it rests on of a stream that other processes keep', async (t) => {
  const store = newStore(t)
  const isKept = (stream: string) => stream.startsWith('wallet-')
  const hearing = { isKept, changesRow: () => false, arrives: () => true, isFresh: () => true }
  const session = createLedger(store, fixedWorld(), noSnapshots, { hearing }).open(cause)
  const { ledger } = session
  t.is(session.kept(), -1n)
  await ledger.resource.create('res', created)
  t.true(session.position() >= 0n)
  t.is(session.kept(), -1n)
  const { position } = await ledger.wallet.setAddress('acc', { asset: 'eth', addresses: ['0x1'] })
  await ledger.resource.create('other', created)
  t.is(session.kept(), position)
  t.true(session.position() > position)
})

test('N-173 a session tells the newest event that changes a row which other processes keep, whichever stream it is of', async (t) => {
  const store = newStore(t)
  const changesRow = ({ type }: LedgerEvent) => type === 'ResourceDisabled'
  const hearing = { isKept: () => false, changesRow, arrives: () => true, isFresh: () => true }
  const session = createLedger(store, fixedWorld(), noSnapshots, { hearing }).open(cause)
  const { ledger } = session
  await ledger.resource.create('res', created)
  t.is(session.kept(), -1n)
  const { position } = await ledger.resource.disable('res', { accountId: created.accountId })
  await ledger.resource.create('other', created)
  t.is(session.kept(), position)
})
