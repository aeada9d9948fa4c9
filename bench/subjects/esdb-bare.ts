/**
 * The client of EventStoreDB by itself, used as safely as the adapter uses it: unary appends with ids, an expected
 * revision and a time limit; nothing is tried again. The argument is the node's URL.
 */
import { EventStoreDBClient, FORWARDS, jsonEvent, NO_STREAM, START } from '@eventstore/db-client'
import { answering } from '../answering.ts'
import { esdbRounds } from './esdb-rounds.ts'
import { newBenchEvent } from './new-event.ts'

const APPEND_TIMEOUT_MS = 5_000
/** Any credentials make the client send each append as a call of its own; without TLS it never sends them. */
const credentials = { username: 'nobody', password: 'nobody' }
const client = EventStoreDBClient.connectionString(process.argv[2] ?? '')

await answering(
  esdbRounds({
    append: async (stream, expected) => {
      const { id, type, data, meta } = newBenchEvent()
      const { nextExpectedRevision } = await client.appendToStream(
        stream,
        jsonEvent({ id, type, data, metadata: { ...meta } }),
        { expectedRevision: expected < 0n ? NO_STREAM : expected, credentials, deadline: APPEND_TIMEOUT_MS },
      )
      return nextExpectedRevision
    },
    readAll: async (count) => {
      let events = 0
      // One more event is asked for, because every store begins with one of its own.
      const read = client.readAll({ fromPosition: START, direction: FORWARDS, maxCount: count + 1 })
      for await (const { event } of read) if (event && !event.type.startsWith('$')) events++
      return events
    },
  }),
  () => client.dispose(),
)
