/** Waiting for a slow peer, so that nothing is buffered for it beyond what the transport holds. */
import type { EventEmitter } from 'node:events'

/** The wait that is under way on each call: its answers all wait for the same moment, so they share the listeners. */
const waits = new WeakMap<EventEmitter, Promise<void>>()

/** Resolves when the peer has taken what was written, or is gone. */
export const untilDrained = (call: EventEmitter): Promise<void> => {
  const begun = waits.get(call) ?? drainOf(call)
  waits.set(call, begun)
  return begun
}

const drainOf = (call: EventEmitter): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      for (const event of EVENTS) call.off(event, done)
      waits.delete(call)
      resolve()
    }
    for (const event of EVENTS) call.on(event, done)
  })

const EVENTS = ['drain', 'cancelled', 'close', 'error']
