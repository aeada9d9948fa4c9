import type { Core } from '../../adapters/store/node/core.ts'
import { EVENT_BYTES } from '../sizes.ts'

/**
 * Counts the events that a log has got since the last call, by reading them; throws when one is not of the measured
 * size.
 */
export const eventCounter = (core: Core): (() => number) => {
  let position = core.last()
  return () => {
    let events = 0
    for (;;) {
      const page = core.readAll(position, 1_000, 'forwards')
      if (page.length === 0) return events
      if (page.some(({ data }) => data.length !== EVENT_BYTES)) throw new Error('an event is not of the measured size')
      events += page.length
      position = page.at(-1)?.position ?? position
    }
  }
}
