import { type ByteLog, copyOf, type StoredBytes } from '../../adapters/store/base/bytes.ts'
import { MAX_APPEND_BYTES } from '../../adapters/store/base/limits.ts'
import { bytesOf } from '../../adapters/store/base/recorded.ts'
import type { Original } from './compare.ts'

/** The most events in one append; a longer run is cut. */
const RUN_EVENTS_MAX = 500

/**
 * Appends what the original holds after a position to its copy. Events that follow each other in one stream go out
 * together, and never an event before one that comes earlier, so the order of the whole log stays as it is and a copy
 * that is cut off is the beginning of it.
 */
export const copyEvents = async (
  original: Original,
  copy: ByteLog,
  after: bigint,
  onCopied: (position: bigint) => void,
): Promise<void> => {
  const underWay: Promise<void>[] = []
  for await (const { stream, expected, run, position } of runsOf(original, after)) {
    const appended = copy.append(stream, expected, run)
    // It is waited for below; until then its failure must not count as unhandled.
    appended.catch(() => {})
    underWay.push(appended)
    if (underWay.length >= copy.appendsInOrder) await underWay.shift()
    onCopied(position)
  }
  await Promise.all(underWay)
}

type Run = { stream: string; expected: bigint; run: StoredBytes[]; position: bigint }

async function* runsOf({ bytes, head, base }: Original, after: bigint): AsyncGenerator<Run> {
  let open: Run | undefined
  let size = 0
  for await (const page of bytes.readAll(after, head))
    for (const event of page) {
      const copied = copyOf(event, base)
      const more = bytesOf(copied)
      const joins =
        open?.stream === event.stream &&
        open.expected + BigInt(open.run.length) + 1n === event.revision &&
        open.run.length < RUN_EVENTS_MAX &&
        size + more <= MAX_APPEND_BYTES
      if (open && !joins) yield open
      if (!open || !joins) {
        open = { stream: event.stream, expected: event.revision - 1n, run: [], position: event.position }
        size = 0
      }
      open.run.push(copied)
      open.position = event.position
      size += more
    }
  if (open) yield open
}
