import type { RecordedEvent } from '../../domain/kernel/ports.ts'

/** The most pages that wait at once: at most 4,000 events of the feed, or some 16 MB of a log. */
const PAGES_MAX = 4

type Page = readonly RecordedEvent[]

/**
 * Goes on reading while its reader is at work, and hands over in one piece what has come meanwhile: so a follower that
 * is behind takes large steps, and one that is up to date still gets every event at once. The signal that `open` is
 * given aborts when the reader leaves.
 *
 * @param fromEvents after a page of fewer events the next one is read when the reader asks for it: a feed gathers what
 *   comes meanwhile by itself, and need not wake anybody
 */
export async function* readAhead(
  open: (signal: AbortSignal) => AsyncIterable<Page>,
  fromEvents = 0,
): AsyncGenerator<Page> {
  const leaving = new AbortController()
  const waiting: Page[] = []
  let over = false
  let asked = false
  // Only one side ever waits: the reader for a page, or the reading for room.
  let wake = () => {}
  const change = () => new Promise<void>((resolve) => (wake = resolve))

  const reading = (async () => {
    for await (const page of open(leaving.signal)) {
      waiting.push(page)
      asked = false
      wake()
      const isFull = () => (page.length < fromEvents ? !asked : waiting.length >= PAGES_MAX)
      while (isFull() && !leaving.signal.aborted) await change()
      if (leaving.signal.aborted) return
    }
  })().finally(() => {
    over = true
    wake()
  })
  reading.catch(() => {})

  try {
    for (;;) {
      while (waiting.length === 0 && !over) {
        asked = true
        wake()
        await change()
      }
      if (waiting.length === 0) break
      const pages = waiting.splice(0)
      wake()
      yield pages.flat()
    }
    await reading
  } finally {
    // The end of the reading is not waited for: a store that does not answer must not keep a follower that failed from
    // starting again.
    leaving.abort(LEFT)
    wake()
  }
}

/** One for all: a service stops some ninety readers, and each would make an error of its own. */
const LEFT = new Error('the reader has left')
