import { type ByteLog, copyOf, orderOf, type StoredBytes } from '../../adapters/store/base/bytes.ts'

/** Two logs side by side, event by event: whether the one is a copy of the other, and how far. */

/** A log up to its head; `base` is what the ledger's own order adds to its positions. */
export type Original = { readonly bytes: ByteLog; readonly head: bigint; readonly base: bigint }
export type Copy = { readonly bytes: ByteLog; readonly head: bigint }

export type LogComparison = {
  /** Events that both have, from the first on. */
  readonly events: number
  /** Positions of the last of them in each log, and its place in the ledger's order; -1n when there is none. */
  readonly original: bigint
  readonly copy: bigint
  readonly order: bigint
  /** True when the copy ends before the original does. */
  readonly shorter: boolean
  /** The first event of the copy after the end of the original. */
  readonly next: StoredBytes | undefined
}

/** The first event that is not what it should be. */
export class LogDifference extends Error {
  override readonly name = 'LogDifference'
  readonly expected: StoredBytes
  readonly found: StoredBytes
  /** The parts of it that differ: `data`, `metadata`, … */
  readonly parts: readonly string[]
  constructor(expected: StoredBytes, found: StoredBytes, parts: readonly string[]) {
    super(`${nameOf(expected)} differs in its ${parts.join(' and ')}`)
    this.expected = expected
    this.found = found
    this.parts = parts
  }
}

/** An event in words for people. */
export const nameOf = ({ stream, revision, type, id }: StoredBytes): string =>
  `event ${revision} of ${stream} (${type}, ${id})`

/** Reads both logs once. Throws LogDifference; `onPair` is told the positions of each event that both have. */
export const compareLogs = async (
  original: Original,
  copy: Copy,
  onPair: (original: bigint, copy: bigint) => void,
): Promise<LogComparison> => {
  const left = eventsOf(original.bytes.readAll(-1n, original.head))
  const right = eventsOf(copy.bytes.readAll(-1n, copy.head))
  let [events, last, copied, order] = [0, -1n, -1n, -1n]
  try {
    for (;;) {
      const [{ value: event }, { value: found }] = await Promise.all([left.next(), right.next()])
      if (!event || !found)
        return { events, original: last, copy: copied, order, shorter: event !== undefined, next: found ?? undefined }
      const expected = copyOf(event, original.base)
      const parts = differences(expected, found)
      if (parts.length > 0) throw new LogDifference(expected, found, parts)
      events++
      last = event.position
      copied = found.position
      order = orderOf(event, original.base)
      onPair(last, copied)
    }
  } finally {
    await Promise.all([left.return(undefined), right.return(undefined)])
  }
}

async function* eventsOf(pages: AsyncIterable<readonly StoredBytes[]>): AsyncGenerator<StoredBytes, undefined> {
  for await (const page of pages) yield* page
  return undefined
}

/** The words for what differs. The place of an event is compared first, because in another place everything differs. */
const differences = (expected: StoredBytes, found: StoredBytes): string[] => {
  if (expected.stream !== found.stream || expected.revision !== found.revision)
    return [`place (there is ${nameOf(found)})`]
  return [
    ...(expected.id === found.id ? [] : ['id']),
    ...(expected.type === found.type ? [] : ['type']),
    ...(expected.contentType === found.contentType ? [] : ['content type']),
    ...(Buffer.compare(expected.data, found.data) === 0 ? [] : ['data']),
    ...(Buffer.compare(expected.metadata, found.metadata) === 0 ? [] : ['metadata']),
  ]
}
