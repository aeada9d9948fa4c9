/**
 * appendToStream of `@event-driven-io/emmett-postgresql`, as its documentation has it. The argument is the database's
 * URL.
 */
import { type Event, STREAM_DOES_NOT_EXIST } from '@event-driven-io/emmett'
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql'
import { answering } from '../answering.ts'
import { type Flight, fly } from '../flight.ts'
import { ACCOUNTS, EVENT_BYTES } from '../sizes.ts'

type Debited = Event<'CreditDebited', { ref: string; position: string }>

const store = getPostgreSQLEventStore(process.argv[2] ?? '')
await store.schema.migrate()
const versions = new Map<string, bigint>()
let count = 0

const append = async (stream: string) => {
  const position = String(++count)
  const rest = JSON.stringify({ ref: '', position }).length
  const event: Debited = { type: 'CreditDebited', data: { ref: 'x'.repeat(EVENT_BYTES - rest), position } }
  const expectedStreamVersion = versions.get(stream) ?? STREAM_DOES_NOT_EXIST
  const { nextExpectedStreamVersion } = await store.appendToStream(stream, [event], { expectedStreamVersion })
  versions.set(stream, nextExpectedStreamVersion)
}

await answering<Flight>(
  (flight) => {
    const per = ACCOUNTS / flight.inFlight
    return fly(flight, (lane, piece) => append(`spread-${lane * per + (piece % per)}`))
  },
  () => store.close(),
)
