import test from 'ava'
import { type EventStore, OutcomeUnknown, WrongRevision } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { createLedger, type Ledger } from '../../domain/write-side/ledger.ts'
import { around, gate, ledgerOn, newStore, noSnapshots, streamOf, turns } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/**
 * What is released, and when: a decision on state that is not yet on the disk waits for that state, and falls with it.
 */

const STREAM = 'wallet-acc_1'
const set = (ledger: Ledger, asset: string, address = 'a') =>
  ledger.wallet.setAddress('acc_1', { asset, addresses: [address] })

test('what is decided on unflushed state is released only after that state is on the disk', async (t) => {
  const { ledger, hold, released } = await gated(newStore(t))
  hold()
  const order: string[] = []
  const note = (name: string) => () => order.push(name)
  const first = set(ledger, 'eth').then(note('first'))
  await turns()
  const second = set(ledger, 'sol').then(note('second'))
  const quiet = set(ledger, 'eth').then(note('nothing to do'))
  const refused = ledger.wallet.pause('acc_1', { asset: 'trx' }).catch(note('refused'))
  const read = ledger.wallet.read('acc_1').then(note('read'))
  await turns(20)
  t.deepEqual(order, [])
  released.open()
  await Promise.all([first, second, quiet, refused, read])
  t.is(order[0], 'first')
  t.deepEqual([...order].sort(), ['first', 'nothing to do', 'read', 'refused', 'second'])
})

test('a read never shows what is not on the disk, in whatever turn the write comes between', async (t) => {
  for (let ticks = 0; ticks < 40; ticks++) {
    const { ledger, hold, released } = await gated(newStore(t))
    await set(ledger, 'btc')
    hold()
    const reading = ledger.wallet.read('acc_1')
    for (let n = 0; n < ticks; n++) await null
    const writing = set(ledger, 'eth')
    const seen = await Promise.race([reading, turns(10).then(() => 'waiting' as const)])
    if (seen !== 'waiting') t.is(seen.eth, undefined, `after ${ticks} ticks`)
    released.open()
    await Promise.all([reading, writing])
  }
})

test('when an append fails, its caller is told, and what was decided after it is decided again', async (t) => {
  const store = newStore(t)
  const { ledger, hold, released } = await gated(store, () => new Error('disk full'))
  await set(ledger, 'btc')
  hold()
  const first = set(ledger, 'eth')
  await turns()
  const later = set(ledger, 'sol')
  // On the speculative state eth is there; once that is thrown away it is not.
  const quiet = set(ledger, 'eth')
  const paused = ledger.wallet.pause('acc_1', { asset: 'eth' })
  released.open()
  await t.throwsAsync(first, { message: 'disk full' })
  await Promise.all([later, quiet, paused])
  const events = (await streamOf(store, STREAM)).map(({ type, data }) => `${type} ${(data as { asset: string }).asset}`)
  t.is(events.filter((event) => event === 'WalletAddressSet eth').length, 1, events.join())
  t.deepEqual([...events].sort(), [
    'WalletAddressSet btc',
    'WalletAddressSet eth',
    'WalletAddressSet sol',
    'WalletPaused eth',
  ])
  t.deepEqual(await ledger.wallet.read('acc_1'), await ledgerOn(store).wallet.read('acc_1'))
})

test('a refusal that was decided on state which is then thrown away is decided again', async (t) => {
  const store = newStore(t)
  const { ledger, hold, released } = await gated(store, () => new Error('disk full'))
  const claim = (accountId: string) => ledger.email.claim('e', { accountId })
  hold()
  const first = claim('acc_1')
  await turns()
  const second = claim('acc_2')
  await turns()
  released.open()
  await t.throwsAsync(first, { message: 'disk full' })
  t.is((await second).state.holder, 'acc_2')
})

test('what another process appends is taken along where it arrives, and nothing is read for it', async (t) => {
  const store = newStore(t)
  let reads = 0
  const counting: EventStore = {
    ...store,
    read: (...given) => {
      reads++
      return store.read(...given)
    },
  }
  const doors = createLedger(counting, fixedWorld('here'), noSnapshots)
  const { ledger } = doors.open({ actor: 'tester', correlationId: 'here' })
  const other = ledgerOn(store)
  await set(ledger, 'btc')
  await set(other, 'eth')
  const arrives = async () => doors.arrived((await streamOf(store, STREAM)).slice(-1))
  await arrives()
  reads = 0
  t.deepEqual(Object.keys(await ledger.wallet.recent('acc_1')).sort(), ['btc', 'eth'])
  await set(ledger, 'eth')
  await set(ledger, 'sol')
  t.is(reads, 1, 'only that there is nothing to do is not said without a look at the store')
  // One of two is missing here, so the stream is read again.
  await set(other, 'trx')
  await set(other, 'pol')
  await arrives()
  t.deepEqual(await ledger.wallet.recent('acc_1'), await other.wallet.read('acc_1'))
})

