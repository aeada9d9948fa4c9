/**
 * The client of EventStoreDB by itself: appends with ids and an expected revision, nothing is tried again. The
 * arguments are the node's URL and, for appends that share a call and have no time limit, `batches`; else each is a
 * call of its own, with a time limit.
 */
import { EventStoreDBClient, FORWARDS, jsonEvent, NO_STREAM, START } from '@eventstore/db-client'
import { answering } from '../answering.ts'
import { esdbRounds } from './esdb-rounds.ts'
import { newBenchEvent } from './new-event.ts'

const APPEND_TIMEOUT_MS = 5_000
/** Any credentials make the client send each append as a call of its own; without TLS it never sends them. */
const credentials = { username: 'nobody', password: 'nobody' }
const [, , url = '', way] = process.argv
const safely = way === 'batches' ? {} : { credentials, deadline: APPEND_TIMEOUT_MS }
const client = EventStoreDBClient.connectionString(url)

await answering(
  esdbRounds({
    append: async (stream, expected) => {
      const { id, type, data, meta } = newBenchEvent()
      const { nextExpectedRevision } = await client.appendToStream(
        stream,
        jsonEvent({ id, type, data, metadata: { ...meta } }),
        { expectedRevision: expected < 0n ? NO_STREAM : expected, ...safely },
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
