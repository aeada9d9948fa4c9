import type { RecordedEvent } from '../../domain/kernel/ports.ts'

/** The place that a reactor has come to; the event is unknown only where it began. */
export type Place = { readonly position: bigint; readonly event?: RecordedEvent }

/** Events that are reacted to in one go. */
export type Task = {
  readonly events: readonly RecordedEvent[]
  /** The place up to which the log was dispatched before them: one that the store knows. */
  readonly before: Place
}

/**
 * The reactions that have begun and not ended, and those that wait for them: one starts once no earlier one under way
 * shares any of its keys.
 */
export type KeyOrder = {
  /**
   * Dispatches what comes next in the log. Answers it when it may start; else it is among those that are answered when
   * the last one ends that it waits for. When nobody can tell its keys, it waits for all before it, and all after it
   * wait.
   */
  add(events: readonly RecordedEvent[], keys: readonly string[] | undefined): readonly Task[]
  /** Nothing has to be done up to this place beside what was added. */
  pass(place: Place): void
  /** Answers those that may start now. */
  end(task: Task): readonly Task[]
  /** Nobody waits any more for what keeps failing, nor for what waits behind it. */
  giveUp(task: Task): void
  /** Where everything is done. */
  done(): Place
  /** Where everything is done but for what was given up. */
  passed(): Place
  /** Reactions that have not ended, and events from the oldest of them on. */
  size(): { readonly open: number; readonly ahead: number }
  open(): readonly Task[]
}

type Node = Task & {
  /** The count of events before it. */
  readonly number: number
  readonly keys: readonly string[]
  readonly followers: Node[]
  waitsFor: number
}

export const createKeyOrder = (start: Place): KeyOrder => {
  let dispatched = start
  let count = 0
  /** Both in the order of the log. */
  const open = new Set<Node>()
  const awaited = new Set<Node>()
  /** The newest of each key, for which the next one of it waits. */
  const newest = new Map<string, Node>()
  /** The newest whose keys nobody can tell. */
  let barrier: Node | undefined

  const before = (keys: readonly string[] | undefined): ReadonlySet<Node> => {
    if (keys === undefined) return new Set(open)
    const last = keys.flatMap((key) => newest.get(key) ?? [])
    return new Set(barrier ? [...last, barrier] : last)
  }

  return {
    add(events, keys) {
      const earlier = before(keys)
      const node: Node = {
        events,
        before: dispatched,
        number: count,
        keys: keys ?? [],
        followers: [],
        waitsFor: earlier.size,
      }
      for (const each of earlier) each.followers.push(node)
      for (const key of node.keys) newest.set(key, node)
      if (keys === undefined) barrier = node
      open.add(node)
      if ([...earlier].every((each) => awaited.has(each))) awaited.add(node)
      count += events.length
      dispatched = placeAfter(events) ?? dispatched
      return node.waitsFor === 0 ? [node] : []
    },
    pass(place) {
      dispatched = place
    },
    end(task) {
      const node = task as Node
      open.delete(node)
      awaited.delete(node)
      for (const key of node.keys) if (newest.get(key) === node) newest.delete(key)
      if (barrier === node) barrier = undefined
      return node.followers.filter((each) => --each.waitsFor === 0)
    },
    giveUp(task) {
      const behind = [task as Node]
      for (let node = behind.pop(); node; node = behind.pop()) if (awaited.delete(node)) behind.push(...node.followers)
    },
    done: () => first(open)?.before ?? dispatched,
    passed: () => first(awaited)?.before ?? dispatched,
    size: () => ({ open: open.size, ahead: count - (first(open)?.number ?? count) }),
    open: () => [...open],
  }
}

const placeAfter = (events: readonly RecordedEvent[]): Place | undefined => {
  const event = events.at(-1)
  return event && { position: event.position, event }
}

const first = <T>(all: ReadonlySet<T>): T | undefined => all.values().next().value
