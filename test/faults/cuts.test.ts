import test from 'ava'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { freePort } from '../../src/demo/port.ts'

test('a read that the store never answered is told as that, so that its caller gets 503 and not an error of ours', async (t) => {
  const store = eventStoreDb(`esdb://127.0.0.1:${await freePort()}?tls=false`)
  const reading = store.head()
  setTimeout(() => store.close(), 200)
  await t.throwsAsync(reading, { instanceOf: OutcomeUnknown })
})
