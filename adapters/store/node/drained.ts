/** Waiting for a slow peer, so that nothing is buffered for it beyond what the transport holds. */
import type { EventEmitter } from 'node:events'

/** Resolves when the peer has taken what was written, or is gone. */
export const drained = (call: EventEmitter): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      for (const event of EVENTS) call.off(event, done)
      resolve()
    }
    for (const event of EVENTS) call.on(event, done)
  })

const EVENTS = ['drain', 'cancelled', 'close', 'error']
