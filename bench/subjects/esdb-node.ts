/**
 * A node that serves EventStoreDB's protocol on a log of its own. Arguments: the log's file, and how many events to
 * begin with.
 */

import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { answering } from '../answering.ts'
import { fly } from '../flight.ts'
import { eventCounter } from './event-counter.ts'
import { newBenchEvent } from './new-event.ts'

const EVENTS_PER_APPEND = 100

const [file = '', events = '0'] = process.argv.slice(2)
const core = openCore(file)
const store = embeddedStore(core)
await fly({ inFlight: 8, count: Number(events) / EVENTS_PER_APPEND }, (lane, piece) =>
  store.append(`first-${lane}-${piece}`, -1n, Array.from({ length: EVENTS_PER_APPEND }, newBenchEvent)),
)
const served = await serveProtocol(core, '127.0.0.1:0')
const newEvents = eventCounter(core)

await answering(
  async () => ({ url: `esdb://${served.address}?tls=false`, events: newEvents() }),
  async () => {
    await served.stop()
    await core.close()
  },
)