test('a state from a log that was put back takes along nothing of what is written since', async (t) => {
  const [store, before] = [newStore(t), newStore(t)]
  let log = store
  const behind: EventStore = { ...store, read: (...given) => log.read(...given) }
  const doors = createLedger(behind, fixedWorld('here'), noSnapshots)
  const { ledger } = doors.open({ actor: 'tester', correlationId: 'here' })
  for (const asset of ['btc', 'eth', 'sol'])
    await ledgerOn(store).wallet.setAddress('acc_2', { asset, addresses: ['a'] })
  await set(ledger, 'btc')
  // The log that was put back has other events at earlier places.
  log = before
  await set(ledgerOn(before), 'eth')
  await set(ledgerOn(before), 'sol')
  doors.arrived((await streamOf(before, STREAM)).slice(1))
  t.deepEqual(Object.keys(await ledger.wallet.recent('acc_1')).sort(), ['eth', 'sol'])
})

test('a state with something that could not be appended takes along nothing that arrives', async (t) => {
  const store = newStore(t)
  let isFull = false
  const failing: EventStore = {
    ...store,
    append: async (...given) => {
      if (isFull) throw new Error('disk full')
      return store.append(...given)
    },
  }
  const doors = createLedger(failing, fixedWorld('here'), noSnapshots)
  const { ledger } = doors.open({ actor: 'tester', correlationId: 'here' })
  const other = ledgerOn(store)
  await set(ledger, 'btc')
  isFull = true
  await t.throwsAsync(set(ledger, 'sol'), { message: 'disk full' })
  isFull = false
  // The first of them has the place of what was not appended, and the second would be the next.
  await set(other, 'eth')
  await set(other, 'trx')
  doors.arrived((await streamOf(store, STREAM)).slice(1))
  t.deepEqual(Object.keys(await ledger.wallet.recent('acc_1')).sort(), ['btc', 'eth', 'trx'])
})

test('a foreign writer between costs one attempt and no event', async (t) => {
  const store = newStore(t)
  const foreign = ledgerOn(store, fixedWorld('foreign'))
  const { ledger, hold, released } = await gated(store)
  await set(ledger, 'btc')
  await set(foreign, 'trx')
  hold()
  const racing = ['eth', 'sol', 'usdc', 'usdt'].map((asset) => set(ledger, asset))
  await turns()
  released.open()
  await Promise.all(racing)
  t.deepEqual(Object.keys(await foreign.wallet.read('acc_1')).sort(), ['btc', 'eth', 'sol', 'trx', 'usdc', 'usdt'])
  t.is((await streamOf(store, STREAM)).length, 6)
})

for (const landed of [true, false])
  test(`an unknown outcome of an append that ${landed ? 'happened' : 'did not happen'} is told, and the stream goes on`, async (t) => {
    const store = newStore(t)
    let once = true
    const lossy = around(store, (go) => async (...call) => {
      if (!once) return go(...call)
      once = false
      if (landed) await go(...call)
      throw new OutcomeUnknown('no answer in time')
    })
    const ledger = ledgerOn(lossy)
    await t.throwsAsync(set(ledger, 'eth'), { instanceOf: OutcomeUnknown })
    const again = await set(ledger, 'eth')
    t.is(again.events.length, landed ? 0 : 1)
    await set(ledger, 'sol')
    t.is((await streamOf(store, STREAM)).length, 2)
  })

test('an append whose outcome is unknown and that lands late is neither lost nor doubled', async (t) => {
  const store = newStore(t)
  let late: (() => Promise<unknown>) | undefined
  const lossy = around(store, (go) => async (...call) => {
    if (late) return go(...call)
    late = () => go(...call)
    throw new OutcomeUnknown('no answer in time')
  })
  const ledger = ledgerOn(lossy)
  await t.throwsAsync(set(ledger, 'eth'), { instanceOf: OutcomeUnknown })
  await ledger.wallet.read('acc_1')
  await late?.()
  await set(ledger, 'eth')
  await set(ledger, 'sol')
  t.is((await streamOf(store, STREAM)).length, 2)
})

test('a stream that is lost to others eight times over is given up as busy, with nothing written', async (t) => {
  const store = newStore(t)
  const never = around(store, () => async (stream) => {
    throw new WrongRevision(stream)
  })
  const refusal = await t.throwsAsync(set(ledgerOn(never), 'eth'), { instanceOf: Refusal })
  t.is(refusal?.code, 'busy')
  t.is((await streamOf(store, STREAM)).length, 0)
})

test('a thousand commands at once go out in appends that the store takes, in order', async (t) => {
  const store = newStore(t)
  const sizes: number[] = []
  const counted = around(store, (go) => (stream, expected, events) => {
    sizes.push(events.length)
    return go(stream, expected, events)
  })
  const ledger = ledgerOn(counted)
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => set(ledger, 'eth', `a${n}`)))
  const addresses = (await streamOf(store, STREAM)).map(({ data }) => (data as { addresses: string[] }).addresses[0])
  t.deepEqual(
    addresses,
    Array.from({ length: 1_000 }, (_, n) => `a${n}`),
  )
  t.true(Math.max(...sizes) <= 200)
})

/** A ledger whose next append, once `hold()` was called, waits until `released` opens and then happens or fails. */
const gated = async (store: EventStore, failure?: () => Error) => {
  let held = false
  const released = gate()
  const slow = around(store, (go) => async (...call) => {
    if (!held) return go(...call)
    held = false
    await released.opened
    if (failure) throw failure()
    return go(...call)
  })
  const hold = () => {
    held = true
  }
  return { ledger: ledgerOn(slow), hold, released }
}
