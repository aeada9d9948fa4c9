import test from 'ava'
import { eventStoreDb } from '../../adapters/store/eventstoredb.ts'
import { OutcomeUnknown } from '../../domain/ports.ts'
import { freePort } from '../../src/demo/port.ts'
import { runs } from '../support/depth.ts'
import { cuts } from './cuts.ts'
import { PLAY_MS, plays } from './outcome.ts'

test('while the wire to EventStoreDB is cut, held and given back the service goes on, says so, and loses nothing', async (t) => {
  t.timeout(PLAY_MS)
  await plays(t, cuts, runs({ quick: 2, deep: 9 }))
})

test('a read that the store never answered is told as that, so that its caller gets 503 and not an error of ours', async (t) => {
  const store = eventStoreDb(`esdb://127.0.0.1:${await freePort()}?tls=false`)
  const reading = store.head()
  setTimeout(() => store.close(), 200)
  await t.throwsAsync(reading, { instanceOf: OutcomeUnknown })
})
