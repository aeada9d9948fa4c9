/** Pages of a stream that are whole: what the server leaves out of a stream it does not say. */
import { StreamDeletedError } from '@eventstore/db-client'
import { type CutStreams, endOfWhole } from '../base/cut-streams.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import type { RawEvent } from '../base/recorded.ts'
import { pause, RETRY_MAX_MS, RETRY_MIN_MS } from './patience.ts'
import type { Reads } from './reads.ts'

/**
 * The next page of a stream from a revision on; one that is shorter than a page is the last. Rejects with StreamCut
 * when it does not begin there, has a gap, or ends before the stream is known to have come to, and when the stream was
 * deleted for good.
 */
export type WholePages = (stream: string, from: bigint) => Promise<readonly RawEvent[]>

/**
 * Reads of a stream that ends too early, about 3 s apart from first to last: a server names the revision of a rival's
 * append, to whoever lost against it, a moment before that append can be read.
 */
const READS_OF_SHORT_STREAM = 7

export const wholePages =
  (reads: Reads, cuts: CutStreams, closing: AbortSignal): WholePages =>
  async (stream, from) => {
    const patient = cuts.of(stream) === undefined
    for (let attempt = 1; ; attempt++) {
      // What an append of our own brings while the read is under way need not be in it.
      const known = cuts.known(stream)
      const page = await reads.stream(stream, from, PAGE_EVENTS).catch((error: unknown) => {
        if (!(error instanceof StreamDeletedError)) throw error
        throw cuts.found(stream, 'tombstoned', 'was deleted on the server for good')
      })
      const end = endOfWhole(cuts, stream, from, page)
      // A page from beyond the end says nothing of what comes before it.
      if (page.length > 0) cuts.reached(stream, end)
      if (page.length === PAGE_EVENTS || end >= known) return page
      if (!patient || attempt === READS_OF_SHORT_STREAM)
        throw cuts.found(stream, 'incomplete', `ends at revision ${end}, and had come to ${known}`)
      await pause(attempt, RETRY_MIN_MS, RETRY_MAX_MS, closing)
    }
  }
