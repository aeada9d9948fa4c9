import test from 'ava'
import type { EventStore } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { everything, gate, ledgerOn, newStore, noSnapshots, streamOf, turns } from '../support/ledger.ts'
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
  let reads = 0
  const real = newStore(t)
  const store: EventStore = {
    ...real,
    read(...where) {
      reads++
      return real.read(...where)
    },
  }
  const ledger = ledgerOn(store)
  await ledger.resource.create('res', created)
  t.is(reads, 0)
  const again = ledgerOn(store, fixedWorld('again'))
  const refused = await t.throwsAsync(again.resource.create('res', created), { instanceOf: Refusal })
  t.is(refused?.code, 'id-taken')
  t.is((await streamOf(real, 'resource-res')).length, 1)
  t.is((await again.resource.recent('res')).status, 'active')
})
