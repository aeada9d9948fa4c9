import type { AnyDecider } from '../kernel/decider.ts'
import type { EventStore, RecordedEvent, World } from '../kernel/ports.ts'
import type { Lane } from './lane.ts'
import type { Lanes } from './lanes.ts'

/**
 * Keeps a command that two processes may be deciding from being written twice. Whoever decides it first makes sure that
 * its state holds no event which the other one wrote for the same command; and because every append names the revision
 * of that state, an event which the other one writes later makes the append fail.
 */
export type Fence = {
  /** The stream up to here holds no event of the command. */
  after: bigint
  /** The ids that the other process gives to the first event of the command, by its attempts. */
  readonly ids: ReadonlyMap<string, number>
  /** How many events are read at most to find them; undefined for as many as there are. */
  readonly searchMax: bigint | undefined
}

/** Too much has been written to a stream to find out whether a command is among it. */
export class SearchTooLong extends Error {
  override readonly name = 'SearchTooLong'
}

/** What the other process wrote for the command. */
export class WrittenElsewhere extends Error {
  override readonly name = 'WrittenElsewhere'
  readonly first: RecordedEvent
  readonly attempt: number

  constructor(first: RecordedEvent, attempt: number) {
    super(`the command was written at ${first.revision} of ${first.stream}`)
    this.first = first
    this.attempt = attempt
  }
}

/** Who decides a command: the process that was asked for it, or the home of its stream. */
export type Author = 'asked' | 'home'

/** How often a command is decided at most, by each of the two. */
export const ATTEMPTS_MAX = 8

/** What the id of an event is made from: both authors and all attempts have different ones. */
export const seedOf = (stream: string, commandId: string, author: Author, attempt: number, place: number): string =>
  author === 'asked'
    ? [stream, commandId, attempt, place].join('|')
    : [stream, commandId, author, attempt, place].join('|')

/** A fence against what another author may write. */
export const fenceAgainst = (
  author: Author,
  world: Pick<World, 'uuidFrom'>,
  { stream, commandId, after }: { stream: string; commandId: string; after: bigint },
): Fence => {
  const ids = Array.from({ length: ATTEMPTS_MAX }, (_, i) => {
    const attempt = i + 1
    return [world.uuidFrom(seedOf(stream, commandId, author, attempt, 0)), attempt] as const
  })
  return { after, ids: new Map(ids), searchMax: author === 'asked' ? SEARCH_EVENTS_MAX : undefined }
}

/** Events that a home reads at most to find what the process that asked it wrote. */
const SEARCH_EVENTS_MAX = 1_000n
/** How often a stream is read again because others wrote to it during the last reading. */
const SEARCHES_MAX = 16

/**
 * The lane of a stream, whose state holds no event of the other author. Rejects with WrittenElsewhere, and with
 * SearchTooLong.
 */
export const fencedLane = async (
  { lanes, store }: { lanes: Lanes; store: EventStore },
  { decider, stream }: { decider: AnyDecider; stream: string },
  fence: Fence,
  fresh: boolean,
): Promise<Lane> => {
  let lane = await lanes.of(decider, stream, fresh)
  for (let searches = 0; lane.readTo > fence.after; searches++) {
    const { searchMax } = fence
    if (searches >= SEARCHES_MAX || (searchMax !== undefined && lane.readTo - fence.after > searchMax))
      throw new SearchTooLong(`${stream} was written to from ${fence.after} to ${lane.readTo}`)
    await search(store, stream, fence)
    lane = await lanes.of(decider, stream, false)
  }
  return lane
}

const search = async (store: EventStore, stream: string, fence: Fence): Promise<void> => {
  for await (const page of store.read(stream, fence.after + 1n)) {
    for (const event of page) {
      const attempt = fence.ids.get(event.id)
      if (attempt !== undefined) throw new WrittenElsewhere(event, attempt)
    }
    fence.after = page.at(-1)?.revision ?? fence.after
  }
}
