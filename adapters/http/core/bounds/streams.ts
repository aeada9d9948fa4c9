import { PassThrough, pipeline, Readable } from 'node:stream'
import { Refusal } from '../../../../domain/kernel/refusal.ts'

/** How many streams of one kind this process serves: in all, and to one listener. */
type StreamBounds = { readonly all: number; readonly each: number }

/** Headers of server-sent events. */
export const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  Connection: 'close',
  // Otherwise nginx keeps back what is said until there is more of it.
  'X-Accel-Buffering': 'no',
}

/** Counts the streams under way and refuses `busy` above the bounds. */
export const createStreams = (bounds: StreamBounds) => {
  const underWay = new Map<string, number>()
  let all = 0

  const count = (listener: string, change: 1 | -1) => {
    all += change
    const left = (underWay.get(listener) ?? 0) + change
    if (left === 0) underWay.delete(listener)
    else underWay.set(listener, left)
  }

  return {
    /** Streams what `follow` says until its listener has left or the service stops. */
    start(listener: string, stopping: AbortSignal, follow: (left: AbortSignal) => AsyncGenerator<string>): Readable {
      if (all >= bounds.all || (underWay.get(listener) ?? 0) >= bounds.each)
        throw new Refusal('busy', 'Too many pages are open. Ask again now and then instead.')
      count(listener, 1)
      const leaving = new AbortController()
      const stream = new PassThrough()
      stream.once('close', () => {
        leaving.abort()
        count(listener, -1)
      })
      const left = AbortSignal.any([stopping, leaving.signal])
      pipeline(Readable.from(follow(left)), stream, () => {})
      return stream
    },
  }
}
