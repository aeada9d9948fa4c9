import test, { type ExecutionContext } from 'ava'
import { createSharedBuckets } from '../../adapters/http/core/bounds/shared-buckets.ts'
import { networkOf } from '../../adapters/http/core/network-of.ts'
import { allowanceOf, createStrangerBytes } from '../../adapters/http/serving/stranger-bytes.ts'
import { type EventStore, WrongRevision } from '../../domain/kernel/ports.ts'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { around, noSnapshots } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'

/** What strangers may make the log grow by, where it grows. */

const BUDGET = 4_000
/** Characters of what one call writes, so that three of them are more than all of it. */
const TEXT = 'x'.repeat(1_500)

const setUp = ({ store = memoryStore() as EventStore } = {}) => {
  const clock = { ms: 0 }
  // One process, which counts by itself because nobody answers it.
  const nobody = { settle: () => Promise.reject(new Error('nobody answers')) }
  const alone = createSharedBuckets(
    nobody,
    { named: String, processes: () => 1 },
    { warn: () => {} },
    { nowMs: () => clock.ms },
  )
  const bytes = createStrangerBytes(alone, { perSecond: BUDGET / 3_600, burst: BUDGET })
  const { open } = createLedger(store, fixedWorld(), noSnapshots)
  /** The ledger as one call of a network sees it. */
  const call = (network = 'here', pays = false) =>
    open({ actor: 'public', correlationId: 'c' }, allowanceOf(bytes, network, pays)).ledger
  let streams = 0
  const write = (ledger = call(), text = TEXT) =>
    ledger.integrations.set(`acc_${++streams}`, { values: text as never, fingerprint: String(streams) })
  return { clock, bytes, call, write }
}

const refusedFor = async (t: ExecutionContext, work: Promise<unknown>): Promise<number> => {
  const error = await t.throwsAsync(work)
  t.true(isRefusal(error, 'rate-limited'), String(error))
  return isRefusal(error, 'rate-limited') ? (error.retryAfterS ?? -1) : -1
}

test('L-JSN-12 what a network writes without a key is counted as it is appended, and ends with the call that goes beyond it', async (t) => {
  const store = memoryStore()
  const { clock, call, write } = setUp({ store })
  await write()
  await write()
  t.is(store.events().length, 2)
  await write()
  const wait = await refusedFor(t, write())
  t.is(store.events().length, 3, 'what is refused is not appended')
  const appended = store.events().reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)
  t.true(appended > BUDGET && appended < BUDGET + 2 * TEXT.length)
  await write(call('elsewhere'))

  clock.ms = (wait - 1) * 1_000
  await refusedFor(t, write())
  clock.ms = wait * 1_000
  await write()
  clock.ms += 3_600_000
  await write()
  await write()
})

test('L-JSN-12 a call that has begun to write is brought to its end, so that nothing is left half done', async (t) => {
  const { call, write } = setUp()
  const begun = call()
  for (let n = 0; n < 5; n++) await t.notThrowsAsync(write(begun))
  await refusedFor(t, write(call()))
})

test('L-JSN-12 X-IDEM-04 who pays is never refused for what others of the network have written, and may then open what the payment needs', async (t) => {
  const { call, write } = setUp()
  const flood = call()
  for (let n = 0; n < 5; n++) await write(flood)
  await t.notThrowsAsync(write(call('here', true)))
  const until = '2100-01-01T00:00:00.000Z'
  const signed = call()
  await t.notThrowsAsync(
    signed.payer.reserve('base:usdc:0x1', { authorizationId: 'a', value: '1', balance: '1', until }),
  )
  await t.notThrowsAsync(write(signed))
  await refusedFor(t, write(call()))
})

test('what lost its race was not appended, and is counted once', async (t) => {
  let races = 3
  const inner = memoryStore()
  const store = around(inner, (go) => (...args) => {
    if (races-- > 0) throw new WrongRevision('another was first')
    return go(...args)
  })
  const { write } = setUp({ store })
  await write()
  await write()
  t.is(inner.events().length, 2)
  await t.notThrowsAsync(write(), 'two were appended, and there is room for the one that goes beyond')
})

test('X-RATE-01 a writer is one IPv4 address, or one /56 of IPv6', (t) => {
  t.is(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
  t.not(networkOf('192.0.2.1'), networkOf('192.0.2.2'))
  const [one, same, next] = ['2001:db8:1:100::1', '2001:db8:1:1ff:ffff::2', '2001:db8:1:200::1'].map(networkOf)
  t.is(one, same)
  t.not(one, next)
  t.is(networkOf('2001:db8::1'), networkOf('2001:db8:0:ff::1'))
  t.not(networkOf('2001:db8::1'), networkOf('2001:db8:0:100::1'))
  t.is(networkOf('::1'), '0:0:0:0')
})
