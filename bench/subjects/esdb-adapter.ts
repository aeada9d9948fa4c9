/** The EventStoreDB adapter alone. The argument is the node's URL. */
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { answering } from '../answering.ts'
import { esdbRounds } from './esdb-rounds.ts'
import { newBenchEvent } from './new-event.ts'

const store = eventStoreDb(process.argv[2] ?? '')

await answering(
  esdbRounds({
    append: async (stream, expected) => {
      const { revision } = await store.append(stream, expected, [newBenchEvent()])
      return revision
    },
    readAll: async (count) => {
      let events = 0
      for await (const page of store.readAll(-1n)) {
        events += page.length
        if (events >= count) break
      }
      return events
    },
  }),
  () => store.close(),
)
