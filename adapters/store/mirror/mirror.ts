/** Reads a mirror: only when it is of the very log that the store holds, and only as far as it goes. */
import type { RecordedEvent } from '../../../domain/kernel/ports.ts'
import type { ByteLog } from '../base/bytes.ts'
import type { LogLine } from '../base/log-line.ts'
import type { LogStore } from '../base/origin.ts'
import { eventAt, lineAt } from './mirror-line.ts'
import { pagesOf } from './reading.ts'
import { newestNote, type Segment, segmentsIn } from './segments.ts'
import { type End, endOf } from './writer.ts'

export type Mirror = {
  /** Position of its last event; -1n when there is none, or none that may be used. */
  reach(): Promise<bigint>
  /**
   * Pages after a position as far as it goes. A mirror that turns out to be damaged ends before the page in question.
   */
  events(after: bigint): AsyncGenerator<readonly RecordedEvent[]>
  /**
   * Lines after a position, up to and with another, as far as it goes. One that is damaged ends before the first
   * segment that is not what was written.
   */
  lines(after: bigint, until: bigint): AsyncGenerator<readonly LogLine[]>
}

/** Called once for each reason why a mirror is not used. */
export type MirrorWarning = (message: string, facts: { readonly reason: string; readonly dir: string }) => void

/** The mirror of a store's log in a directory, which may be empty. Nothing is opened yet. */
export const openMirror = (store: LogStore, dir: string, warn: MirrorWarning): Mirror => {
  const told = new Set<string>()
  let trusted = false
  let refused = false
  const refuse = (error: unknown): readonly Segment[] => {
    refused = true
    const reason = error instanceof Error ? error.message : String(error)
    if (!told.has(reason)) warn('the mirror of the log is not used', { reason, dir })
    told.add(reason)
    return []
  }
  /** The segments are looked at each time, because the writer goes on; whether they are of this log is asked once. */
  const segments = async (): Promise<readonly Segment[]> => {
    if (refused) return []
    const found = await segmentsIn(dir).catch(refuse)
    const end = endOf(found.map(({ note }) => note))
    if (!end || trusted) return found
    const difference = await mirrorDifference(store, end)
    if (difference !== undefined) return refuse(new Error(difference))
    trusted = true
    return found
  }
  return {
    reach: async () => endOf((await segments()).map(({ note }) => note))?.position ?? -1n,
    async *events(after) {
      const found = await segments()
      const { reading } = store
      await reading.learned()
      try {
        yield* pagesOf(found, { after, make: (...line) => eventAt(reading, ...line) })
      } catch (error) {
        refuse(error)
      }
    },
    async *lines(after, until) {
      const found = await segments()
      try {
        for await (const page of pagesOf(found, { after, make: lineAt, checked: true })) {
          const wanted = page.filter(({ position }) => position <= until)
          if (wanted.length > 0) yield wanted
          if (wanted.length < page.length) return
        }
      } catch (error) {
        refuse(error)
      }
    },
  }
}

/**
 * The last event of the mirror in a directory, as its newest note says; undefined when it holds none. Throws
 * MirrorDamage.
 */
export const mirrorEnd = async (dir: string): Promise<End | undefined> => {
  const note = await newestNote(dir)
  return note && endOf([note])
}

/** The reason why a mirror that ends so is not one of the store's log; undefined when it is. */
export const mirrorDifference = async (store: LogStore, end: End): Promise<string | undefined> => {
  const origin = await store.origin()
  if (origin?.id !== end.origin)
    return `it is of another log, or of this one before it was moved: that of ${end.origin}, not of ${origin?.id ?? 'an empty one'}`
  for await (const [event] of store.readAll(end.before))
    return event?.id === end.id && event.position === end.position && event.order === end.order
      ? undefined
      : `its last event is ${end.id} at ${end.position}, the log has ${event?.id} at ${event?.position} there`
  return `it goes to position ${end.position}, where the log has nothing`
}

/**
 * The same store; the whole log is read from the mirror as far as that goes, and from there on from the store. With
 * `anywhere` a read may begin between the positions of events, where EventStoreDB itself takes none.
 */
export const mirroredStore = (store: LogStore, mirror: Mirror, anywhere = false): LogStore => ({
  ...store,
  async *readAll(after) {
    let at = after
    for await (const page of mirror.events(after)) {
      at = page.at(-1)?.position ?? at
      yield page
    }
    const from = anywhere && at === after ? await beginning(mirror, at) : at
    for await (const page of store.readAll(from)) {
      const wanted = from === at ? page : page.filter(({ position }) => position > at)
      if (wanted.length > 0) yield wanted
    }
  },
})

/** The lines of a log after any position, up to the position of an event; from its mirror as far as that goes. */
export async function* mirroredLines(
  bytes: Pick<ByteLog, 'readLines'>,
  mirror: Mirror,
  after: bigint,
  until: bigint,
): AsyncGenerator<readonly LogLine[]> {
  let at = after
  for await (const page of mirror.lines(after, until)) {
    at = page.at(-1)?.position ?? at
    yield page
  }
  const from = at > after ? at : await beginning(mirror, at)
  if (from < until)
    for await (const page of bytes.readLines(from, until)) yield page.filter(({ position }) => position > at)
}

/** The position from which the store is read to go on after one that may lie between the positions of events. */
const beginning = async (mirror: Mirror, after: bigint): Promise<bigint> => {
  const reach = await mirror.reach()
  return reach === -1n || after < reach ? after : reach
}
